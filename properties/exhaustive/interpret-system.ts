// What a system means: a slow, plain interpreter of the language, the oracle that the compiled model is compared with.
import type { Expression, LocalDeclaration, Statement, System } from "./system-language.ts";
import {
  combinations,
  initialValues,
  maximumOf,
  outOfDomain,
  symmetricSet,
  valuesOf,
} from "./system-values.ts";

/** A state as plain data: variable name to its elements, a single variable having one. */
export type SystemState = Readonly<Record<string, readonly number[]>>;

export interface InterpretedStep {
  /** Rules in order, their parameters' values in order: the number that the compiled model gives too. */
  readonly action: number;
  readonly state: SystemState;
}

/** Everything that an exhaustive search by the interpreter saw. */
export interface InterpretedGraph {
  readonly states: ReadonlyMap<string, SystemState>;
  readonly edges: number;
  /** Steps to the farthest state. */
  readonly depth: number;
  /** States without successors. */
  readonly ends: number;
  /** Property id to the number of states in which its predicate holds. */
  readonly holds: Readonly<Record<string, number>>;
}

/** All reachable states, breadth first; throws past `limit` states. */
export function exploreByInterpreter(
  system: System,
  options: { readonly symmetry: boolean; readonly limit: number },
): InterpretedGraph {
  const canonical = (state: SystemState) =>
    options.symmetry ? canonicalByPermuting(system, state) : state;
  const states = new Map<string, SystemState>();
  const holds = Object.fromEntries(system.properties.map(({ id }) => [id, 0]));
  let edges = 0;
  let ends = 0;
  let depth = 0;
  let layer = keepNew(states, initialValues(system).map(canonical));
  while (layer.length > 0) {
    const next: SystemState[] = [];
    for (const state of layer) {
      for (const { id, predicate } of system.properties) {
        if (evaluate(system, predicate, { state }) === 1) holds[id] = (holds[id] ?? 0) + 1;
      }
      const steps = interpretSteps(system, state);
      edges += steps.length;
      if (steps.length === 0) ends += 1;
      next.push(...steps.map((step) => canonical(step.state)));
    }
    layer = keepNew(states, next);
    if (layer.length > 0) depth += 1;
    if (states.size > options.limit) throw new Error(`more than ${options.limit} states`);
  }
  return { states, edges, depth, ends, holds };
}

/** The steps that are possible in a state, one for each rule and parameter values whose guard holds. */
export function interpretSteps(system: System, state: SystemState): readonly InterpretedStep[] {
  const steps: InterpretedStep[] = [];
  let action = 0;
  for (const rule of system.rules) {
    for (const values of combinations(rule.parameters)) {
      const locals = Object.fromEntries(
        rule.parameters.map(({ name }, i) => [name, values[i] ?? 0]),
      );
      const scope = { state, locals, where: `rule ${rule.name}` };
      if (evaluate(system, rule.guard, scope) === 1) {
        const after = Object.fromEntries(Object.entries(state).map(([k, v]) => [k, [...v]]));
        run(system, rule.body, { ...scope, state: after });
        steps.push({ action, state: after });
      }
      action += 1;
    }
  }
  return steps;
}

/** The least of all permuted states, by trying every permutation of the scalarset. */
export function canonicalByPermuting(system: System, state: SystemState): SystemState {
  const set = symmetricSet(system);
  if (set === null) return state;
  let least = state;
  for (const permutation of permutations(set.size)) {
    const moved: Record<string, number[]> = {};
    for (const { name, domain, over } of system.variables) {
      const renamed = (state[name] ?? []).map((value) =>
        domain.kind === "member" && domain.set === set.name ? (permutation[value] ?? value) : value,
      );
      const placed = [...renamed];
      if (over === set.name) renamed.forEach((value, i) => (placed[permutation[i] ?? i] = value));
      moved[name] = placed;
    }
    if (JSON.stringify(moved) < JSON.stringify(least)) least = moved;
  }
  return least;
}

/** The integer that an expression has in a state; booleans are 0 and 1. */
export function evaluate(system: System, expression: Expression, scope: Scope): number {
  const value = (inner: Expression) => evaluate(system, inner, scope);
  switch (expression.kind) {
    case "constant":
      return Number(expression.value);
    case "none":
      return expression.size;
    case "local":
      return scope.locals?.[expression.name] ?? failUnbound(expression.name);
    case "variable":
      return element(
        scope,
        expression.name,
        expression.index === null ? 0 : value(expression.index),
      );
    case "table":
      return lookUp(system, expression.table, expression.indices.map(value), scope);
    case "arithmetic":
      return arithmetic(expression.operator, value(expression.left), value(expression.right));
    case "compare":
      return Number(compare(expression.operator, value(expression.left), value(expression.right)));
    case "and":
      return Number(expression.operands.every((each) => value(each) === 1));
    case "or":
      return Number(expression.operands.some((each) => value(each) === 1));
    case "not":
      return 1 - value(expression.operand);
    case "choose":
      return value(expression.test) === 1 ? value(expression.then) : value(expression.otherwise);
    case "every":
    case "some":
    case "count": {
      const { local, body } = expression;
      const satisfied = valuesOf(local.domain).filter(
        (each) => evaluate(system, body, binding(scope, local, each)) === 1,
      ).length;
      if (expression.kind === "count") return satisfied;
      if (expression.kind === "some") return Number(satisfied > 0);
      return Number(satisfied === valuesOf(local.domain).length);
    }
  }
}

/** What an expression is evaluated in. */
export interface Scope {
  readonly state: SystemState;
  readonly locals?: Readonly<Record<string, number>>;
  readonly where?: string;
}

interface MutableScope extends Scope {
  readonly state: Record<string, number[]>;
}

function run(system: System, statements: readonly Statement[], scope: MutableScope): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "assign": {
        const { name, index } = statement.target;
        const place = index === null ? 0 : evaluate(system, index, scope);
        const value = evaluate(system, statement.value, scope);
        const domain = system.variables.find((each) => each.name === name)?.domain;
        const elements = scope.state[name];
        if (domain === undefined || elements === undefined) return failUnbound(name);
        require(scope, `index of ${name}`, place, elements.length - 1);
        require(scope, name, value, maximumOf(domain));
        elements[place] = value;
        break;
      }
      case "if": {
        const holds = evaluate(system, statement.test, scope) === 1;
        run(system, holds ? statement.then : statement.otherwise, scope);
        break;
      }
      case "let": {
        const value = evaluate(system, statement.value, scope);
        require(scope, statement.local.name, value, maximumOf(statement.local.domain));
        run(system, statement.body, binding(scope, statement.local, value));
        break;
      }
      case "for":
        for (const value of valuesOf(statement.local.domain)) {
          run(system, statement.body, binding(scope, statement.local, value));
        }
    }
  }
}

function binding<S extends Scope>(scope: S, local: LocalDeclaration, value: number): S {
  return { ...scope, locals: { ...scope.locals, [local.name]: value } };
}

function element(scope: Scope, name: string, index: number): number {
  const elements = scope.state[name] ?? [];
  require(scope, `index of ${name}`, index, elements.length - 1);
  return elements[index] ?? 0;
}

function lookUp(system: System, name: string, indices: readonly number[], scope: Scope): number {
  const table = system.tables.find((each) => each.name === name);
  let place = 0;
  table?.dimensions.forEach((size, dimension) => {
    const index = indices[dimension] ?? 0;
    require(scope, `index of ${name}`, index, size - 1);
    place = place * size + index;
  });
  return table?.values[place] ?? failUnbound(name);
}

function arithmetic(operator: string, left: number, right: number): number {
  if (operator === "plus") return left + right;
  if (operator === "minus") return left - right;
  return operator === "least" ? Math.min(left, right) : Math.max(left, right);
}

function compare(operator: string, left: number, right: number): boolean {
  if (operator === "equal") return left === right;
  if (operator === "differ") return left !== right;
  return operator === "less" ? left < right : left <= right;
}

function require(scope: Scope, what: string, value: number, max: number): void {
  if (value < 0 || value > max) throw outOfDomain(scope.where ?? "predicate", what, value, max);
}

function failUnbound(name: string): never {
  throw new Error(`${name} is not declared; check the system before interpreting it`);
}

function keepNew(states: Map<string, SystemState>, found: readonly SystemState[]): SystemState[] {
  const fresh: SystemState[] = [];
  for (const state of found) {
    const key = JSON.stringify(state);
    if (states.has(key)) continue;
    states.set(key, state);
    fresh.push(state);
  }
  return fresh;
}

function permutations(size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return permutations(size - 1).flatMap((rest) =>
    Array.from({ length: size }, (_, at) => [...rest.slice(0, at), size - 1, ...rest.slice(at)]),
  );
}
