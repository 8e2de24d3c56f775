// How expressions and statements of a system read in Murphi, where members of a scalarset are no numbers and nobody is `undefined`.
import type { Domain, Expression, LocalDeclaration, Statement, System } from "./system-language.ts";
import { operandsOf, SystemError, symmetricSet } from "./system-values.ts";

/** Collects what Murphi needs outside of an expression: a function for each `count`. */
export class MurphiText {
  readonly functions: string[] = [];
  readonly #system: System;

  constructor(system: System) {
    this.#system = system;
  }

  expression(expression: Expression): string {
    const text = (inner: Expression) => this.expression(inner);
    switch (expression.kind) {
      case "constant":
        return expression.label === null ? String(expression.value) : murphiName(expression.label);
      case "none":
        return `no_${expression.set}`;
      case "local":
        return murphiName(expression.name);
      case "variable":
        return expression.index === null
          ? murphiName(expression.name)
          : `${murphiName(expression.name)}[${text(expression.index)}]`;
      case "table":
        return `${murphiName(expression.table)}(${expression.indices.map(text).join(", ")})`;
      case "arithmetic":
        return arithmetic(expression.operator, text(expression.left), text(expression.right));
      case "compare":
        return this.#compare(expression.operator, expression.left, expression.right);
      case "and":
      case "or": {
        const joint = expression.kind === "and" ? " & " : " | ";
        if (expression.operands.length === 0) return String(expression.kind === "and");
        return `(${expression.operands.map(text).join(joint)})`;
      }
      case "not":
        return `!(${text(expression.operand)})`;
      case "choose":
        return `(${text(expression.test)} ? ${text(expression.then)} : ${text(expression.otherwise)})`;
      case "every":
      case "some": {
        const word = expression.kind === "every" ? "forall" : "exists";
        const { local, body } = expression;
        return `(${word} ${this.declared(local)} do ${text(body)} end)`;
      }
      case "count":
        return this.#count(expression.local, expression.body);
    }
  }

  statements(statements: readonly Statement[], indent: string): readonly string[] {
    return statements.flatMap((each) => this.#statement(each, indent));
  }

  /** `name: type`, as Murphi declares parameters, locals and quantified names. */
  declared({ name, domain }: LocalDeclaration): string {
    return `${murphiName(name)}: ${this.type(domain)}`;
  }

  type(domain: Domain): string {
    switch (domain.kind) {
      case "flag":
        return "boolean";
      case "range":
        return `0..${domain.max}`;
      case "named":
        return `${murphiName(domain.name)}_values`;
      case "member":
        if (this.#scalarset(domain.set)) return murphiName(domain.set);
        return `0..${domain.none === null ? domain.size - 1 : domain.size}`;
    }
  }

  /** Copies a value; nobody is copied by undefining the target. */
  assign(target: string, value: Expression, indent: string): readonly string[] {
    if (this.#isNone(value)) return [`${indent}undefine ${target};`];
    if (this.#isMember(value) && value.kind === "choose") {
      return [
        `${indent}if ${this.expression(value.test)} then`,
        ...this.assign(target, value.then, `${indent}  `),
        `${indent}else`,
        ...this.assign(target, value.otherwise, `${indent}  `),
        `${indent}end;`,
      ];
    }
    const copied = `${target} := ${this.expression(value)};`;
    if (!this.#mayBeNobody(value)) return [`${indent}${copied}`];
    return [
      `${indent}if isundefined(${this.expression(value)}) then undefine ${target}; else ${copied} end;`,
    ];
  }

  #statement(statement: Statement, indent: string): readonly string[] {
    const inner = `${indent}  `;
    switch (statement.kind) {
      case "assign":
        return this.assign(this.expression(statement.target), statement.value, indent);
      case "if":
        return [
          `${indent}if ${this.expression(statement.test)} then`,
          ...this.statements(statement.then, inner),
          ...(statement.otherwise.length === 0 ? [] : [`${indent}else`]),
          ...this.statements(statement.otherwise, inner),
          `${indent}end;`,
        ];
      case "let":
        return [
          ...this.assign(murphiName(statement.local.name), statement.value, indent),
          ...this.statements(statement.body, indent),
        ];
      case "for":
        return [
          `${indent}for ${this.declared(statement.local)} do`,
          ...this.statements(statement.body, inner),
          `${indent}end;`,
        ];
    }
  }

  #compare(
    operator: "equal" | "differ" | "less" | "atMost",
    left: Expression,
    right: Expression,
  ): string {
    if (operator === "equal") return this.#equal(left, right);
    if (operator === "differ") return `!${this.#equal(left, right)}`;
    const sign = operator === "less" ? "<" : "<=";
    return `(${this.expression(left)} ${sign} ${this.expression(right)})`;
  }

  /** Reading an undefined value is an error in Murphi, so that each side that may be nobody is asked first. */
  #equal(left: Expression, right: Expression): string {
    if (!this.#isMember(left) && !this.#isMember(right)) {
      return `(${this.expression(left)} = ${this.expression(right)})`;
    }
    for (const [side, other] of [[left, right] as const, [right, left] as const]) {
      if (side.kind !== "choose") continue;
      const [then, otherwise] = [this.#equal(side.then, other), this.#equal(side.otherwise, other)];
      return `(${this.expression(side.test)} ? ${then} : ${otherwise})`;
    }
    if (this.#isNone(left) || this.#isNone(right)) {
      const other = this.#isNone(left) ? right : left;
      if (this.#isNone(other)) return "true";
      return this.#mayBeNobody(other) ? `isundefined(${this.expression(other)})` : "false";
    }
    const defined = [left, right]
      .filter((each) => this.#mayBeNobody(each))
      .map((each) => `!isundefined(${this.expression(each)}) & `);
    const same = `(${defined.join("")}${this.expression(left)} = ${this.expression(right)})`;
    if (defined.length < 2) return same;
    const [a, b] = [this.expression(left), this.expression(right)];
    return `((isundefined(${a}) & isundefined(${b})) | ${same})`;
  }

  /** Murphi has no sum over a scalarset: a function counts in a loop; names from outside become its parameters. */
  #count(local: LocalDeclaration, body: Expression): string {
    const free = freeLocals(body, new Set([local.name]));
    const nullable = free.find(({ domain }) => domain.kind === "member" && domain.none !== null);
    if (nullable !== undefined) {
      throw new SystemError(
        `${this.#system.name}: ${nullable.name} may be nobody inside a count, which Murphi cannot state; compare it outside`,
      );
    }
    const text = this.expression(body);
    const name = `count_${this.functions.length}`;
    const size = local.domain.kind === "member" ? local.domain.size : 65_535;
    this.functions.push(
      [
        `function ${name}(${free.map((each) => this.declared(each)).join("; ")}): 0..${size};`,
        `var counted: 0..${size};`,
        "begin",
        "  counted := 0;",
        `  for ${this.declared(local)} do`,
        `    if ${text} then counted := counted + 1; end;`,
        "  end;",
        "  return counted;",
        "end;",
      ].join("\n"),
    );
    return `${name}(${free.map((each) => murphiName(each.name)).join(", ")})`;
  }

  #domain(expression: Expression): Domain | null {
    if (expression.kind === "local") return expression.domain;
    if (expression.kind !== "variable") return null;
    return this.#system.variables.find(({ name }) => name === expression.name)?.domain ?? null;
  }

  #isNone(expression: Expression): boolean {
    return expression.kind === "none" && this.#scalarset(expression.set);
  }

  #isMember(expression: Expression): boolean {
    if (expression.kind === "choose") return this.#isMember(expression.then);
    const domain = this.#domain(expression);
    return this.#isNone(expression) || (domain?.kind === "member" && this.#scalarset(domain.set));
  }

  #mayBeNobody(expression: Expression): boolean {
    const domain = this.#domain(expression);
    return domain?.kind === "member" && domain.none !== null && this.#scalarset(domain.set);
  }

  #scalarset(name: string): boolean {
    return symmetricSet(this.#system)?.name === name;
  }
}

/** The name itself, or with `_` where Murphi reserves it. */
export function murphiName(name: string): string {
  const plain = name.replace(/\W/g, "_");
  return reserved.has(plain.toLowerCase()) ? `${plain}_` : plain;
}

function freeLocals(
  expression: Expression,
  bound: ReadonlySet<string>,
): readonly LocalDeclaration[] {
  const found = new Map<string, LocalDeclaration>();
  const visit = (inner: Expression, within: ReadonlySet<string>): void => {
    if (inner.kind === "local" && !within.has(inner.name)) found.set(inner.name, inner);
    const quantified = inner.kind === "every" || inner.kind === "some" || inner.kind === "count";
    const next = quantified ? new Set([...within, inner.local.name]) : within;
    for (const each of operandsOf(inner)) visit(each, next);
  };
  visit(expression, bound);
  return [...found.values()];
}

function arithmetic(operator: string, left: string, right: string): string {
  if (operator === "plus") return `(${left} + ${right})`;
  if (operator === "minus") return `(${left} - ${right})`;
  const [first, second] = operator === "least" ? [left, right] : [right, left];
  return `(${left} < ${right} ? ${first} : ${second})`;
}

const reserved = new Set(
  "alias array assert assume begin boolean by case clear const cover do else elsif end endalias endexists endfor endforall endfunction endif endprocedure endrecord endrule endruleset endstartstate endswitch endwhile enum error exists false for forall function if interface invariant isundefined liveness of print procedure process put property record return rule ruleset scalarset startstate switch then to true type undefine union var while".split(
    " ",
  ),
);
