// How the steps and the states of a system are told to a reader.
import type { SystemState } from "./interpret-system.ts";
import type { Domain, System } from "./system-language.ts";
import { memberName, printValue, type RuleInstance } from "./system-values.ts";

/** A step in words: the rule's telling, filled in from the parameters and the states before and after. */
export function tellStep(
  system: System,
  instance: RuleInstance,
  before: SystemState,
  after: SystemState,
): { readonly actor: string; readonly action: string; readonly detail: string } {
  const { rule, values } = instance;
  const parameters = new Map(rule.parameters.map((each, i) => [each.name, values[i] ?? 0]));
  const valueOf = (name: string, index: string | undefined, state: SystemState) => {
    const parameter = rule.parameters.find((each) => each.name === name);
    if (parameter !== undefined) return printed(parameter.domain, parameters.get(name));
    const variable = system.variables.find((each) => each.name === name);
    const place = index === undefined ? 0 : (parameters.get(index) ?? Number(index));
    return variable === undefined ? null : printed(variable.domain, state[name]?.[place]);
  };
  const fill = (template: string) =>
    template.replace(
      /\{(\w+)(?:\[(\w+)\])?('?)\}/g,
      (text, name: string, index: string | undefined, prime: string) =>
        valueOf(name, index, prime === "" ? before : after) ?? text,
    );
  return {
    actor: fill(rule.tells.actor),
    action: fill(rule.tells.action),
    detail: fill(rule.tells.detail),
  };
}

/** A state field by field; an element of an array is called `phase A`, or `slot 0` where the set is in an order. */
export function tellState(
  system: System,
  state: SystemState,
): Readonly<Record<string, string | number | boolean>> {
  const told: Record<string, string | number | boolean> = {};
  for (const { name, domain, over } of system.variables) {
    const symmetric = system.indexSets.find((each) => each.name === over)?.symmetric === true;
    (state[name] ?? []).forEach((value, element) => {
      const suffix = symmetric ? memberName(element) : String(element);
      told[over === null ? name : `${name} ${suffix}`] = printValue(domain, value);
    });
  }
  return told;
}

function printed(domain: Domain, value: number | undefined): string | null {
  return value === undefined ? null : String(printValue(domain, value));
}
