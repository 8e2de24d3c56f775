// Which records a key may hold, or surely holds, at some moment: what answers can be explained by.
import {
  holding,
  mayHaveEnded,
  blocking,
  surelyStands,
  type Acceptance,
  type EndRule,
} from "./acceptances.ts";
import {
  precedes,
  type JudgedTimes,
  type KeyHistory,
  type Operation,
  type Window,
} from "./operations.ts";

/** A record that a key may hold at some moment. */
export interface PossibleRecord {
  readonly status: "pending" | "committed";
  /** The reserve or commit that made it. */
  readonly by: Operation;
}

/** A record that a key surely holds at every moment of a window. */
export interface SureRecord {
  readonly by: Operation;
  readonly token: string;
  readonly fingerprint: string;
}

/** How a store of these capabilities may end a record: its holder alone, or anyone. */
function blockingAt(ownerTokens: boolean): EndRule {
  return { ...blocking, byAnyone: !ownerTokens };
}

export function holdingAt(ownerTokens: boolean): EndRule {
  return { ...holding, byAnyone: !ownerTokens };
}

/** Every record that may block at some moment of the window, whatever explains it. */
export function possibleRecords(
  key: KeyHistory,
  window: Window,
  times: JudgedTimes,
  ownerTokens: boolean,
): readonly PossibleRecord[] {
  const records: PossibleRecord[] = [];
  for (const { made, by } of possibleReservations(key)) {
    if (made.invokedIndex >= window.completedIndex) continue;
    if (window.atMs >= made.latestMs + times.pendingMs + times.slackMs) continue;
    if (surelySettled(key, made, by.token, window, ownerTokens)) continue;
    if (surelySuperseded(key, made, window)) continue;
    records.push({ status: "pending", by });
  }
  for (const commit of key.commits) {
    if (commit.invokedIndex >= window.completedIndex) continue;
    if (window.atMs >= commit.latestMs + times.retentionMs + times.slackMs) continue;
    if (ownerTokens && isSurelyRepeated(key, commit, times)) continue;
    if (surelySuperseded(key, commit, window)) continue;
    records.push({ status: "committed", by: commit });
  }
  return records;
}

/** Whether a reserve created a reservation, or may have. */
export function mayAccept({ answer }: Operation): boolean {
  return answer.outcome === "proceed" || answer.outcome === "indeterminate";
}

/** A record that blocks throughout the window by every explanation, if there is one. */
export function sureRecord(
  key: KeyHistory,
  window: Window,
  times: JudgedTimes,
  ownerTokens: boolean,
): SureRecord | undefined {
  const rule = blockingAt(ownerTokens);
  for (const acceptance of key.acceptances) {
    if (precedes(acceptance, window) && !mayHaveEnded(key, acceptance, window, times, rule)) {
      return { ...acceptance, by: acceptance.operation };
    }
  }
  // At a store without owner tokens a commit that is answered done may have recorded nothing.
  if (!ownerTokens) return undefined;
  for (const commit of key.commits) {
    if (commit.answer.outcome !== "done" || !precedes(commit, window)) continue;
    if (window.latestMs < commitBlocksUntilMs(key, commit, times)) return { ...commit, by: commit };
  }
  return undefined;
}

/**
 * Until when the record at least blocks that a commit answered done has made or found: a repeated
 * commit extends nothing, so the earliest commit counts that it may repeat.
 */
export function commitBlocksUntilMs(
  key: KeyHistory,
  commit: Operation,
  times: JudgedTimes,
): number {
  let fromMs = commit.atMs;
  for (const earlier of key.commits) {
    if (earlier.token !== commit.token || earlier.invokedIndex >= commit.completedIndex) continue;
    // It is repeated only if it took effect late enough to block still.
    const blocksStillMs = commit.atMs - times.retentionMs - times.slackMs + 1;
    if (Math.min(earlier.latestMs, commit.latestMs) >= blocksStillMs) {
      fromMs = Math.min(fromMs, Math.max(earlier.atMs, blocksStillMs));
    }
  }
  return fromMs + times.retentionMs - times.slackMs;
}

/**
 * Whether a commit answered done surely made a committed record that blocks throughout the window.
 * With owner tokens it did in any case. By key alone it surely did only where it found a pending
 * record, which no other settlement can have ended first, and no release can have come since.
 */
export function surelyRecorded(
  key: KeyHistory,
  commit: Operation,
  window: Window,
  times: JudgedTimes,
  ownerTokens: boolean,
): boolean {
  if (commit.answer.outcome !== "done" || !precedes(commit, window)) return false;
  if (window.latestMs >= commitBlocksUntilMs(key, commit, times)) return false;
  if (ownerTokens) return true;
  const others = { ...key, commits: key.commits.filter((each) => each !== commit) };
  return (
    key.acceptances.some((each) => surelyStands(others, each, commit, times, holdingAt(false))) &&
    key.releases.every((release) => precedes(release, commit) || precedes(window, release))
  );
}

/** A commit that found its own token's committed record, by every explanation. */
export function isSurelyRepeated(key: KeyHistory, commit: Operation, times: JudgedTimes): boolean {
  return key.commits.some(
    (earlier) =>
      earlier.token === commit.token &&
      earlier.answer.outcome === "done" &&
      precedes(earlier, commit) &&
      commit.latestMs < commitBlocksUntilMs(key, earlier, times),
  );
}

interface PossibleReservation {
  /** When it was made; for repeated answers, the first. */
  readonly made: Window;
  readonly by: Operation;
}

function possibleReservations(key: KeyHistory): readonly PossibleReservation[] {
  const unanswered = key.reserves.filter(({ answer }) => answer.outcome === "indeterminate");
  return [
    ...key.acceptances.map((made: Acceptance) => ({ made, by: made.operation })),
    ...unanswered.map((by) => ({ made: by, by })),
  ];
}

/** Whether a settlement that was answered done has ended a pending record before the window began. */
function surelySettled(
  key: KeyHistory,
  made: Window,
  token: string,
  window: Window,
  ownerTokens: boolean,
): boolean {
  const settled = (settlement: Operation) =>
    settlement.answer.outcome === "done" &&
    (!ownerTokens || settlement.token === token) &&
    settlement.invokedIndex > made.completedIndex &&
    precedes(settlement, window);
  // Without owner tokens a commit that is answered done may have left the record as it was.
  return key.releases.some(settled) || (ownerTokens && key.commits.some(settled));
}

/** Another acceptance since, before the window began: whatever was there before it is over. */
function surelySuperseded(key: KeyHistory, made: Window, window: Window): boolean {
  return key.acceptances.some(
    (acceptance) => precedes(made, acceptance) && precedes(acceptance, window),
  );
}

/**
 * Whether the time of every record is over that the key may have had, the reserve's own left out:
 * time alone, whether or not something else ended it before.
 */
export function isTimeOver(
  key: KeyHistory,
  reserve: Operation,
  times: JudgedTimes,
  ownerTokens: boolean,
): boolean {
  const { pendingMs, retentionMs, slackMs } = times;
  const isOver = (made: Window, blockingMs: number) =>
    made.invokedIndex >= reserve.completedIndex ||
    reserve.atMs >= made.latestMs + blockingMs + slackMs;
  return (
    possibleReservations(key).every(
      ({ made, by }) =>
        by === reserve ||
        isOver(made, pendingMs) ||
        (ownerTokens && key.commits.some((commit) => commitsAfter(commit, made, by, reserve))),
    ) &&
    key.commits.every(
      (commit) =>
        isOver(commit, retentionMs) || (ownerTokens && isSurelyRepeated(key, commit, times)),
    )
  );
}

function commitsAfter(commit: Operation, made: Window, by: Operation, window: Window): boolean {
  return (
    commit.answer.outcome === "done" &&
    commit.token === by.token &&
    precedes(made, commit) &&
    precedes(commit, window)
  );
}
