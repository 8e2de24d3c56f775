// The system: attempts, one key, downstream, queue, clocks and faults under a policy, written in the system language.
import { attemptRules } from "./latchkey-attempts.ts";
import { forgetAttempt, isWaiting } from "./latchkey-steps.ts";
import { clockRules } from "./latchkey-clocks.ts";
import { downstreamRules, isRefusedByFence } from "./latchkey-downstream.ts";
import { type ConsumerTable, deriveConsumerTable } from "../../model/consumer-table.ts";
import { deriveGatewayTable, type GatewayTable } from "../../model/gateway-table.ts";
import { deriveKeyTable, type KeyCaseDecision } from "../../model/key-table.ts";
import type { LatchkeyOptions } from "./latchkey-options.ts";
import { eventNames, goesOnUnreserved, phases, phaseTables } from "./latchkey-phases.ts";
import { propertiesOf } from "./latchkey-properties.ts";
import { queueRules } from "./latchkey-queue.ts";
import {
  broken,
  createState,
  deliveries,
  messages,
  records,
  variablesOf,
  type LatchkeyState,
} from "./latchkey-state.ts";
import { storeTables } from "./latchkey-store-tables.ts";
import { assign, forEach, system, when } from "./system-builders.ts";
import {
  and,
  choose,
  differ,
  equal,
  every,
  greater,
  not,
  oneOf,
  or,
} from "./system-expressions.ts";
import type { Expression, Statement, System } from "./system-language.ts";

/**
 * The system of one configuration. A history ends where an invariant that is watched on the way
 * breaks: what follows has no shorter witness. It also ends where nothing is left to happen.
 */
export function latchkeySystem(
  options: LatchkeyOptions,
  machines: Machines = machinesOf(options),
): System {
  const phase = phaseTables(machines.attempt);
  const unreserved = eventNames.some((event) => goesOnUnreserved(phase, event));
  const state = createState(options, unreserved);
  const store = storeTables(state, machines.key);
  const parts = { state, phase, store, delivery: machines.delivery };
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
      body: [...each.body, ...forgetRefusedCalls(state), ...forgetFences(state)],
    })),
    properties: propertiesOf(state),
    end: isOver(state),
  });
}

/** What the machines decide, as tables; a test puts others in their place. */
export interface Machines {
  readonly attempt: GatewayTable;
  readonly key: readonly KeyCaseDecision[];
  readonly delivery: ConsumerTable;
}

export function machinesOf({ policy, mode }: LatchkeyOptions): Machines {
  return {
    attempt: deriveGatewayTable(policy, mode),
    key: deriveKeyTable(policy),
    delivery: deriveConsumerTable(policy),
  };
}

/** A history may end where an invariant broke, or where nobody waits and nothing is under way. */
function isOver(state: LatchkeyState): Expression {
  const { attempts, reserves, dispatches, commits, releases, message, slots, options } = state;
  // A store of one phase serves neither commit nor release: they stay under way for ever.
  const counts =
    options.policy.phases === "one"
      ? [reserves, dispatches]
      : [reserves, dispatches, commits, releases];
  const isQuiet = (a: Expression) =>
    and(
      not(isWaiting(state, a)),
      ...counts.map((count) => equal(count.at(a), 0)),
      ...(message ? [differ(message.at(a), messages.of.queued)] : []),
      ...slots.map((slot) =>
        not(oneOf(slot.at(a), [deliveries.of.checking, deliveries.of.executing])),
      ),
    );
  return or(differ(state.broken, broken.of.nothing), every("q", attempts, isQuiet));
}

/**
 * Fences are compared with each other and with the highest that downstream saw, nothing else: while
 * no attempt carries one, a pending record's is 1, nothing was seen, and the count begins again.
 * (The pending record's own can be asked for only by a holder that still waits: nobody has seen it.)
 */
function forgetFences(state: LatchkeyState): readonly Statement[] {
  const { fence, lastFence, seenFence, record, attempts, keys } = state;
  if (!fence || !lastFence || !seenFence) return [];
  return [
    when(
      every("f", attempts, (f) => equal(fence.at(f), 0)),
      [
        forEach("g", keys, (g) => [
          assign(lastFence.at(g), choose(equal(record.at(g), records.of.pending), 1, 0)),
          assign(seenFence.at(g), 0),
        ]),
      ],
    ),
  ];
}

/** A call that nobody waits for and that its fence refuses does nothing when it arrives. */
function forgetRefusedCalls(state: LatchkeyState): readonly Statement[] {
  const { fence, dispatches, phase, attempts } = state;
  if (!fence) return [];
  return [
    forEach("f", attempts, (f) => [
      when(
        and(
          greater(dispatches.at(f), 0),
          differ(phase.at(f), phases.of.dispatched),
          isRefusedByFence(state, f),
        ),
        [assign(dispatches.at(f), 0), ...forgetAttempt(state, f)],
      ),
    ]),
  ];
}
