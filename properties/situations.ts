// Which interesting situations occurred in a history: the `sometimes` beside every `always`.
import { surelyStands, holding } from "./acceptances.ts";
import type { CrashEvent, HistoryEvent } from "./history.ts";
import {
  isIndeterminate,
  precedes,
  type KeyHistory,
  type Operation,
  type PreparedHistory,
  type Window,
} from "./operations.ts";
import { isSurelyRepeated, possibleRecords, sureRecord } from "./records.ts";

/** Every situation by name, with whether it occurred in a history. */
const detectors = {
  "two calls overlapped on one key": ofSomeKey(({ all }) =>
    all.some((one, place) => all.slice(place + 1).some((other) => overlap(one, other))),
  ),
  "a reserve was refused in flight": answeredBy("in-flight"),
  "a reserve was told in doubt": ofSomeKey(({ reserves }) =>
    reserves.some(({ answer }) => answer.outcome === "in-flight" && answer.inDoubt === true),
  ),
  "a duplicate after a commit": answeredBy("duplicate"),
  "another payload was a mismatch": answeredBy("mismatch"),
  "a reservation that expired was reclaimed by another attempt": ofSomeKey(isReclaimed),
  "a late commit was recorded": ofSomeKey((key, prepared) => lateCommits(key, prepared, "done")),
  "a late commit was stale": ofSomeKey((key, prepared) => lateCommits(key, prepared, "stale")),
  "a late release": ofSomeKey((key, prepared) =>
    key.settlements.some((each) => each.call === "release" && isLate(key, each, prepared)),
  ),
  "a release by another attempt than the holder": ofSomeKey((key, prepared) =>
    key.settlements.some((each) => each.call === "release" && isOthers(key, each, prepared)),
  ),
  "a commit by another attempt than the holder": ofSomeKey((key, prepared) =>
    key.settlements.some((each) => each.call === "commit" && isOthers(key, each, prepared)),
  ),
  "a settlement exactly at the end of the blocking": ofSomeKey((key, prepared) =>
    key.settlements.some((each) => distances(key, each, prepared).includes(0)),
  ),
  "a reserve one before the end": atDistance(-1),
  "a reserve exactly at the end": atDistance(0),
  "a reserve one after the end": atDistance(1),
  "a repeated reserve by its token": ofSomeKey(({ acceptances }) =>
    acceptances.some(({ answers }) => answers.length > 1),
  ),
  "a repeated commit": ofSomeKey((key, { times }) =>
    key.commits.some((commit) => isSurelyRepeated(key, commit, times)),
  ),
  "a repeated release": ofSomeKey(({ settlements }) => isRepeatedRelease(settlements)),
  "a key was accepted again after a release": ofSomeKey(({ releases, acceptances }) =>
    releases.some((release) => acceptances.some((acceptance) => precedes(release, acceptance))),
  ),
  "a crash with a record pending": atCrash("pending"),
  "a crash with a record committed": atCrash("committed"),
  "a crash with a call under way": ({ history, operations }: PreparedHistory) =>
    history.events.some(
      ({ kind }, place) =>
        kind === "crash" &&
        operations.some((each) => each.invokedIndex < place && each.completedIndex > place),
    ),
  "a call was indeterminate": ({ operations }: PreparedHistory) => operations.some(isIndeterminate),
  "a reply was lost": ({ operations }: PreparedHistory) =>
    operations.some((each) => !each.delivered && !isIndeterminate(each)),
  "a call was lost": ofSomeEvent(({ kind }) => kind === "lost-call"),
  "a reserve got no service": ({ history, operations }: PreparedHistory) =>
    history.events.some((event) => event.kind === "lost-call" && event.call === "reserve") ||
    operations.some(({ call, answer }) => call === "reserve" && answer.outcome === "unavailable"),
  "a soft-fail": ofSomeEvent((event) => event.kind === "effect" && event.outcome === "soft-fail"),
  "an effect of which nobody knows": ofSomeEvent(
    (event) => event.kind === "effect" && event.outcome === "unknown",
  ),
  "three keys with different ends": hasThreeEnds,
} as const satisfies Readonly<Record<string, Detector>>;

export type Situation = keyof typeof detectors;

/** The names of all situations, in the order in which a report shows them. */
export const situationNames = Object.keys(detectors) as readonly Situation[];

/** The situations that the plan brought about; what the run asks at its end adds none. */
export function findSituations(prepared: PreparedHistory): readonly Situation[] {
  const planned = plannedPart(prepared);
  return situationNames.filter((name) => detectors[name](planned));
}

function plannedPart(prepared: PreparedHistory): PreparedHistory {
  const { history, operations, keys } = prepared;
  const { events, plannedEvents = events.length } = history;
  const isPlanned = ({ invokedIndex }: Window) => invokedIndex < plannedEvents;
  return {
    ...prepared,
    history: { ...history, events: events.slice(0, plannedEvents) },
    operations: operations.filter(isPlanned),
    keys: keys.map((key) => ({
      key: key.key,
      reserves: key.reserves.filter(isPlanned),
      served: key.served.filter(isPlanned),
      commits: key.commits.filter(isPlanned),
      releases: key.releases.filter(isPlanned),
      settlements: key.settlements.filter(isPlanned),
      all: key.all.filter(isPlanned),
      acceptances: key.acceptances.filter(isPlanned),
    })),
  };
}

type Detector = (prepared: PreparedHistory) => boolean;

function ofSomeKey(occurs: (key: KeyHistory, prepared: PreparedHistory) => boolean): Detector {
  return (prepared) => prepared.keys.some((key) => occurs(key, prepared));
}

function ofSomeEvent(occurs: (event: HistoryEvent) => boolean): Detector {
  return ({ history }) => history.events.some(occurs);
}

function answeredBy(outcome: "in-flight" | "duplicate" | "mismatch"): Detector {
  return ofSomeKey(({ reserves }) => reserves.some(({ answer }) => answer.outcome === outcome));
}

function overlap(one: Window, other: Window): boolean {
  return !precedes(one, other) && !precedes(other, one);
}

function isReclaimed({ acceptances, settlements }: KeyHistory, { times }: PreparedHistory) {
  return acceptances.some((first) =>
    acceptances.some(
      (second) =>
        second.token !== first.token &&
        precedes(first, second) &&
        second.atMs >= first.latestMs + times.pendingMs &&
        !settlements.some((each) => each.token === first.token && precedes(each, second)),
    ),
  );
}

/** Invoked when nothing of its own, by any explanation, blocked any more. */
function isLate(key: KeyHistory, settlement: Operation, { times }: PreparedHistory): boolean {
  const own = key.acceptances.filter(
    (each) => each.token === settlement.token && precedes(each, settlement),
  );
  return (
    own.length > 0 &&
    own.every((each) => settlement.atMs >= each.latestMs + times.pendingMs + times.slackMs) &&
    !key.commits.some((each) => each !== settlement && each.token === settlement.token)
  );
}

function lateCommits(key: KeyHistory, prepared: PreparedHistory, outcome: "done" | "stale") {
  return key.settlements.some(
    (each) =>
      each.call === "commit" && each.answer.outcome === outcome && isLate(key, each, prepared),
  );
}

function isOthers(key: KeyHistory, settlement: Operation, { times }: PreparedHistory): boolean {
  return key.acceptances.some(
    (each) =>
      each.token !== settlement.token && surelyStands(key, each, settlement, times, holding),
  );
}

function isRepeatedRelease(settlements: readonly Operation[]): boolean {
  const releases = settlements.filter(({ call }) => call === "release");
  return releases.some((one) =>
    releases.some((other) => one.token === other.token && precedes(one, other)),
  );
}

/** How far an operation is from each end of a record of the key that blocked until then. */
function distances(
  key: KeyHistory,
  operation: Operation,
  prepared: PreparedHistory,
): readonly number[] {
  const { pendingMs, retentionMs } = prepared.times;
  const records: readonly EndingRecord[] = [
    ...key.acceptances.map((made) => ({
      made,
      status: "pending" as const,
      endsAtMs: made.atMs + pendingMs,
    })),
    ...key.commits
      .filter((commit) => isRecording(key, commit, prepared))
      .map((made) => ({ made, status: "committed" as const, endsAtMs: made.atMs + retentionMs })),
  ];
  return records
    .filter(({ made }) => precedes(made, operation))
    .filter((record) => !isCutShort(key, record, operation, prepared))
    .map(({ endsAtMs }) => operation.atMs - endsAtMs);
}

interface EndingRecord {
  readonly made: Window & { readonly token: string };
  readonly status: "pending" | "committed";
  readonly endsAtMs: number;
}

/** A commit from which a record blocks: a repeated one extends nothing. */
function isRecording(key: KeyHistory, commit: Operation, { times }: PreparedHistory): boolean {
  return commit.answer.outcome === "done" && !isSurelyRepeated(key, commit, times);
}

/** Whether something else than time ended a record, or may have, before its end and the operation. */
function isCutShort(
  key: KeyHistory,
  { made, status, endsAtMs }: EndingRecord,
  operation: Operation,
  { history }: PreparedHistory,
): boolean {
  const { ownerTokens } = history.capabilities;
  const isBetween = (each: Window) =>
    each.completedIndex > made.invokedIndex &&
    each.invokedIndex < operation.invokedIndex &&
    each.atMs < endsAtMs;
  const isObeyed = ({ token }: Operation) => !ownerTokens || token === made.token;
  const settlements = [
    ...(status === "pending" || !ownerTokens ? key.releases : []),
    ...(status === "pending" ? key.commits : []),
  ];
  return (
    settlements.some((each) => isObeyed(each) && isBetween(each)) ||
    key.acceptances.some((each) => precedes(made, each) && isBetween(each))
  );
}

function atDistance(distanceMs: number): Detector {
  return ofSomeKey((key, prepared) =>
    key.reserves.some((reserve) => distances(key, reserve, prepared).includes(distanceMs)),
  );
}

function atCrash(status: "pending" | "committed"): Detector {
  return ({ history, keys, times }) =>
    history.events.some((event, place) => {
      if (event.kind !== "crash") return false;
      const moment = momentOf(event, place);
      const { ownerTokens } = history.capabilities;
      return keys.some((key) => {
        const records = possibleRecords(key, moment, times, ownerTokens);
        return records.length > 0 && records.every((record) => record.status === status);
      });
    });
}

function momentOf({ atMs }: CrashEvent, place: number): Window {
  return { invokedIndex: place, completedIndex: place, atMs, latestMs: atMs };
}

/** At one moment three keys are blocked by records made at different times. */
function hasThreeEnds({ keys, times, history, operations }: PreparedHistory): boolean {
  if (keys.length < 3) return false;
  const { ownerTokens } = history.capabilities;
  return operations.some((operation) => {
    const made = keys.map((key) => sureRecord(key, operation, times, ownerTokens)?.by.atMs);
    return new Set(made.filter((atMs) => atMs !== undefined)).size >= 3;
  });
}
