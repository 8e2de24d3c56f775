// How expressions and statements of a system read in Promela; quantifiers and loops are unrolled, since members are numbers there.
import type { Domain, Expression, Statement, System } from "./system-language.ts";
import { valuesOf } from "./system-values.ts";

/** What a local name stands for in the text: itself as a macro's parameter, or a value of an unrolled quantifier. */
export type PromelaNames = ReadonlyMap<string, string>;

export function promelaExpression(
  system: System,
  expression: Expression,
  names: PromelaNames,
): string {
  const text = (inner: Expression) => promelaExpression(system, inner, names);
  switch (expression.kind) {
    case "constant":
      if (expression.label !== null) return promelaName(expression.label);
      return typeof expression.value === "boolean"
        ? String(expression.value)
        : negative(expression.value);
    case "none":
      return `no_${expression.set}`;
    case "local":
      return names.get(expression.name) ?? failUnbound(expression.name);
    case "variable":
      return expression.index === null
        ? promelaName(expression.name)
        : `${promelaName(expression.name)}[${text(expression.index)}]`;
    case "table":
      return `${hiddenName("table", expression.table)}[${tablePlace(system, expression, text)}]`;
    case "arithmetic":
      return arithmetic(expression.operator, text(expression.left), text(expression.right));
    case "compare":
      return `(${text(expression.left)} ${comparisons[expression.operator]} ${text(expression.right)})`;
    case "and":
    case "or": {
      const [first, ...others] = expression.operands.map(text);
      if (first === undefined) return String(expression.kind === "and");
      const joint = expression.kind === "and" ? " && " : " || ";
      return others.length === 0 ? first : `(${[first, ...others].join(joint)})`;
    }
    case "not":
      return `!(${text(expression.operand)})`;
    case "choose":
      return `(${text(expression.test)} -> ${text(expression.then)} : ${text(expression.otherwise)})`;
    case "every":
    case "some":
    case "count":
      return quantified(system, expression, names);
  }
}

export function promelaStatements(
  system: System,
  statements: readonly Statement[],
  names: PromelaNames,
  indent: string,
): readonly string[] {
  const lines = statements.flatMap((each) => promelaStatement(system, each, names, indent));
  return lines.length === 0 ? [`${indent}skip;`] : lines;
}

/** A value as Promela text: the name that a `#define` gives it, or the number. */
export function promelaValue(domain: Domain, value: number): string {
  if (domain.kind === "named") {
    const name = domain.values[value];
    if (name !== undefined) return promelaName(`${domain.name}_${name}`);
  }
  if (domain.kind === "member" && value === domain.size) return `no_${domain.set}`;
  return String(value);
}

/** The name itself, or with `_` where Promela reserves it. */
export function promelaName(name: string): string {
  const plain = name.replace(/\W/g, "_");
  return reserved.has(plain) ? `${plain}_` : plain;
}

/** A hidden variable is a global of the generated C program, where a plain name could be one of C's own. */
export function hiddenName(kind: "let" | "table", name: string): string {
  return `${kind}_${name}`;
}

function promelaStatement(
  system: System,
  statement: Statement,
  names: PromelaNames,
  indent: string,
): readonly string[] {
  const text = (inner: Expression) => promelaExpression(system, inner, names);
  switch (statement.kind) {
    case "assign":
      return [`${indent}${text(statement.target)} = ${text(statement.value)};`];
    case "if":
      return [
        `${indent}if`,
        `${indent}:: ${text(statement.test)} ->`,
        ...promelaStatements(system, statement.then, names, `${indent}  `),
        `${indent}:: else ->`,
        ...promelaStatements(system, statement.otherwise, names, `${indent}  `),
        `${indent}fi;`,
      ];
    case "let": {
      const name = hiddenName("let", statement.local.name);
      const inside = new Map(names).set(statement.local.name, name);
      return [
        `${indent}${name} = ${text(statement.value)};`,
        ...promelaStatements(system, statement.body, inside, indent),
      ];
    }
    case "for":
      return valuesOf(statement.local.domain).flatMap((value) =>
        promelaStatements(
          system,
          statement.body,
          new Map(names).set(statement.local.name, promelaValue(statement.local.domain, value)),
          indent,
        ),
      );
  }
}

function quantified(
  system: System,
  { kind, local, body }: Expression & { readonly kind: "every" | "some" | "count" },
  names: PromelaNames,
): string {
  const unrolled = valuesOf(local.domain).map((value) => {
    const bound = new Map(names).set(local.name, promelaValue(local.domain, value));
    return promelaExpression(system, body, bound);
  });
  if (kind === "count") return `(${unrolled.map((each) => `(${each} -> 1 : 0)`).join(" + ")})`;
  return `(${unrolled.join(kind === "every" ? " && " : " || ")})`;
}

function tablePlace(
  system: System,
  expression: Expression & { readonly kind: "table" },
  text: (inner: Expression) => string,
): string {
  const table = system.tables.find((each) => each.name === expression.table);
  return (table?.dimensions ?? []).reduce((place, size, dimension) => {
    const index = expression.indices[dimension];
    const own = index === undefined ? "0" : text(index);
    return place === "" ? own : `(${place}) * ${size} + ${own}`;
  }, "");
}

function arithmetic(operator: string, left: string, right: string): string {
  if (operator === "plus") return `(${left} + ${right})`;
  if (operator === "minus") return `(${left} - ${right})`;
  const [first, second] = operator === "least" ? [left, right] : [right, left];
  return `(${left} < ${right} -> ${first} : ${second})`;
}

function negative(value: number): string {
  return value < 0 ? `(${value})` : String(value);
}

function failUnbound(name: string): never {
  throw new Error(`${name} is not declared; check the system before exporting it`);
}

const comparisons = { equal: "==", differ: "!=", less: "<", atMost: "<=" } as const;

const reserved = new Set(
  (
    "active assert atomic bit bool break byte chan cond_expr d_step do else empty enabled end eval false fi for full get_p goto hidden if in init inline int len local ltl mtype nempty never nfull notrace np_ od of pc_value pid priority printf printm proctype provided return run select set_p short show skip timeout trace true typedef unless unsigned xr xs " +
    "check system"
  ).split(" "),
);
