// Claim: a refusal is given only while a record of the key blocks, and says what that record is.
//
// In flight: pending, by another token. Duplicate: committed. Mismatch: another payload. In doubt: from
// the deadline on that was told for the reservation, and not before; it never turns back into in flight
// for one reservation. A session's deadlines all lie equally long after their acceptances. Refutes
// `published` (one word, duplicate, for pending and committed alike), a store whose commit by another
// token is obeyed in silence, and one that is always, never, or a tick too late in doubt.
import { proceedOf } from "../acceptances.ts";
import {
  isRefusal,
  precedes,
  type KeyHistory,
  type Operation,
  type PreparedHistory,
} from "../operations.ts";
import { mayAccept, possibleRecords, type PossibleRecord } from "../records.ts";
import type { Violation } from "../results.ts";
import { callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";
import { servedReserves } from "./served-reserves.ts";

export const truthfulRefusal: InvariantJudge = {
  invariant: "truthful-refusal",
  needs: [],
  judge(prepared) {
    const refusals = servedReserves(prepared, (_, reserve) => isRefusal(reserve));
    const untrue = refusals.flatMap(({ key, reserve }) => untruth(prepared, key, reserve));
    const backward = prepared.keys.flatMap(leavesDoubt);
    const violations = [...untrue, ...backward, ...movedDeadlines(prepared)];
    return { exercised: refusals.length > 0, violations };
  },
};

function untruth(
  { times, history }: PreparedHistory,
  key: KeyHistory,
  reserve: Operation,
): readonly Violation[] {
  const { ownerTokens, fingerprints } = history.capabilities;
  const records = possibleRecords(key, reserve, times, ownerTokens);
  const isTold = (record: PossibleRecord) => tells(reserve, record, ownerTokens, fingerprints);
  const told = records.filter(isTold);
  if (told.length > 0) {
    const deadlines = told.map(({ by }) => proceedOf(by).deadline);
    const isExact = times.slackMs === 0;
    return !isExact || deadlines.some((deadline) => isTimely(reserve, deadline))
      ? []
      : [untimely(reserve, told, deadlines)];
  }
  const held =
    records.length === 0
      ? "no record of the key can have blocked"
      : `the key can only have held ${records.map(recordOf).join(" or ")}`;
  const explanation = `${callOf(reserve)} was answered ${reserve.answer.outcome}, although ${held}.`;
  return [violation("truthful-refusal", explanation, placesOf(reserve))];
}

/** Whether the refusal is what this record gives to this reserve. */
function tells(
  { token, fingerprint, answer }: Operation,
  { status, by }: PossibleRecord,
  ownerTokens: boolean,
  fingerprints: boolean,
): boolean {
  // By key alone a commit may have been of somebody else's reservation, and so of another payload.
  const isAnyPayload = !ownerTokens && status === "committed";
  const isSame = !fingerprints || isAnyPayload || by.fingerprint === fingerprint;
  if (answer.outcome === "mismatch") return fingerprints && (isAnyPayload || !isSame);
  if (answer.outcome === "duplicate") return isSame && status === "committed";
  return isSame && status === "pending" && !(ownerTokens && by.token === token);
}

/** Whether a word on doubt is what a reservation of this deadline gives; nothing is said of none. */
function isTimely(reserve: Operation, deadline: number | undefined): boolean {
  const inDoubt = doubtOf(reserve);
  if (inDoubt === undefined || deadline === undefined) return true;
  return inDoubt ? reserve.latestMs >= deadline : reserve.atMs < deadline;
}

function untimely(
  reserve: Operation,
  told: readonly PossibleRecord[],
  deadlines: readonly (number | undefined)[],
): Violation {
  const word = doubtOf(reserve) === true ? "in doubt" : "in flight and not in doubt";
  return violation(
    "truthful-refusal",
    `${callOf(reserve)} was told that key ${shown(reserve.key)} is ${word}, although the deadline of ` +
      `${told.map(({ by }) => callOf(by)).join(" or ")} is ${deadlines.join(" or ")} ms.`,
    [...told.map(({ by }) => by.completedIndex), ...placesOf(reserve)],
  );
}

/** Acceptances of one session whose deadlines cannot lie equally long after each of them. */
function movedDeadlines({ keys, times }: PreparedHistory): readonly Violation[] {
  if (times.slackMs > 0) return [];
  const dated = keys
    .flatMap(({ acceptances }) => acceptances)
    .flatMap(({ atMs, latestMs, deadline, operation }) =>
      deadline === undefined
        ? []
        : [{ operation, deadline, fromMs: deadline - latestMs, byMs: deadline - atMs }],
    );
  const longest = dated.toSorted((one, other) => other.fromMs - one.fromMs)[0];
  const shortest = dated.toSorted((one, other) => one.byMs - other.byMs)[0];
  if (longest === undefined || shortest === undefined || longest.fromMs <= shortest.byMs) return [];
  const explanation =
    `${callOf(shortest.operation)} was given the deadline ${shortest.deadline} ms, although ` +
    `${callOf(longest.operation)} was given ${longest.deadline} ms: not equally long after each.`;
  const evidence = [shortest.operation.completedIndex, longest.operation.completedIndex];
  return [violation("truthful-refusal", explanation, evidence)];
}

function recordOf({ status, by }: PossibleRecord): string {
  return `the ${status} record of ${callOf(by)}`;
}

/** In doubt never turns back into in flight for one reservation. */
function leavesDoubt(key: KeyHistory): readonly Violation[] {
  const inFlight = key.reserves.filter(({ answer }) => answer.outcome === "in-flight");
  const inDoubt = inFlight.filter((each) => doubtOf(each) === true);
  return inFlight.flatMap((later) => {
    if (doubtOf(later) !== false) return [];
    const earlier = inDoubt.find((each) => precedes(each, later) && !isRenewed(key, each, later));
    if (earlier === undefined) return [];
    const explanation =
      `${callOf(later)} was told that key ${shown(later.key)} is in flight, although ${callOf(earlier)} was told that ` +
      `the same reservation is in doubt.`;
    return [
      violation("truthful-refusal", explanation, [earlier.completedIndex, ...placesOf(later)]),
    ];
  });
}

function doubtOf({ answer }: Operation): boolean | undefined {
  return answer.outcome === "in-flight" ? answer.inDoubt : undefined;
}

/** Whether another reservation can have come between two refusals. */
function isRenewed(key: KeyHistory, earlier: Operation, later: Operation): boolean {
  return key.reserves.some(
    (reserve) =>
      mayAccept(reserve) &&
      reserve.completedIndex > earlier.invokedIndex &&
      reserve.invokedIndex < later.completedIndex,
  );
}
