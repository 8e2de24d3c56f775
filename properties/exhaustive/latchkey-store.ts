// What the store does with a call: the key lifecycle's table, applied to the record, and the observers that watch it.
import {
  claimKinds,
  deriveKeyTable,
  keyCases,
  recordChanges,
  recordKinds,
  storeReplies,
  type KeyCase,
} from "../../model/key-table.ts";
import { budgetOf, isWatched, type WatchedInvariant } from "./latchkey-options.ts";
import { events, refusedPhases, waitingPhases, phases } from "./latchkey-phases.ts";
import {
  broken,
  claims,
  deliveries,
  holds,
  keyOfAttempt,
  messages,
  records,
  type LatchkeyState,
} from "./latchkey-state.ts";
import { assign, range, table, when, withLocal, type Table } from "./system-builders.ts";
import {
  and,
  atMost,
  choose,
  differ,
  equal,
  greater,
  greatest,
  minus,
  nobody,
  not,
  oneOf,
  or,
  plus,
  type Operand,
} from "./system-expressions.ts";
import type { Expression, Statement } from "./system-language.ts";

/** The lifecycle's table, cut by call; indices are the record's kind, whether it is the caller's own, and so on. */
export interface StoreTables {
  readonly reserveReply: Table;
  readonly reserveChange: Table;
  readonly commitReply: Table;
  readonly commitChange: Table;
  readonly releaseReply: Table;
  readonly releaseChange: Table;
  readonly claimReply: Table;
}

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

function numberOfEvent(name: `RESERVE-${string}`): number {
  const found = events.number[name];
  if (found === undefined) throw new Error(`no such event: ${name}`);
  return found;
}

export const changeOf = numbering(recordChanges);
export const replyOf = numbering(storeReplies);

function numbering<const Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, place) => [name, place])) as Record<Name, number>;
}

export function storeTables(state: LatchkeyState): StoreTables {
  const decisions = deriveKeyTable(state.options.policy);
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

export function isPastDeadline(state: LatchkeyState, key: Operand): Expression {
  const { deadline } = state.options.times;
  return atMost(state.endsIn.at(key), Math.max(0, state.pending - deadline));
}

export function isOwn(state: LatchkeyState, key: Operand, attempt: Expression): Expression {
  return choose(equal(state.holder.at(key), attempt), 1, 0);
}

function isSamePayload(state: LatchkeyState, key: Operand, attempt: Expression): Expression {
  const { other, holder, attempts } = state;
  if (!other || state.options.keys !== "client") return choose(true, 1, 0);
  return choose(
    equal(holder.at(key), nobody(attempts)),
    1,
    choose(equal(other.at(holder.at(key)), other.at(attempt)), 1, 0),
  );
}

/**
 * The store serves a reserve; `reply` continues with the event that the answer is for the attempt.
 * `heard`: the answer reaches an attempt that waits for it, so that its refusal is one that is sent.
 */
export function serveReserve(
  state: LatchkeyState,
  tables: StoreTables,
  attempt: Expression,
  heard: Operand,
  reply: (event: Expression) => readonly Statement[],
): readonly Statement[] {
  const key = keyOfAttempt(state, attempt);
  const kind = recordKind(state, key);
  const own = isOwn(state, key, attempt);
  const same = isSamePayload(state, key, attempt);
  return [
    withLocal("said", events, tables.reserveReply.at(kind, own, same), (said) => [
      ...watchReserve(state, key, attempt, heard, said),
      when(
        equal(tables.reserveChange.at(kind, own, same), changeOf.accepted),
        accept(state, key, attempt),
      ),
      ...reply(said),
    ]),
  ];
}

function accept(state: LatchkeyState, key: Operand, attempt: Expression): readonly Statement[] {
  const { record, holder, endsIn, claimedBy, lastFence, pending } = state;
  return [
    ...watchAcceptance(state, key, attempt),
    assign(record.at(key), records.of.pending),
    assign(holder.at(key), attempt),
    assign(endsIn.at(key), pending),
    ...(claimedBy ? [assign(claimedBy.at(key), claims.of.nobody)] : []),
    ...(lastFence ? [assign(lastFence.at(key), plus(lastFence.at(key), 1))] : []),
  ];
}

/**
 * What an attempt takes from a `proceed`: fence and deadline, as the store stamped them or, in an
 * ablation, from now. At the very deadline downstream still acts (it refuses an effect *after* it):
 * that is why the count is one more, and why a pending time that is one tick shorter is too short.
 */
export function takeProceed(state: LatchkeyState, attempt: Expression): readonly Statement[] {
  const { fence, effectBy, lastFence, endsIn, pending, options } = state;
  const key = keyOfAttempt(state, attempt);
  const { deadline, lag } = options.times;
  const left =
    options.policy.deadlineFrom === "receipt"
      ? deadline + lag + 1
      : greatest(0, minus(endsIn.at(key), pending - deadline - lag - 1));
  return [
    ...(fence && lastFence ? [assign(fence.at(attempt), lastFence.at(key))] : []),
    ...(effectBy ? [assign(effectBy.at(attempt), left)] : []),
  ];
}

/** The store serves a commit of the attempt. */
export function serveCommit(
  state: LatchkeyState,
  tables: StoreTables,
  attempt: Expression,
): readonly Statement[] {
  const key = keyOfAttempt(state, attempt);
  const kind = recordKind(state, key);
  const own = isOwn(state, key, attempt);
  const { record, holder, endsIn, retention, options } = state;
  const fromCommit = options.policy.retentionFrom === "commit";
  const change = tables.commitChange.at(kind, own);
  return [
    ...watchSettlement(state, key, attempt, tables.commitReply.at(kind, own), change),
    ...watchCommit(state, key, attempt, tables.commitReply.at(kind, own)),
    withLocal("change", range(recordChanges.length - 1), change, (changed) => [
      when(equal(changed, changeOf.committed), [
        when(equal(record.at(key), records.of.absent), [
          assign(holder.at(key), attempt),
          assign(endsIn.at(key), retention),
        ]),
        ...(fromCommit ? [assign(endsIn.at(key), retention)] : []),
        assign(record.at(key), records.of.committed),
      ]),
      when(equal(changed, changeOf.erased), erase(state, key)),
    ]),
  ];
}

/** The store serves a release of the attempt. */
export function serveRelease(
  state: LatchkeyState,
  tables: StoreTables,
  attempt: Expression,
): readonly Statement[] {
  const key = keyOfAttempt(state, attempt);
  const kind = recordKind(state, key);
  const own = isOwn(state, key, attempt);
  const reply = tables.releaseReply.at(kind, own);
  const change = tables.releaseChange.at(kind, own);
  return [
    ...watchSettlement(state, key, attempt, reply, change),
    ...watchRelease(state, key, attempt, reply),
    when(equal(change, changeOf.erased), erase(state, key)),
  ];
}

/** The record is gone: by release, by its end, or (amnesia) because the store forgot. */
export function erase(state: LatchkeyState, key: Operand): readonly Statement[] {
  const { record, holder, endsIn, claimedBy, attempts } = state;
  return [
    assign(record.at(key), records.of.absent),
    assign(holder.at(key), nobody(attempts)),
    assign(endsIn.at(key), 0),
    ...(claimedBy ? [assign(claimedBy.at(key), claims.of.nobody)] : []),
  ];
}

/** Notes the first invariant that breaks; the history ends there. */
export function breaks(state: LatchkeyState, invariant: WatchedInvariant): readonly Statement[] {
  return isWatched(state.options, invariant)
    ? [when(equal(state.broken, broken.of.nothing), [assign(state.broken, broken.of[invariant])])]
    : [];
}

function breaksIf(
  state: LatchkeyState,
  invariant: WatchedInvariant,
  test: Operand,
): readonly Statement[] {
  return isWatched(state.options, invariant) ? [when(test, breaks(state, invariant))] : [];
}

function watchReserve(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  heard: Operand,
  said: Expression,
): readonly Statement[] {
  const { record, holder, releasedLast, attempts } = state;
  const is = (name: `RESERVE-${string}`) => equal(said, numberOfEvent(name));
  const another = and(
    differ(holder.at(key), nobody(attempts)),
    differ(holder.at(key), attempt),
    equal(isSamePayload(state, key, attempt), 1),
  );
  const refused = or(is("RESERVE-in-flight"), is("RESERVE-in-doubt"), is("RESERVE-duplicate"));
  const untrue = or(not(another), and(is("RESERVE-duplicate"), not(livesOn(state, key))));
  const ownPending = and(equal(record.at(key), records.of.pending), equal(holder.at(key), attempt));
  return [
    ...breaksIf(state, "truthful-refusal", and(heard, refused, untrue)),
    ...breaksIf(
      state,
      "mismatch",
      and(
        differ(holder.at(key), nobody(attempts)),
        equal(isSamePayload(state, key, attempt), 0),
        not(is("RESERVE-mismatch")),
      ),
    ),
    ...breaksIf(
      state,
      "record-blocks",
      and(
        differ(holder.at(key), nobody(attempts)),
        differ(holder.at(key), attempt),
        is("RESERVE-proceed"),
      ),
    ),
    ...breaksIf(state, "lost-replies-heal", and(ownPending, not(is("RESERVE-proceed")))),
    ...(releasedLast
      ? [
          ...breaksIf(
            state,
            "release-on-soft-fail",
            and(releasedLast.at(key), not(is("RESERVE-proceed"))),
          ),
          assign(releasedLast.at(key), false),
        ]
      : []),
  ];
}

/** Whether the effect of the record's holder happened or still may. */
function livesOn(state: LatchkeyState, key: Operand): Expression {
  const { holder, attempts, executed, phase, dispatches, message, slots } = state;
  const by = holder.at(key);
  const running = slots.map((slot) =>
    oneOf(slot.at(by), [deliveries.of.checking, deliveries.of.executing]),
  );
  return and(
    differ(by, nobody(attempts)),
    or(
      executed.at(by),
      oneOf(
        phase.at(by),
        [...waitingPhases, "executed" as const].map((name) => phases.of[name]),
      ),
      greater(dispatches.at(by), 0),
      ...(message ? [equal(message.at(by), messages.of.queued)] : []),
      ...running,
    ),
  );
}

function watchAcceptance(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
): readonly Statement[] {
  const { hold, holdBy, holdFor, blocksFor, collidesFor, collidesBy } = state;
  const statements: Statement[] = [];
  if (hold && holdBy && holdFor) {
    const held = and(equal(hold.at(key), holds.of.open), greater(holdFor.at(key), 0));
    statements.push(
      ...breaksIf(state, "exclusion", held),
      ...breaksIf(state, "acceptance", greater(holdFor.at(key), 0)),
      assign(hold.at(key), holds.of.open),
      assign(holdBy.at(key), attempt),
      assign(holdFor.at(key), state.pending),
    );
  }
  if (blocksFor) {
    statements.push(...breaksIf(state, "committed-blocks", greater(blocksFor.at(key), 0)));
  }
  if (collidesFor && collidesBy) {
    statements.push(
      ...breaksIf(state, "collides-within-retention", greater(collidesFor.at(key), 0)),
      assign(collidesFor.at(key), state.options.times.retention),
      assign(collidesBy.at(key), attempt),
    );
  }
  return statements;
}

function watchSettlement(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  reply: Expression,
  change: Expression,
): readonly Statement[] {
  const { holder, attempts } = state;
  return breaksIf(
    state,
    "ownership",
    and(
      differ(holder.at(key), nobody(attempts)),
      differ(holder.at(key), attempt),
      or(differ(reply, replyOf.stale), differ(change, changeOf.kept)),
    ),
  );
}

function watchCommit(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  reply: Expression,
): readonly Statement[] {
  const { hold, holdBy, holdFor, blocksFor, releasedLast, record, holder } = state;
  const statements: Statement[] = [];
  if (hold && holdBy && holdFor) {
    // A commit that is repeated extends nothing; one that comes while another holds takes nothing from it.
    const counts = or(
      atMost(holdFor.at(key), 0),
      and(equal(holdBy.at(key), attempt), equal(hold.at(key), holds.of.open)),
    );
    statements.push(
      when(counts, [
        assign(hold.at(key), holds.of.committed),
        assign(holdBy.at(key), attempt),
        assign(holdFor.at(key), state.retention),
      ]),
    );
  }
  if (blocksFor) {
    const repeated = and(
      equal(record.at(key), records.of.committed),
      equal(holder.at(key), attempt),
    );
    statements.push(when(not(repeated), [assign(blocksFor.at(key), state.retention)]));
  }
  if (releasedLast) statements.push(assign(releasedLast.at(key), false));
  return statements.length === 0 ? [] : [when(equal(reply, replyOf.done), statements)];
}

function watchRelease(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  reply: Expression,
): readonly Statement[] {
  const { hold, holdBy, holdFor, collidesFor, collidesBy, releasedLast, record, holder } = state;
  const statements: Statement[] = [];
  if (hold && holdBy && holdFor) {
    statements.push(
      when(equal(holdBy.at(key), attempt), [
        assign(hold.at(key), holds.of.none),
        assign(holdBy.at(key), nobody(state.attempts)),
        assign(holdFor.at(key), 0),
      ]),
    );
  }
  if (collidesFor && collidesBy) {
    statements.push(
      when(equal(collidesBy.at(key), attempt), [
        assign(collidesFor.at(key), 0),
        assign(collidesBy.at(key), nobody(state.attempts)),
      ]),
    );
  }
  if (releasedLast) {
    statements.push(
      when(and(equal(record.at(key), records.of.pending), equal(holder.at(key), attempt)), [
        assign(releasedLast.at(key), true),
      ]),
    );
  }
  return statements.length === 0 ? [] : [when(equal(reply, replyOf.done), statements)];
}

/** Watches an effect: too close to another, without a reservation, or after a refusal. */
export function watchExecution(state: LatchkeyState, attempt: Expression): readonly Statement[] {
  const { quietFor, permitted, phase, options } = state;
  const unreserved = permitted ? permitted.at(attempt) : false;
  return [
    ...breaksIf(
      state,
      "fail-closed",
      or(unreserved, oneOf(phase.at(attempt), [phases.of.unavailable, phases.of.refused])),
    ),
    ...breaksIf(
      state,
      "truthful-answer",
      oneOf(
        phase.at(attempt),
        refusedPhases.map((name) => phases.of[name]),
      ),
    ),
    ...(quietFor
      ? [
          ...breaksIf(state, "execution", greater(quietFor, 0)),
          assign(quietFor, options.times.retention),
        ]
      : []),
  ];
}

/** Whether a budget of the scenario lets two payloads meet. */
export function hasTwoRequests(state: LatchkeyState): boolean {
  return budgetOf(state.options, "otherPayload") !== 0;
}
