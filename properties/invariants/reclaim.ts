// Claim: blocking records are counted; once every record's time is over and the alarms have run
// nothing is left.
//
// Refutes `paper` where its alarm is always moved on, a store that never deletes, one that re-arms
// no alarm after a batch or a crash, and one that deletes a record which still blocks.
import type { HistoryEvent, SizeEvent } from "../history.ts";
import type { PreparedHistory, Window } from "../operations.ts";
import { possibleRecords, sureRecord } from "../records.ts";
import type { Violation } from "../results.ts";
import { shown, violation, type InvariantJudge } from "./ruling.ts";

export const reclaim: InvariantJudge = {
  invariant: "reclaim",
  needs: [],
  judge(prepared) {
    const counts = sizes(prepared);
    return {
      exercised: counts.some(({ over, blocked }) => over || blocked.length > 0),
      violations: [...undercounts(prepared), ...counts.flatMap(leftOver)],
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
function isAllOver({ history, keys, times }: PreparedHistory, index: number): boolean {
  const advanced = lastAdvance(history.events, index);
  if (advanced === undefined) return false;
  const { ownerTokens } = history.capabilities;
  // One millisecond less: past the end, not at it, where an alarm may be due but not done.
  const after = { ...momentOf(index, advanced.toMs - 1), invokedIndex: advanced.index };
  return keys.every((key) => {
    const isUnderWay = [...key.reserves, ...key.commits].some(
      (each) => each.completedIndex > advanced.index && each.invokedIndex < index,
    );
    return !isUnderWay && possibleRecords(key, after, times, ownerTokens).length === 0;
  });
}

function lastAdvance(events: readonly HistoryEvent[], index: number) {
  for (let place = index - 1; place >= 0; place -= 1) {
    const event = events[place];
    if (event?.kind === "advance" && event.ms > 0) {
      return { index: place, toMs: event.atMs + event.ms };
    }
  }
  return undefined;
}
