// What the store does with a call: the key lifecycle's table, applied to the record, and the observers that watch it.
import { recordChanges } from "../../model/key-table.ts";
import {
  watchAcceptance,
  watchCommit,
  watchRelease,
  watchReserve,
  watchSettlement,
} from "./latchkey-observers.ts";
import { events } from "./latchkey-phases.ts";
import { type LatchkeyState, claims, keyOfAttempt, records } from "./latchkey-state.ts";
import {
  type StoreTables,
  changeOf,
  isOwn,
  isSamePayload,
  recordKind,
} from "./latchkey-store-tables.ts";
import { assign, range, when, withLocal } from "./system-builders.ts";
import { type Operand, equal, greatest, minus, nobody, plus } from "./system-expressions.ts";
import type { Expression, Statement } from "./system-language.ts";

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
