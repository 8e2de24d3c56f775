// Which reserves created a reservation, and whether it surely, or only possibly, still stands.
import type { JudgedTimes, KeyOperations, Operation, Window } from "./operations.ts";

/** A reserve that created a reservation; repeated answers to its token are the same acceptance. */
export interface Acceptance extends Window {
  readonly attempt: number;
  readonly token: string;
  readonly fingerprint: string;
  readonly fence: number | undefined;
  readonly deadline: number | undefined;
  /** The reserve whose answer told it first. */
  readonly operation: Operation;
  /** Every reserve that was answered by it, in the order of their answers; the first included. */
  readonly answers: readonly Operation[];
}

/** What counts as the end of an acceptance. */
export interface EndRule {
  /** Holding ends with the commit; blocking goes on until the retention is over. */
  readonly atCommit: boolean;
  /** Settlements by anyone end it, as at a store that knows no owner tokens. */
  readonly byAnyone: boolean;
}

/** Blocking goes on after the commit, and only the holder's own release ends it. */
export const blocking: EndRule = { atCommit: false, byAnyone: false };

/** Holding ends with the holder's own commit or release. */
export const holding: EndRule = { atCommit: true, byAnyone: false };

/**
 * Gathers the acceptances of one key in the order of their answers. With owner tokens a `proceed`
 * with a fence that its token knows already is a repeat, and so is one that comes while the
 * reservation surely stands (that its fence is another is for `lost-replies-heal` to say).
 */
export function gatherAcceptances(
  key: KeyOperations,
  times: JudgedTimes,
  ownerTokens: boolean,
): readonly Acceptance[] {
  const acceptances: MutableAcceptance[] = [];
  for (const operation of answeredProceed(key)) {
    const known = ownerTokens ? repeatedBy(key, acceptances, operation, times) : undefined;
    if (known !== undefined) {
      known.answers.push(operation);
      // Two overlapping asks of one token: either may have been the one that created it.
      known.invokedIndex = Math.min(known.invokedIndex, operation.invokedIndex);
      known.atMs = Math.min(known.atMs, operation.atMs);
      continue;
    }
    const acceptance = created(operation);
    if (ownerTokens) widenByUnanswered(key, acceptances, acceptance);
    acceptances.push(acceptance);
  }
  return acceptances;
}

/** Whether an acceptance may, by any explanation, be over at some moment of the window. */
export function mayHaveEnded(
  key: KeyOperations,
  acceptance: Acceptance,
  window: Window,
  times: JudgedTimes,
  rule: EndRule,
): boolean {
  for (const release of key.releases) {
    if (settles(release, acceptance, window, rule)) return true;
  }
  const pendingUntilMs = acceptance.atMs + times.pendingMs - times.slackMs;
  let surelyCommitted = false;
  for (const commit of key.commits) {
    if (!settles(commit, acceptance, window, rule)) continue;
    if (rule.atCommit) return true;
    if (window.latestMs >= commit.atMs + times.retentionMs - times.slackMs) return true;
    surelyCommitted ||=
      commit.answer.outcome === "done" &&
      commit.completedIndex < window.invokedIndex &&
      commit.latestMs < pendingUntilMs;
  }
  return !surelyCommitted && window.latestMs >= pendingUntilMs;
}

/** Whether it stood before the window began and cannot have ended before the window did. */
export function surelyStands(
  key: KeyOperations,
  acceptance: Acceptance,
  window: Window,
  times: JudgedTimes,
  rule: EndRule,
): boolean {
  return (
    acceptance.completedIndex < window.invokedIndex &&
    !mayHaveEnded(key, acceptance, window, times, rule)
  );
}

interface MutableAcceptance extends Acceptance {
  invokedIndex: number;
  completedIndex: number;
  atMs: number;
  latestMs: number;
  readonly answers: Operation[];
}

function answeredProceed(key: KeyOperations): readonly Operation[] {
  const proceeds = key.reserves.filter(({ answer }) => answer.outcome === "proceed");
  return proceeds.sort((one, other) => one.completedIndex - other.completedIndex);
}

function created(operation: Operation): MutableAcceptance {
  const { attempt, token, fingerprint, invokedIndex, completedIndex, atMs, latestMs } = operation;
  const { fence, deadline } = proceedOf(operation);
  return {
    attempt,
    token,
    fingerprint,
    fence,
    deadline,
    operation,
    answers: [operation],
    invokedIndex,
    completedIndex,
    atMs,
    latestMs,
  };
}

/** The fence and deadline that a `proceed` carried. */
export function proceedOf(operation: Operation): {
  readonly fence: number | undefined;
  readonly deadline: number | undefined;
} {
  const { answer } = operation;
  if (answer.outcome !== "proceed") return { fence: undefined, deadline: undefined };
  return { fence: answer.fence, deadline: answer.deadline };
}

function repeatedBy(
  key: KeyOperations,
  acceptances: readonly MutableAcceptance[],
  operation: Operation,
  times: JudgedTimes,
): MutableAcceptance | undefined {
  const { fence } = proceedOf(operation);
  const own = acceptances.filter(({ token }) => token === operation.token);
  const same = own.find((each) => fence !== undefined && fence === each.fence);
  const last = own.at(-1);
  if (same !== undefined || last === undefined) return same;
  // Overlapping asks that were told two fences: two reservations, in whichever order.
  if (fence !== undefined && last.completedIndex > operation.invokedIndex) return undefined;
  return mayHaveEnded(key, last, operation, times, holding) ? undefined : last;
}

/** A reserve of the same token that got no answer may have created what this one was told. */
function widenByUnanswered(
  key: KeyOperations,
  before: readonly MutableAcceptance[],
  acceptance: MutableAcceptance,
): void {
  const previous = before.findLast(({ token }) => token === acceptance.token);
  for (const reserve of key.reserves) {
    if (reserve.answer.outcome !== "indeterminate" || reserve.token !== acceptance.token) continue;
    if (reserve.invokedIndex >= acceptance.completedIndex) continue;
    if (previous !== undefined && reserve.completedIndex < previous.invokedIndex) continue;
    acceptance.invokedIndex = Math.min(acceptance.invokedIndex, reserve.invokedIndex);
    acceptance.atMs = Math.min(acceptance.atMs, reserve.atMs);
  }
}

function settles(
  settlement: Operation,
  acceptance: Acceptance,
  window: Window,
  rule: EndRule,
): boolean {
  return (
    (rule.byAnyone || settlement.token === acceptance.token) &&
    settlement.invokedIndex < window.completedIndex &&
    settlement.completedIndex > acceptance.invokedIndex
  );
}
