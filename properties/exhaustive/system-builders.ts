// The declarations, rules and statements of a system as functions, so that a system reads like its specification.
import {
  declare,
  domainOf,
  expression,
  reference,
  type Named,
  type Operand,
  type Range,
} from "./system-expressions.ts";
import type {
  Constant,
  Domain,
  Expression,
  IndexSet,
  InitialValues,
  Property,
  Rule,
  Statement,
  System,
  TableDeclaration,
  Telling,
  VariableDeclaration,
  VariableReference,
} from "./system-language.ts";

/** A single variable: usable as an expression and as the target of an assignment. */
export interface Scalar extends VariableReference {
  readonly declaration: VariableDeclaration;
}

/** An array variable: `phase.at(a)` is one element. */
export interface Indexed {
  readonly declaration: VariableDeclaration;
  at(index: Operand): VariableReference;
}

/** A constant table: `answers.at(phase.at(a), event)` looks one entry up. */
export interface Table {
  readonly declaration: TableDeclaration;
  at(...indices: readonly Operand[]): Expression;
}

export interface SystemParts {
  readonly name: string;
  readonly indexSets: readonly IndexSet[];
  readonly tables?: readonly Table[];
  readonly variables: readonly (Scalar | Indexed)[];
  readonly rules: readonly Rule[];
  readonly properties: readonly Property[];
  readonly initialStates?: readonly InitialValues[];
  readonly end?: Operand;
}

/** What a rule consists of, once its parameters are given. */
export interface RuleParts {
  readonly guard: Operand;
  readonly body: readonly Statement[];
  readonly tells: Telling;
}

export function system(parts: SystemParts): System {
  return {
    name: parts.name,
    indexSets: parts.indexSets,
    tables: (parts.tables ?? []).map((each) => each.declaration),
    variables: parts.variables.map((each) => each.declaration),
    rules: parts.rules,
    properties: parts.properties,
    initialStates: parts.initialStates ?? [{}],
    end: parts.end === undefined ? null : expression(parts.end),
  };
}

/** A set whose members are interchangeable, such as the attempts. */
export function scalarset(name: string, size: number): IndexSet {
  return { name, size, symmetric: true };
}

/** A set whose members are in an order, such as the places of a queue. */
export function places(name: string, size: number): IndexSet {
  return { name, size, symmetric: false };
}

export const flag: Domain = { kind: "flag" };

/** The numbers 0..max. */
export function range(max: number): Domain {
  return { kind: "range", max };
}

/** Values with names, numbered from 0; `name` prefixes them in exported text. */
export function named<const Value extends string>(
  name: string,
  values: readonly Value[],
): Named<Value> {
  const numbers = {} as Record<Value, number>;
  const constants = {} as Record<Value, Constant>;
  values.forEach((value, place) => {
    numbers[value] = place;
    constants[value] = { kind: "constant", value: place, label: `${name}_${value}` };
  });
  return { domain: { kind: "named", name, values }, of: constants, number: numbers };
}

/** A member of the set, or nobody where `none` gives that a name. */
export function memberOf(set: IndexSet, none: string | null = null): Domain {
  return { kind: "member", set: set.name, size: set.size, none };
}

/** A single variable. It begins as 0, false, the first name, or nobody, unless `initial` says otherwise. */
export function scalar(name: string, of: Domain | Named<string>, initial?: number): Scalar {
  const domain = domainOf(of);
  const declaration = { name, domain, over: null, initial: initial ?? defaultOf(domain) };
  return { kind: "variable", name, index: null, declaration };
}

/** An array over an index set; `initial` is one value for all, or one for each. */
export function arrayOver(
  set: IndexSet,
  name: string,
  of: Domain | Named<string>,
  initial?: number | readonly number[],
): Indexed {
  const domain = domainOf(of);
  const declaration = { name, domain, over: set.name, initial: initial ?? defaultOf(domain) };
  return {
    declaration,
    at: (index) => ({ kind: "variable", name, index: expression(index) }),
  };
}

/** A table with one entry for each combination of indices, computed here and constant from then on. */
export function table(
  name: string,
  dimensions: readonly number[],
  result: Domain | Named<string>,
  entry: (...indices: readonly number[]) => number,
): Table {
  let rows: (readonly number[])[] = [[]];
  for (const size of dimensions) {
    rows = rows.flatMap((row) => Array.from({ length: size }, (_, next) => [...row, next]));
  }
  return {
    declaration: {
      name,
      dimensions,
      values: rows.map((row) => entry(...row)),
      result: domainOf(result),
    },
    at: (...indices) => ({ kind: "table", table: name, indices: indices.map(expression) }),
  };
}

/** A rule; `parameters` names what it is about, and `parts` receives each of them as an expression. */
export function rule<const Parameters extends Readonly<Record<string, Range>>>(
  name: string,
  parameters: Parameters,
  parts: (given: Readonly<Record<keyof Parameters, Expression>>) => RuleParts,
): Rule {
  const declared = Object.entries(parameters).map(([each, over]) => declare(each, over));
  const given = Object.fromEntries(declared.map((each) => [each.name, reference(each)]));
  const { guard, body, tells } = parts(given as Record<keyof Parameters, Expression>);
  return { name, parameters: declared, guard: expression(guard), body, tells };
}

export function always(id: string, statement: string, predicate: Operand, exercisedBy?: string) {
  return property("always", id, statement, predicate, exercisedBy);
}
export function sometimes(id: string, statement: string, predicate: Operand) {
  return property("sometimes", id, statement, predicate);
}
export function reachable(id: string, statement: string, predicate: Operand, exercisedBy?: string) {
  return property("reachable", id, statement, predicate, exercisedBy);
}

export function assign(target: VariableReference, value: Operand): Statement {
  // A Scalar carries its declaration along; the statement keeps the reference alone, as plain data.
  const { kind, name, index } = target;
  return { kind: "assign", target: { kind, name, index }, value: expression(value) };
}

export function when(
  test: Operand,
  then: readonly Statement[],
  otherwise: readonly Statement[] = [],
): Statement {
  // oxlint-disable-next-line unicorn/no-thenable -- plain data that nobody awaits
  return { kind: "if", test: expression(test), then, otherwise };
}

/** Computes `value` once, before `body`, which may use it by name. */
export function withLocal(
  name: string,
  over: Range,
  value: Operand,
  body: (local: Expression) => readonly Statement[],
): Statement {
  const local = declare(name, over);
  return { kind: "let", local, value: expression(value), body: body(reference(local)) };
}

export function forEach(
  name: string,
  over: Range,
  body: (local: Expression) => readonly Statement[],
): Statement {
  const local = declare(name, over);
  return { kind: "for", local, body: body(reference(local)) };
}

function defaultOf(domain: Domain): number {
  return domain.kind === "member" && domain.none !== null ? domain.size : 0;
}

function property(
  kind: Property["kind"],
  id: string,
  statement: string,
  predicate: Operand,
  exercisedBy?: string,
): Property {
  return {
    id,
    kind,
    statement,
    predicate: expression(predicate),
    exercisedBy: exercisedBy ?? null,
  };
}
