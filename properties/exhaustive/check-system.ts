// Whether a system is well formed: names, kinds of values, domains and symmetry, each fault in one line.
import type {
  Domain,
  Expression,
  LocalDeclaration,
  Statement,
  System,
  VariableReference,
} from "./system-language.ts";
import {
  initialValues,
  kindOf,
  largestValue,
  lengthOf,
  maximumOf,
  SystemError,
  symmetricSet,
} from "./system-values.ts";

/** The faults of a system, none if it can be compiled, interpreted and exported. */
export function checkSystem(system: System): readonly string[] {
  const faults: string[] = [];
  const report = (where: string, fault: string) =>
    faults.push(`${system.name}: ${where}: ${fault}`);
  checkSets(system, report);
  checkNames(system, report);
  checkVariables(system, report);
  checkTables(system, report);
  const checker = new ExpressionChecker(system, report);
  for (const rule of system.rules) {
    checker.inside(`rule ${rule.name}`, rule.parameters, () => {
      checker.expect(rule.guard, "boolean", "the guard");
      checker.statements(rule.body);
    });
  }
  for (const property of system.properties) {
    checker.inside(`property ${property.id}`, [], () => {
      checker.expect(property.predicate, "boolean", "the predicate");
    });
  }
  checker.inside("end", [], () => {
    if (system.end !== null) checker.expect(system.end, "boolean", "the predicate");
  });
  checkProperties(system, report);
  return faults;
}

/** Throws the first fault: a system with faults is a programmer's error. */
export function requireWellFormed(system: System): void {
  const [fault] = checkSystem(system);
  if (fault !== undefined) throw new SystemError(fault);
}

type Report = (where: string, fault: string) => void;

const identifier = /^[A-Za-z][A-Za-z0-9]*$/;

function checkSets(system: System, report: Report): void {
  if (system.indexSets.filter((each) => each.symmetric).length > 1) {
    report("index sets", "more than one is symmetric; make all but one a set of places");
  }
  for (const { name, size } of system.indexSets) {
    if (!Number.isInteger(size) || size < 1 || size > 255) {
      report(`set ${name}`, `size=${size} is not a whole number 1..255`);
    }
  }
}

function checkNames(system: System, report: Report): void {
  const named = [...system.indexSets, ...system.tables, ...system.variables];
  for (const names of [named, system.rules, system.properties.map(({ id }) => ({ name: id }))]) {
    const seen = new Set<string>();
    for (const { name } of names) {
      if (seen.has(name)) report(name, "the name is used twice; rename one");
      seen.add(name);
      if (names === named && !identifier.test(name)) {
        report(name, "a name is letters and digits, a letter first");
      }
    }
  }
}

function checkVariables(system: System, report: Report): void {
  for (const variable of system.variables) {
    const { name, over } = variable;
    if (over !== null && !system.indexSets.some((set) => set.name === over)) {
      report(`variable ${name}`, `set=${over} is not declared`);
    }
    checkDomain(system, `variable ${name}`, variable.domain, report);
  }
  if (system.initialStates.length === 0) report("initial states", "there is none; give one");
  for (const state of initialValues(system)) {
    for (const variable of system.variables) {
      const values = state[variable.name] ?? [];
      const max = maximumOf(variable.domain);
      if (values.length !== lengthOf(system, variable)) {
        report(
          `variable ${variable.name}`,
          `length=${values.length} of the initial values is wrong`,
        );
      }
      for (const value of values) {
        if (!Number.isInteger(value) || value < 0 || value > max) {
          report(`variable ${variable.name}`, `initial=${value} is outside 0..${max}`);
        }
      }
    }
  }
}

function checkDomain(system: System, where: string, domain: Domain, report: Report): void {
  const max = maximumOf(domain);
  if (!Number.isInteger(max) || max < 0 || max > largestValue) {
    report(where, `max=${max} is not a whole number 0..${largestValue}`);
  }
  if (domain.kind === "named" && !domain.values.every((each) => /^[A-Za-z0-9_-]+$/.test(each))) {
    report(where, "a value's name is letters, digits, - and _");
  }
  if (domain.kind === "member") {
    const set = system.indexSets.find((each) => each.name === domain.set);
    if (set?.size !== domain.size) report(where, `set=${domain.set} is not declared with its size`);
  }
}

function checkTables(system: System, report: Report): void {
  for (const { name, dimensions, values, result } of system.tables) {
    const size = dimensions.reduce((product, each) => product * each, 1);
    const max = maximumOf(result);
    checkDomain(system, `table ${name}`, result, report);
    if (values.length !== size) report(`table ${name}`, `length=${values.length} is not ${size}`);
    const wrong = values.find((each) => !Number.isInteger(each) || each < 0 || each > max);
    if (wrong !== undefined) report(`table ${name}`, `entry=${wrong} is outside 0..${max}`);
    if (kindOf(result, system).startsWith("member")) {
      report(`table ${name}`, "a constant table must not tell the members of a symmetric set");
    }
  }
}

function checkProperties(system: System, report: Report): void {
  if (system.properties.length > 32) report("properties", "there are more than 32");
  const situations = system.properties.filter((each) => each.kind === "sometimes");
  for (const { id, exercisedBy } of system.properties) {
    if (exercisedBy !== null && !situations.some((each) => each.id === exercisedBy)) {
      report(`property ${id}`, `exercisedBy=${exercisedBy} is not a sometimes of this system`);
    }
  }
}

/** Infers the kind of every expression and reports where kinds mix. */
class ExpressionChecker {
  readonly #system: System;
  readonly #report: Report;
  #where = "";
  #scope: readonly LocalDeclaration[] = [];

  constructor(system: System, report: Report) {
    this.#system = system;
    this.#report = report;
  }

  inside(where: string, locals: readonly LocalDeclaration[], work: () => void): void {
    this.#where = where;
    this.#scope = [];
    this.#within(locals, work);
  }

  #within(locals: readonly LocalDeclaration[], work: () => void): void {
    const outer = this.#scope;
    for (const local of locals) {
      const { name } = local;
      checkDomain(this.#system, `${this.#where}: ${name}`, local.domain, this.#report);
      const taken = [...outer, ...this.#system.variables, ...this.#system.tables];
      const hides = taken.some((each) => each.name === name);
      if (hides) this.#fault(`${name} hides another of its name`);
      const plain = identifier.test(name);
      if (!plain) this.#fault(`${name} is not letters and digits, a letter first`);
    }
    this.#scope = [...outer, ...locals];
    work();
    this.#scope = outer;
  }

  expect(expression: Expression, kind: string, what: string): void {
    const found = this.#kind(expression);
    if (found !== kind) this.#fault(`${what} is a ${found}, not a ${kind}`);
  }

  statements(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case "assign": {
        const kind = this.#kind(statement.target);
        this.expect(statement.value, kind, `what is assigned to ${statement.target.name}`);
        return;
      }
      case "if":
        this.expect(statement.test, "boolean", "the test of a when");
        this.statements(statement.then);
        this.statements(statement.otherwise);
        return;
      case "let": {
        const { local, value, body } = statement;
        this.expect(value, kindOf(local.domain, this.#system), `the value of ${local.name}`);
        this.#within([local], () => this.statements(body));
        return;
      }
      case "for":
        this.#within([statement.local], () => this.statements(statement.body));
    }
  }

  #kind(expression: Expression): string {
    switch (expression.kind) {
      case "constant":
        return typeof expression.value === "boolean" ? "boolean" : "number";
      case "none":
        return kindOf({ ...expression, kind: "member", none: "nobody" }, this.#system);
      case "local":
        if (!this.#scope.some((each) => each.name === expression.name)) {
          this.#fault(`${expression.name} is used outside of its rule or quantifier`);
        }
        return kindOf(expression.domain, this.#system);
      case "variable":
        return this.#variable(expression);
      case "table":
        return this.#table(expression.table, expression.indices);
      case "arithmetic":
        this.expect(expression.left, "number", `an operand of ${expression.operator}`);
        this.expect(expression.right, "number", `an operand of ${expression.operator}`);
        return "number";
      case "compare": {
        const ordered = expression.operator === "less" || expression.operator === "atMost";
        const kind = ordered ? "number" : this.#kind(expression.left);
        if (ordered) this.expect(expression.left, kind, `an operand of ${expression.operator}`);
        this.expect(expression.right, kind, `an operand of ${expression.operator}`);
        return "boolean";
      }
      case "and":
      case "or":
        for (const each of expression.operands) this.expect(each, "boolean", "an operand");
        return "boolean";
      case "not":
        this.expect(expression.operand, "boolean", "the operand of not");
        return "boolean";
      case "choose": {
        const kind = this.#kind(expression.then);
        this.expect(expression.test, "boolean", "the test of a choose");
        this.expect(expression.otherwise, kind, "the other choice");
        return kind;
      }
      case "every":
      case "some":
      case "count":
        this.#within([expression.local], () => this.expect(expression.body, "boolean", "the body"));
        return expression.kind === "count" ? "number" : "boolean";
    }
  }

  #variable({ name, index }: VariableReference): string {
    const variable = this.#system.variables.find((each) => each.name === name);
    if (variable === undefined) {
      this.#fault(`variable ${name} is not declared; add it to the system's variables`);
      return "number";
    }
    if (variable.over === null && index !== null) this.#fault(`${name} is not an array`);
    if (variable.over !== null && index === null) this.#fault(`${name} needs an index`);
    if (variable.over !== null && index !== null) {
      const symmetric = symmetricSet(this.#system)?.name === variable.over;
      this.expect(
        index,
        symmetric ? `member of ${variable.over}` : "number",
        `the index of ${name}`,
      );
    }
    return kindOf(variable.domain, this.#system);
  }

  #table(name: string, indices: readonly Expression[]): string {
    const table = this.#system.tables.find((each) => each.name === name);
    if (table === undefined) {
      this.#fault(`table ${name} is not declared; add it to the system's tables`);
      return "number";
    }
    if (table.dimensions.length !== indices.length) this.#fault(`${name}: wrong number of indices`);
    for (const index of indices) this.expect(index, "number", `an index of ${name}`);
    return kindOf(table.result, this.#system);
  }

  #fault(fault: string): void {
    this.#report(this.#where, fault);
  }
}
