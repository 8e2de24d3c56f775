// How many values a domain has, how they are printed, and how a rule's parameters are unrolled.
import type {
  Domain,
  Expression,
  LocalDeclaration,
  Rule,
  System,
  VariableDeclaration,
} from "./system-language.ts";

/** Largest value that a domain may have: a field of a packed state then has at most 16 bits. */
export const largestValue = 65_535;

/** The largest integer of the domain; nobody is the largest of a `member` domain that has it. */
export function maximumOf(domain: Domain): number {
  switch (domain.kind) {
    case "flag":
      return 1;
    case "range":
      return domain.max;
    case "named":
      return domain.values.length - 1;
    case "member":
      return domain.none === null ? domain.size - 1 : domain.size;
  }
}

/** All values of a domain that a parameter or a quantifier ranges over, nobody excluded. */
export function valuesOf(domain: Domain): readonly number[] {
  const length = domain.kind === "member" ? domain.size : maximumOf(domain) + 1;
  return Array.from({ length }, (_, value) => value);
}

/** A value as a reader wants it: a name, a letter for a member, else the number itself. */
export function printValue(domain: Domain, value: number): string | number | boolean {
  switch (domain.kind) {
    case "flag":
      return value === 1;
    case "range":
      return value;
    case "named":
      return domain.values[value] ?? value;
    case "member":
      return value < domain.size ? memberName(value) : (domain.none ?? value);
  }
}

/** A, B, C … for the members of a set. */
export function memberName(member: number): string {
  return member < 26 ? String.fromCodePoint(65 + member) : `#${member}`;
}

/** One rule with all its parameters given. Its place in the list is the number of the action. */
export interface RuleInstance {
  readonly action: number;
  readonly rule: Rule;
  /** The parameters' values, in the order of the rule's parameters. */
  readonly values: readonly number[];
}

export function ruleInstances(system: System): readonly RuleInstance[] {
  const instances: RuleInstance[] = [];
  for (const rule of system.rules) {
    for (const values of combinations(rule.parameters)) {
      instances.push({ action: instances.length, rule, values });
    }
  }
  return instances;
}

/** Every combination of values; the last parameter changes fastest. */
export function combinations(
  parameters: readonly LocalDeclaration[],
): readonly (readonly number[])[] {
  let rows: (readonly number[])[] = [[]];
  for (const { domain } of parameters) {
    rows = rows.flatMap((row) => valuesOf(domain).map((value) => [...row, value]));
  }
  return rows;
}

/** How many elements the variable has: 1, or the size of its index set. */
export function lengthOf(system: System, variable: VariableDeclaration): number {
  if (variable.over === null) return 1;
  const set = system.indexSets.find((each) => each.name === variable.over);
  return set?.size ?? 0;
}

/** The scalarset of the system, or null. */
export function symmetricSet(system: System) {
  return system.indexSets.find((each) => each.symmetric) ?? null;
}

/** The values of one initial state: variable name to its elements. */
export function initialValues(system: System): readonly Record<string, readonly number[]>[] {
  return system.initialStates.map((overrides) =>
    Object.fromEntries(
      system.variables.map((variable) => {
        const given = overrides[variable.name] ?? variable.initial;
        const length = lengthOf(system, variable);
        const values = typeof given === "number" ? Array.from({ length }, () => given) : given;
        return [variable.name, values];
      }),
    ),
  );
}

/** Thrown when a step leaves a domain; a defect of the system that is being judged, never a verdict on it. */
export class SystemError extends Error {
  override readonly name = "SystemError";
}

/** Thrown where a system without faults is past a bound of the engine; its own bounds, lowered, would do. */
export class SystemTooLarge extends SystemError {
  /** Which bound, with both numbers. */
  readonly bound: string;

  constructor(system: string, bound: string) {
    super(`${system}: ${bound}; lower the bounds`);
    this.bound = bound;
  }
}

/** The one line that both the interpreter and the compiled model throw. */
export function outOfDomain(where: string, what: string, value: number, max: number): SystemError {
  return new SystemError(
    `${where}: ${what}=${value} is outside 0..${max}; widen its domain or strengthen the guard`,
  );
}

/** The kinds of value that never mix. Members of sets in an order are plain numbers. */
export function kindOf(domain: Domain, system: System): string {
  if (domain.kind === "flag") return "boolean";
  if (domain.kind !== "member") return "number";
  return symmetricSet(system)?.name === domain.set ? `member of ${domain.set}` : "number";
}

/** Every expression directly inside another. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "constant":
    case "none":
    case "local":
      return [];
    case "variable":
      return expression.index === null ? [] : [expression.index];
    case "table":
      return expression.indices;
    case "arithmetic":
    case "compare":
      return [expression.left, expression.right];
    case "and":
    case "or":
      return expression.operands;
    case "not":
      return [expression.operand];
    case "choose":
      return [expression.test, expression.then, expression.otherwise];
    case "every":
    case "some":
    case "count":
      return [expression.body];
  }
}
