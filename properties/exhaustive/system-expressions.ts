// The expressions of a system as functions whose names read like the sentence that they build.
import type {
  Constant,
  Domain,
  Expression,
  IndexSet,
  LocalDeclaration,
} from "./system-language.ts";

/** What may stand for an expression: plain numbers and booleans are constants. */
export type Operand = Expression | number | boolean;

/** A domain of named values: `Phase.of.idle` is one of them as an expression, `Phase.number.idle` its integer. */
export interface Named<Value extends string> {
  readonly domain: Domain;
  readonly of: Readonly<Record<Value, Constant>>;
  readonly number: Readonly<Record<Value, number>>;
}

/** What a rule's parameter or a quantifier ranges over. */
export type Range = IndexSet | Domain | Named<string>;

export function every(name: string, over: Range, body: (local: Expression) => Operand) {
  return quantified("every", name, over, body);
}
export function some(name: string, over: Range, body: (local: Expression) => Operand) {
  return quantified("some", name, over, body);
}
/** How many of them satisfy `body`. */
export function count(name: string, over: Range, body: (local: Expression) => Operand) {
  return quantified("count", name, over, body);
}

export const equal = (left: Operand, right: Operand) => compare("equal", left, right);
export const differ = (left: Operand, right: Operand) => compare("differ", left, right);
export const less = (left: Operand, right: Operand) => compare("less", left, right);
export const atMost = (left: Operand, right: Operand) => compare("atMost", left, right);
export const greater = (left: Operand, right: Operand) => compare("less", right, left);
export const atLeast = (left: Operand, right: Operand) => compare("atMost", right, left);

/** Whether `value` is one of those listed. */
export function oneOf(value: Operand, listed: readonly Operand[]): Expression {
  return or(...listed.map((each) => equal(value, each)));
}

export const plus = (left: Operand, right: Operand) => arithmetic("plus", left, right);
/** The difference; an assignment of a negative one is out of its domain and is reported. */
export const minus = (left: Operand, right: Operand) => arithmetic("minus", left, right);
export const least = (left: Operand, right: Operand) => arithmetic("least", left, right);
export const greatest = (left: Operand, right: Operand) => arithmetic("greatest", left, right);

/** `and`, `or` and `choose` stop at the first operand that decides, so that a guard can protect an index. */
export function and(...operands: readonly Operand[]): Expression {
  return { kind: "and", operands: operands.map(expression) };
}
export function or(...operands: readonly Operand[]): Expression {
  return { kind: "or", operands: operands.map(expression) };
}
export function not(operand: Operand): Expression {
  return { kind: "not", operand: expression(operand) };
}
export function choose(test: Operand, then: Operand, otherwise: Operand): Expression {
  return {
    kind: "choose",
    test: expression(test),
    // oxlint-disable-next-line unicorn/no-thenable -- plain data that nobody awaits
    then: expression(then),
    otherwise: expression(otherwise),
  };
}

/** Nobody, for variables that hold a member of the set. */
export function nobody(set: IndexSet): Expression {
  return { kind: "none", set: set.name, size: set.size };
}

export function expression(operand: Operand): Expression {
  if (typeof operand === "object") {
    return operand.kind === "variable"
      ? { kind: "variable", name: operand.name, index: operand.index }
      : operand;
  }
  return { kind: "constant", value: operand, label: null };
}

export function domainOf(of: Range): Domain {
  if ("domain" in of) return of.domain;
  if ("kind" in of) return of;
  return { kind: "member", set: of.name, size: of.size, none: null };
}

export function declare(name: string, over: Range): LocalDeclaration {
  return { name, domain: domainOf(over) };
}

export function reference(local: LocalDeclaration): Expression {
  return { kind: "local", name: local.name, domain: local.domain };
}

function quantified(
  kind: "every" | "some" | "count",
  name: string,
  over: Range,
  body: (local: Expression) => Operand,
): Expression {
  const local = declare(name, over);
  return { kind, local, body: expression(body(reference(local))) };
}

function compare(
  operator: "equal" | "differ" | "less" | "atMost",
  left: Operand,
  right: Operand,
): Expression {
  return { kind: "compare", operator, left: expression(left), right: expression(right) };
}

function arithmetic(
  operator: "plus" | "minus" | "least" | "greatest",
  left: Operand,
  right: Operand,
): Expression {
  return { kind: "arithmetic", operator, left: expression(left), right: expression(right) };
}
