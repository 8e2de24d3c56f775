// Walks a saved witness again: each of its actions from the initial state, and what broke at its end.
import type { CounterexampleStep, WitnessPlan } from "../results.ts";
import { compileSystem } from "./compile-system.ts";
import { stepsOf } from "./judge-exhaustively.ts";
import { latchkeySystem } from "./latchkey-system.ts";
import type { PackedModel } from "./model.ts";
import { scenarios } from "./scenarios.ts";

export type WitnessRerun =
  | { readonly kind: "reproduced"; readonly steps: readonly CounterexampleStep[] }
  | {
      readonly kind: "not-reproduced";
      readonly steps: readonly CounterexampleStep[];
      /** One line: where the path ended. */
      readonly because: string;
    }
  | { readonly kind: "unknown-scenario"; readonly known: readonly string[] };

/** The witness of an invariant under a policy, on the system as it is compiled now. */
export function rerunWitness(
  policy: string,
  invariant: string,
  { scenario: id, actions }: WitnessPlan,
): WitnessRerun {
  const own = scenarios.filter(({ options }) => options.policy.name === policy);
  const scenario = own.find((each) => each.id === id);
  if (scenario === undefined) {
    return { kind: "unknown-scenario", known: own.map((each) => each.id) };
  }
  const model = compileSystem(latchkeySystem(scenario.options), { symmetry: false });
  const states = walk(model, actions);
  const taken = actions.slice(0, states.length - 1);
  const steps = stepsOf(model, { states, actions: taken, loopsTo: null });
  if (taken.length < actions.length) {
    const because = `action ${actions[taken.length]} is not possible after step ${taken.length}`;
    return { kind: "not-reproduced", steps, because };
  }
  const bit = model.properties.findIndex((each) => each.id === invariant && each.kind === "always");
  const end = states.at(-1);
  if (bit >= 0 && end !== undefined && ((model.marks(end, 0) >>> bit) & 1) === 1) {
    return { kind: "reproduced", steps };
  }
  return { kind: "not-reproduced", steps, because: `${invariant} is not broken at its end` };
}

/** As many states as the actions lead through; fewer than asked where one is not possible. */
function walk(model: PackedModel, actions: readonly number[]): readonly Uint32Array[] {
  const { words } = model;
  const successors = new Uint32Array(model.maxSuccessors * words);
  const taken = new Uint32Array(model.maxSuccessors);
  const states = [model.initial().slice(0, words)];
  for (const action of actions) {
    const state = states.at(-1);
    if (state === undefined) break;
    const count = model.expand(state, 0, successors, 0, taken);
    const place = taken.subarray(0, count).indexOf(action);
    if (place < 0) break;
    states.push(successors.slice(place * words, (place + 1) * words));
  }
  return states;
}
