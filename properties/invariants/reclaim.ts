// Claim: blocking records are counted; once every record's time is over and the alarms have run
// nothing is left.
//
// Refutes a store that never deletes, one that re-arms no alarm after a batch or a crash, one that
// deletes a record which still blocks, and one that counts what is no record. It does not refute
// `paper`: an alarm that each reservation moves on comes late for the earlier ones, but by the end of
// the last one, and then nothing is left of any.
import type { HistoryEvent, SizeEvent } from "../history.ts";
import { surelyStands } from "../acceptances.ts";
import {
  isIndeterminate,
  type KeyHistory,
  type Operation,
  type PreparedHistory,
  type Window,
} from "../operations.ts";
import { holdingAt, isSurelyRepeated, possibleRecords, sureRecord } from "../records.ts";
import type { Violation } from "../results.ts";
import { shown, violation, type InvariantJudge } from "./ruling.ts";

export const reclaim: InvariantJudge = {
  invariant: "reclaim",
  needs: [],
  judge(prepared) {
    const counts = sizes(prepared);
    return {
      exercised: counts.some(({ over, held, blocked }) => (over && held) || blocked.length > 0),
      violations: [
        ...undercounts(prepared),
        ...counts.flatMap(leftOver),
        ...counts.flatMap((count) => overcount(prepared, count)),
      ],
    };
  },
};

/** Counts that are lower than the number of records that surely blocked. */
export function undercounts(prepared: PreparedHistory): readonly Violation[] {
  return sizes(prepared).flatMap(({ index, event, blocked }) => {
    if (event.size >= blocked.length) return [];
    const keys = blocked.map(({ key }) => shown(key)).join(", ");
    const were = blocked.length === 1 ? "was" : "were";
    return violation(
      "reclaim",
      `At ${event.atMs} ms the store counted ${event.size} records, although ${keys} ${were} blocked.`,
      [...blocked.map(({ madeIndex }) => madeIndex), index],
    );
  });
}

interface Size {
  readonly index: number;
  readonly event: SizeEvent;
  readonly blocked: readonly BlockedKey[];
  /** Time had been moved past the end of every record. */
  readonly over: boolean;
  /** There may have been a record before. */
  readonly held: boolean;
}

interface BlockedKey {
  readonly key: string;
  /** Where the operation was answered that made the record. */
  readonly madeIndex: number;
}

function sizes(prepared: PreparedHistory): readonly Size[] {
  return prepared.history.events.flatMap((event, index) =>
    event.kind === "size"
      ? {
          index,
          event,
          blocked: blockedKeys(prepared, momentOf(index, event.atMs)),
          over: isAllOver(prepared, index),
          held: recordsMade(prepared, -1, index) > 0,
        }
      : [],
  );
}

function leftOver({ index, event, over }: Size): Violation[] {
  if (!over || event.size === 0) return [];
  const explanation =
    `At ${event.atMs} ms the store still counted ${event.size} records, although time had been moved past ` +
    `the end of every one.`;
  return [violation("reclaim", explanation, [index])];
}

function momentOf(index: number, atMs: number): Window {
  return { invokedIndex: index, completedIndex: index, atMs, latestMs: atMs };
}

/** The keys that a record surely blocks, by the shorter reading where there are no owner tokens. */
function blockedKeys(
  { keys, times, history }: PreparedHistory,
  moment: Window,
): readonly BlockedKey[] {
  const { ownerTokens } = history.capabilities;
  const shortestMs = Math.min(times.pendingMs, times.retentionMs) - times.slackMs;
  return keys.flatMap((key) => {
    const record = sureRecord(key, moment, times, ownerTokens);
    if (record === undefined) return [];
    if (!ownerTokens && moment.latestMs >= record.by.atMs + shortestMs) return [];
    return { key: key.key, madeIndex: record.by.completedIndex };
  });
}

/** Whether the last advance before this place went past the end of every record there can be. */
function isAllOver(prepared: PreparedHistory, index: number): boolean {
  const advanced = advanceBefore(prepared.history.events, index);
  return (
    advanced !== undefined &&
    isOverAt(prepared, advanced) &&
    !prepared.keys.some((key) =>
      [...key.reserves, ...key.commits].some(
        (each) => each.completedIndex > advanced.index && each.invokedIndex < index,
      ),
    )
  );
}

/** More than the records that can have been made since an advance that went past every end. */
function overcount(prepared: PreparedHistory, { index, event, over }: Size): Violation[] {
  if (over || event.size === 0) return [];
  let cleared = advanceBefore(prepared.history.events, index);
  while (cleared !== undefined && !isOverAt(prepared, cleared)) {
    cleared = advanceBefore(prepared.history.events, cleared.index);
  }
  const most = recordsMade(prepared, cleared?.index ?? -1, index);
  if (event.size <= most) return [];
  const explanation =
    `At ${event.atMs} ms the store counted ${event.size} records, although no more than ${most} ` +
    `can have been made since it was empty.`;
  return [
    violation("reclaim", explanation, cleared === undefined ? [index] : [cleared.index, index]),
  ];
}

/** How many records can have been made between two places, whatever has become of them since. */
function recordsMade(prepared: PreparedHistory, from: number, to: number): number {
  const isBetween = ({ invokedIndex, completedIndex }: Window) =>
    completedIndex > from && invokedIndex < to;
  return prepared.keys.flatMap((key) => [
    ...key.acceptances.filter(isBetween),
    ...key.reserves.filter((each) => isIndeterminate(each) && isBetween(each)),
    ...key.commits.filter((each) => isBetween(each) && mayRecordAnew(key, each, prepared)),
  ]).length;
}

/** A commit that may have found the key free, not its own token's record. */
function mayRecordAnew(key: KeyHistory, commit: Operation, { times, history }: PreparedHistory) {
  const rule = holdingAt(history.capabilities.ownerTokens);
  const before = { ...key, commits: key.commits.filter((each) => each !== commit) };
  return (
    !isSurelyRepeated(key, commit, times) &&
    !key.acceptances.some(
      (each) => each.token === commit.token && surelyStands(before, each, commit, times, rule),
    )
  );
}

interface Advanced {
  readonly index: number;
  readonly toMs: number;
}

/** Whether an advance went past the end of every record there can be by then. */
function isOverAt({ history, keys, times }: PreparedHistory, { index, toMs }: Advanced): boolean {
  const { ownerTokens } = history.capabilities;
  // One millisecond less: past the end, not at it, where an alarm may be due but not done.
  const after = momentOf(index, toMs - 1);
  return keys.every((key) => possibleRecords(key, after, times, ownerTokens).length === 0);
}

function advanceBefore(events: readonly HistoryEvent[], index: number): Advanced | undefined {
  for (let place = index - 1; place >= 0; place -= 1) {
    const event = events[place];
    if (event?.kind === "advance" && event.ms > 0) {
      return { index: place, toMs: event.atMs + event.ms };
    }
  }
  return undefined;
}
