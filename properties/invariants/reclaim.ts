// Claim: blocking records are counted; once every record's time is over and the alarms have run
// nothing is left.
//
// Refutes `paper` where its alarm is always moved on, a store that never deletes, one that re-arms
// no alarm after a batch or a crash, and one that deletes a record which still blocks.
import type { HistoryEvent } from "../history.ts";
import type { PreparedHistory, Window } from "../operations.ts";
import { possibleRecords, sureRecord } from "../records.ts";
import type { Violation } from "../results.ts";
import { shown, violation, type InvariantJudge } from "./ruling.ts";

export const reclaim: InvariantJudge = {
  invariant: "reclaim",
  needs: [],
  judge(prepared) {
    let exercised = false;
    const violations: Violation[] = [];
    prepared.history.events.forEach((event, index) => {
      if (event.kind !== "size") return;
      const blocked = blockedKeys(prepared, momentOf(index, event.atMs));
      const over = isAllOver(prepared, index);
      exercised ||= over || blocked.length > 0;
      if (event.size < blocked.length)
        violations.push(
          violation(
            "reclaim",
            `At ${event.atMs} ms the store counted ${event.size} records, although ${blocked.map(shown).join(", ")} ` +
              `${blocked.length === 1 ? "was" : "were"} blocked.`,
            [index],
          ),
        );
      if (over && event.size > 0)
        violations.push(
          violation(
            "reclaim",
            `At ${event.atMs} ms the store still counted ${event.size} records, although time had been moved past ` +
              `the end of every one.`,
            [index],
          ),
        );
    });
    return { exercised, violations };
  },
};

function momentOf(index: number, atMs: number): Window {
  return { invokedIndex: index, completedIndex: index, atMs, latestMs: atMs };
}

/** The keys that a record surely blocks, by the shorter reading where there are no owner tokens. */
function blockedKeys({ keys, times, history }: PreparedHistory, moment: Window): readonly string[] {
  const { ownerTokens } = history.capabilities;
  const shortestMs = Math.min(times.pendingMs, times.retentionMs) - times.slackMs;
  return keys
    .filter((key) => {
      const record = sureRecord(key, moment, times, ownerTokens);
      return record !== undefined && (ownerTokens || moment.latestMs < record.by.atMs + shortestMs);
    })
    .map(({ key }) => key);
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
    if (event?.kind === "advance" && event.ms > 0)
      return { index: place, toMs: event.atMs + event.ms };
  }
  return undefined;
}
