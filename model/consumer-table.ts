// The queue consumer as a table: every state × every event, derived from the machine.
import {
  createQueueConsumer,
  decideDelivery,
  type ConsumerDecision,
  type ConsumerEvent,
  type ConsumerState,
} from "./queue-consumer.ts";
import { attemptEvents } from "./gateway-table.ts";
import type { Policy } from "./policy.ts";

export type ConsumerTable = Readonly<Record<ConsumerState, readonly ConsumerDecision[]>>;

export const consumerStates: readonly ConsumerState[] = [
  "delivered",
  "guarded",
  "executing",
  "committing",
  "releasing",
  "finished",
];

/** Every event that the world can have for a delivery. */
export const consumerEvents: readonly ConsumerEvent[] = [
  ...(["in-time", "late"] as const).map((result) => ({ type: "DELIVERY", result }) as const),
  ...(["granted", "denied", "unanswered"] as const).map(
    (result) => ({ type: "GUARD", result }) as const,
  ),
  ...attemptEvents.filter((event) => event.type === "OUTCOME" || event.type === "SETTLEMENT"),
];

/** Asks the machine about every event in every state; `table[state][i]` answers `consumerEvents[i]`. */
export function deriveConsumerTable(policy: Policy): ConsumerTable {
  const machine = createQueueConsumer(policy);
  const row = (state: ConsumerState) =>
    consumerEvents.map((event) => decideDelivery(machine, state, event));
  return {
    delivered: row("delivered"),
    guarded: row("guarded"),
    executing: row("executing"),
    committing: row("committing"),
    releasing: row("releasing"),
    finished: row("finished"),
  };
}

/** What the table says of an event in a state. */
export function lookUpDelivery(
  table: ConsumerTable,
  state: ConsumerState,
  event: ConsumerEvent,
): ConsumerDecision {
  const column = consumerEvents.findIndex(
    ({ type, result }) => type === event.type && result === event.result,
  );
  const decision = table[state][column];
  if (!decision) throw new Error(`the consumer table does not know this: event=${event.type}`);
  return decision;
}
