// The key lifecycle as tables of the system language, and what of a record they are asked with.
import {
  type KeyCase,
  type KeyCaseDecision,
  claimKinds,
  keyCases,
  recordChanges,
  recordKinds,
  storeReplies,
} from "../../model/key-table.ts";
import { events } from "./latchkey-phases.ts";
import { type LatchkeyState, records } from "./latchkey-state.ts";
import { type Table, range, table } from "./system-builders.ts";
import { type Operand, atMost, choose, equal, nobody } from "./system-expressions.ts";
import type { Expression } from "./system-language.ts";

/**
 * The lifecycle's table, cut by call; indices are the record's kind, whether it is the caller's own, and so on.
 * An alias, of which `Object.values` keeps the type; of an interface it does not.
 */
export type StoreTables = {
  readonly reserveReply: Table;
  readonly reserveChange: Table;
  readonly commitReply: Table;
  readonly commitChange: Table;
  readonly releaseReply: Table;
  readonly releaseChange: Table;
  readonly claimReply: Table;
};

/** A reserve's reply as the event that it is for the attempt. */
const replyEvents: readonly number[] = storeReplies.map((reply) => {
  switch (reply) {
    case "proceed":
    case "in-flight":
    case "in-doubt":
    case "duplicate":
    case "mismatch":
      return numberOfEvent(`RESERVE-${reply}`);
    // Never said to a reserve.
    case "done":
    case "stale":
      return 0;
  }
});

export function numberOfEvent(name: `RESERVE-${string}`): number {
  const found = events.number[name];
  if (found === undefined) throw new Error(`no such event: ${name}`);
  return found;
}

export const changeOf = numbering(recordChanges);

export const replyOf = numbering(storeReplies);

function numbering<const Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, place) => [name, place])) as Record<Name, number>;
}

/** The tables of these decisions, which answer to `keyCases`. Throws where they do not count time as the system does. */
export function storeTables(
  state: LatchkeyState,
  decisions: readonly KeyCaseDecision[],
): StoreTables {
  decisions.forEach((decision, place) => expectArithmetic(state, keyCases[place], decision));
  const entry = (wanted: KeyCase) => {
    const place = keyCases.findIndex((each) => isSameCase(each, wanted));
    const decision = decisions[place];
    if (!decision) throw new Error("the key table lacks a case");
    return decision;
  };
  const kindOf = (record: number) => recordKinds[record] ?? "absent";
  const reserve = (record = 0, own = 0, same = 0) =>
    entry({
      record: kindOf(record),
      call: "reserve",
      isOwn: own === 1,
      samePayload: same === 1,
      claim: "unclaimed",
    });
  const settle = (call: "commit" | "release", record = 0, own = 0) =>
    entry({
      record: kindOf(record),
      call,
      isOwn: own === 1,
      samePayload: true,
      claim: "unclaimed",
    });
  const reply = range(storeReplies.length - 1);
  const change = range(recordChanges.length - 1);
  return {
    reserveReply: table(
      "reserveReply",
      [4, 2, 2],
      events,
      (...at) => replyEvents[replyOf[reserve(...at).reply]] ?? 0,
    ),
    reserveChange: table(
      "reserveChange",
      [4, 2, 2],
      change,
      (...at) => changeOf[reserve(...at).change],
    ),
    commitReply: table(
      "commitReply",
      [4, 2],
      reply,
      (...at) => replyOf[settle("commit", ...at).reply],
    ),
    commitChange: table(
      "commitChange",
      [4, 2],
      change,
      (...at) => changeOf[settle("commit", ...at).change],
    ),
    releaseReply: table(
      "releaseReply",
      [4, 2],
      reply,
      (...at) => replyOf[settle("release", ...at).reply],
    ),
    releaseChange: table(
      "releaseChange",
      [4, 2],
      change,
      (...at) => changeOf[settle("release", ...at).change],
    ),
    claimReply: table(
      "claimReply",
      [4, 2, 3],
      reply,
      (record = 0, own = 0, claim = 0) =>
        replyOf[
          entry({
            record: kindOf(record),
            call: "claim",
            isOwn: own === 1,
            samePayload: true,
            claim: claimKinds[claim] ?? "unclaimed",
          }).reply
        ],
    ),
  };
}

/**
 * Ends, deadlines and fences are numbers, not entries of a table: the system counts them itself, and
 * here it makes sure that it does what the lifecycle does.
 */
function expectArithmetic(
  { options }: LatchkeyState,
  at: KeyCase | undefined,
  { change, end, deadline, fence }: KeyCaseDecision,
): void {
  const found = [end, deadline, fence].join(" ");
  const renews = options.policy.retentionFrom === "commit" ? "retention" : "kept";
  const expected = {
    kept: at?.record === "absent" ? "none none none" : "kept kept kept",
    accepted: "pending deadline next",
    claimed: "kept kept kept",
    committed: at?.record === "absent" ? "retention now zero" : `${renews} kept kept`,
    erased: "none none none",
  }[change];
  if (found === expected) return;
  throw new Error(
    `the system counts otherwise than the key lifecycle: record=${at?.record} call=${at?.call} change=${change} end, deadline, fence=${found} expected=${expected}; change latchkey-store.ts with it`,
  );
}

function isSameCase(one: KeyCase, other: KeyCase): boolean {
  return (
    one.record === other.record &&
    one.call === other.call &&
    one.isOwn === other.isOwn &&
    one.samePayload === other.samePayload &&
    one.claim === other.claim
  );
}

/** The record's kind for the tables. A pending record's deadline passes that much before its end. */
export function recordKind(state: LatchkeyState, key: Operand): Expression {
  return choose(
    equal(state.record.at(key), records.of.absent),
    0,
    choose(
      equal(state.record.at(key), records.of.committed),
      3,
      choose(isPastDeadline(state, key), 2, 1),
    ),
  );
}

function isPastDeadline(state: LatchkeyState, key: Operand): Expression {
  const { deadline } = state.options.times;
  return atMost(state.endsIn.at(key), Math.max(0, state.pending - deadline));
}

export function isOwn(state: LatchkeyState, key: Operand, attempt: Expression): Expression {
  return choose(equal(state.holder.at(key), attempt), 1, 0);
}

export function isSamePayload(state: LatchkeyState, key: Operand, attempt: Expression): Expression {
  const { other, holder, attempts } = state;
  if (!other || state.options.keys !== "client") return choose(true, 1, 0);
  return choose(
    equal(holder.at(key), nobody(attempts)),
    1,
    choose(equal(other.at(holder.at(key)), other.at(attempt)), 1, 0),
  );
}
