// The system: attempts, one key, downstream, queue, clocks and faults under a policy, written in the system language.
import { attemptRules } from "./latchkey-attempts.ts";
import { clockRules } from "./latchkey-clocks.ts";
import { downstreamRules } from "./latchkey-downstream.ts";
import type { LatchkeyOptions } from "./latchkey-options.ts";
import { phaseTables } from "./latchkey-phases.ts";
import { propertiesOf } from "./latchkey-properties.ts";
import { queueRules } from "./latchkey-queue.ts";
import { broken, createState, variablesOf } from "./latchkey-state.ts";
import { storeTables } from "./latchkey-store.ts";
import { system } from "./system-builders.ts";
import { and, equal } from "./system-expressions.ts";
import type { System } from "./system-language.ts";

/**
 * The system of one configuration. A history ends where an invariant that is watched on the way
 * breaks: what follows has no shorter witness. It also ends where nothing is left to happen.
 */
export function latchkeySystem(options: LatchkeyOptions): System {
  const state = createState(options);
  const phase = phaseTables(options);
  const store = storeTables(state);
  const parts = { state, phase, store };
  const rules = [
    ...attemptRules(parts),
    ...downstreamRules(parts),
    ...queueRules(parts),
    ...clockRules(parts),
  ];
  return system({
    name: options.name,
    indexSets: [state.attempts, state.keys],
    tables: [phase.next, ...Object.values(phase.makes), ...Object.values(store)],
    variables: variablesOf(state),
    rules: rules.map((each) => ({
      ...each,
      guard: and(equal(state.broken, broken.of.nothing), each.guard),
    })),
    properties: propertiesOf(state),
    end: true,
  });
}
