// The key lifecycle: what a key becomes, and what is to be done, at each event.
import { assign, setup, transition } from "xstate";
import {
  acceptedRecord,
  committedRecord,
  expectRecord,
  isEnded,
  isOwn,
  isSamePayload,
  lateRecord,
  replyOf,
} from "./key-record.ts";
import type { Policy } from "./policy.ts";
import type { KeyCommand, KeyEvent, KeyRecord, KeyReply } from "./vocabulary.ts";

export type KeyLifecycle = ReturnType<typeof createKeyLifecycle>;

export interface KeyDecision {
  /** The record after the event, or null where nothing is kept. */
  readonly record: KeyRecord | null;
  /** What the shell carries out, in this order and in one transaction. */
  readonly commands: readonly KeyCommand[];
}

/** A key's lifecycle decides one event: the machine's next record, and its actions as data. */
export function decide(
  lifecycle: KeyLifecycle,
  record: KeyRecord | null,
  event: KeyEvent,
): KeyDecision {
  const snapshot = lifecycle.resolveState({
    value: record === null ? "absent" : record.status,
    context: { record },
  });
  const [next, actions] = transition(lifecycle, snapshot, event);
  const nextRecord = next.context.record;
  return {
    record: nextRecord,
    commands: actions.flatMap((action) => commandOf(action, nextRecord, event.now)),
  };
}

/**
 * The key lifecycle under a policy: `absent → pending → committed`, back to `absent` by release or
 * expiry. Time is an event's field; a record whose end has come (`now` at or past it) blocks no
 * more, whether or not an alarm has erased it. The rules are the two-phase mutex of seed 000
 * (section 2) and, where the policy says so, owner tokens, fences and deadlines.
 */
export function createKeyLifecycle(policy: Policy) {
  const twoPhase = policy.phases === "two";
  const alarm = { type: "scheduleAlarm", params: { mode: policy.alarm } } as const;
  const unowned = policy.ownerTokens || !twoPhase ? reply("stale") : reply("done");
  return setup({
    types: {
      context: {} as { readonly record: KeyRecord | null },
      events: {} as KeyEvent,
    },
    guards: {
      isEnded: ({ context, event }) => isEnded(context.record, event),
      recordsLate: ({ context, event }) =>
        twoPhase &&
        policy.lateCommit === "record" &&
        (context.record === null || isEnded(context.record, event)),
      erasesEnded: ({ context, event }) =>
        twoPhase && !policy.ownerTokens && isEnded(context.record, event),
      isOtherPayload: ({ context, event }) =>
        policy.fingerprints && !isSamePayload(context.record, event),
      isRepeated: ({ context, event }) => policy.repeatedReserve && isOwn(context.record, event),
      maySettle: ({ context, event }) =>
        twoPhase &&
        (!policy.ownerTokens || (isOwn(context.record, event) && !isEnded(context.record, event))),
      mayEraseCommitted: () => twoPhase && !policy.ownerTokens,
      mayClaim: ({ context, event }) => mayClaim(context.record, event),
    },
    actions: {
      accept: assign(({ event }) => ({ record: acceptedRecord(expectType(event, "RESERVE")) })),
      commit: assign(({ context, event }) => ({
        record: committedRecord(policy, expectRecord(context.record), expectType(event, "COMMIT")),
      })),
      commitLate: assign(({ event }) => ({
        record: lateRecord(policy, expectType(event, "COMMIT")),
      })),
      claim: assign(({ context, event }) => ({
        record: {
          ...expectRecord(context.record),
          claimedBy: expectType(event, "CLAIM").delivery,
        },
      })),
      forget: assign({ record: null }),
      persist: () => {},
      erase: () => {},
      scheduleAlarm: (_, _params: { readonly mode: "earliest" | "replace" }) => {},
      reply: (_, _params: { readonly outcome: KeyReply["outcome"] }) => {},
    },
  }).createMachine({
    id: "key",
    context: { record: null },
    initial: "absent",
    states: {
      absent: {
        on: {
          RESERVE: { target: "pending", actions: ["accept", "persist", alarm, reply("proceed")] },
          CLAIM: { actions: reply("stale") },
          COMMIT: [
            {
              guard: "recordsLate",
              target: "committed",
              actions: ["commitLate", "persist", alarm, reply("done")],
            },
            { actions: unowned },
          ],
          RELEASE: { actions: unowned },
        },
      },
      pending: {
        on: {
          RESERVE: [
            {
              guard: "isEnded",
              target: "pending",
              actions: ["accept", "persist", alarm, reply("proceed")],
            },
            { guard: "isOtherPayload", actions: reply("mismatch") },
            { guard: "isRepeated", actions: reply("proceed") },
            { actions: reply(policy.refusal === "uniform" ? "duplicate" : "in-flight") },
          ],
          CLAIM: [
            { guard: "mayClaim", actions: ["claim", "persist", reply("done")] },
            { actions: reply("stale") },
          ],
          COMMIT: [
            {
              guard: "recordsLate",
              target: "committed",
              actions: ["commitLate", "persist", alarm, reply("done")],
            },
            {
              guard: "erasesEnded",
              target: "absent",
              actions: ["forget", "erase", reply("done")],
            },
            {
              guard: "maySettle",
              target: "committed",
              actions: ["commit", "persist", alarm, reply("done")],
            },
            { actions: reply("stale") },
          ],
          RELEASE: [
            { guard: "maySettle", target: "absent", actions: ["forget", "erase", reply("done")] },
            { actions: reply("stale") },
          ],
          ALARM: { guard: "isEnded", target: "absent", actions: ["forget", "erase"] },
        },
      },
      committed: {
        on: {
          RESERVE: [
            {
              guard: "isEnded",
              target: "pending",
              actions: ["accept", "persist", alarm, reply("proceed")],
            },
            { guard: "isOtherPayload", actions: reply("mismatch") },
            { actions: reply("duplicate") },
          ],
          CLAIM: { actions: reply("stale") },
          COMMIT: [
            {
              guard: "recordsLate",
              target: "committed",
              actions: ["commitLate", "persist", alarm, reply("done")],
            },
            {
              guard: "erasesEnded",
              target: "absent",
              actions: ["forget", "erase", reply("done")],
            },
            { guard: "maySettle", actions: reply("done") },
            { actions: reply("stale") },
          ],
          RELEASE: [
            {
              guard: "mayEraseCommitted",
              target: "absent",
              actions: ["forget", "erase", reply("done")],
            },
            { actions: reply("stale") },
          ],
          ALARM: { guard: "isEnded", target: "absent", actions: ["forget", "erase"] },
        },
      },
    },
  });
}

/** One delivery may execute a queued message: its reservation stands, before its deadline. */
function mayClaim(record: KeyRecord | null, event: KeyEvent): boolean {
  return (
    record !== null &&
    event.type === "CLAIM" &&
    isOwn(record, event) &&
    event.now < record.deadlineAtMs &&
    !isEnded(record, event) &&
    (record.claimedBy === null || record.claimedBy === event.delivery)
  );
}

function reply<Outcome extends KeyReply["outcome"]>(outcome: Outcome) {
  return { type: "reply", params: { outcome } } as const;
}

interface NamedAction {
  readonly type: string;
  readonly params: unknown;
}

function commandOf(action: NamedAction, record: KeyRecord | null, now: number): KeyCommand[] {
  switch (action.type) {
    case "persist":
      return [{ type: "persist", record: expectRecord(record) }];
    case "erase":
      return [{ type: "erase" }];
    case "scheduleAlarm": {
      const { mode } = action.params as { readonly mode: "earliest" | "replace" };
      return [{ type: "scheduleAlarm", atMs: expectRecord(record).expiresAtMs, mode }];
    }
    case "reply": {
      const { outcome } = action.params as { readonly outcome: KeyReply["outcome"] };
      return [{ type: "reply", reply: replyOf(outcome, record, now) }];
    }
    default:
      throw new Error(`the key lifecycle emitted an unknown action: type=${action.type}`);
  }
}

function expectType<Type extends KeyEvent["type"]>(event: KeyEvent, type: Type) {
  if (event.type !== type) throw new Error(`expected type=${type}, got type=${event.type}`);
  return event as Extract<KeyEvent, { readonly type: Type }>;
}
