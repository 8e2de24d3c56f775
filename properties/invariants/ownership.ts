// Claim: while one attempt's record blocks, a commit or release by another is answered stale.
// Fences of a key grow strictly.
//
// That it changes nothing shows in what follows: `acceptance`, `committed-blocks` and `replay` judge
// it. Refutes `published`, which obeys a commit or release from anyone and says done, and
// `hardened without owner tokens`.
import { blocking, surelyStands, type Acceptance } from "../acceptances.ts";
import {
  precedes,
  type JudgedTimes,
  type KeyHistory,
  type Operation,
  type PreparedHistory,
} from "../operations.ts";
import { commitBlocksUntilMs } from "../records.ts";
import type { Violation } from "../results.ts";
import { attemptName, callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";

export const ownership: InvariantJudge = {
  invariant: "ownership",
  needs: [],
  judge(prepared) {
    let exercised = false;
    const violations: Violation[] = [];
    for (const key of prepared.keys) {
      for (const settlement of key.settlements) {
        const owner = recordOfAnother(prepared, key, settlement);
        if (owner === undefined) continue;
        exercised = true;
        if (settlement.answer.outcome === "done") violations.push(obeyed(settlement, owner));
      }
    }
    if (prepared.history.capabilities.ownerTokens) violations.push(...fenceViolations(prepared));
    return { exercised, violations };
  },
};

/** What fences say against each other: each is a safe integer, each acceptance's is larger. */
export function fenceViolations({ keys, times }: PreparedHistory): readonly Violation[] {
  return keys.flatMap((key) => [
    ...unevenFences(key.acceptances),
    ...key.acceptances.flatMap((acceptance) => usedAgain(key, acceptance, times)),
  ]);
}

/** Answers with the fence of a reservation that was over: of a new one with an old fence. */
function usedAgain(
  { commits }: KeyHistory,
  acceptance: Acceptance,
  { pendingMs, slackMs }: JudgedTimes,
): readonly Violation[] {
  const endMs = acceptance.latestMs + pendingMs + slackMs;
  return acceptance.answers.flatMap((answer) => {
    const committed = commits.some(
      (commit) =>
        commit.token === acceptance.token &&
        commit.answer.outcome === "done" &&
        precedes(acceptance, commit) &&
        precedes(commit, answer),
    );
    if (!committed && answer.atMs < endMs) return [];
    const over = committed ? "that reservation was" : "the pending time of that reservation was";
    return violation(
      "ownership",
      `${callOf(answer)} was answered proceed for key ${shown(answer.key)} with fence ${acceptance.fence} again, although ` +
        `${over} ${committed ? "committed" : "over"}.`,
      [acceptance.operation.completedIndex, ...placesOf(answer)],
    );
  });
}

function unevenFences(acceptances: readonly Acceptance[]): readonly Violation[] {
  return acceptances.flatMap((second, index) => {
    const { fence, operation } = second;
    if (!Number.isSafeInteger(fence)) {
      return [
        violation(
          "ownership",
          `${callOf(operation)} was answered proceed with fence ${fence}, which is no safe integer.`,
          placesOf(operation),
        ),
      ];
    }
    const first = acceptances.find(
      (other, place) => place !== index && doesNotGrow(other, second, place < index),
    );
    if (first === undefined) return [];
    return [
      violation(
        "ownership",
        `${callOf(operation)} was accepted for key ${shown(operation.key)} with fence ${fence}, although ` +
          `${attemptName(first.attempt)} had got fence ${first.fence} at ${first.operation.atMs} ms.`,
        [first.operation.completedIndex, operation.completedIndex],
      ),
    ];
  });
}

/** Overlapping acceptances are in an order that only the fences tell; they must differ. */
function doesNotGrow(first: Acceptance, second: Acceptance, isEarlier: boolean): boolean {
  if (first.fence === undefined || second.fence === undefined) return false;
  if (precedes(first, second)) return first.fence >= second.fence;
  return isEarlier && first.fence === second.fence;
}

/** The operation by which another token's record surely blocks throughout the settlement. */
function recordOfAnother(
  { times, history }: PreparedHistory,
  key: KeyHistory,
  settlement: Operation,
): Operation | undefined {
  const acceptance = key.acceptances.find(
    (each) =>
      each.token !== settlement.token && surelyStands(key, each, settlement, times, blocking),
  );
  if (acceptance !== undefined) return acceptance.operation;
  if (!history.capabilities.ownerTokens) return undefined;
  return key.commits.find(
    (commit) =>
      commit.token !== settlement.token &&
      commit.answer.outcome === "done" &&
      precedes(commit, settlement) &&
      settlement.latestMs < commitBlocksUntilMs(key, commit, times),
  );
}

function obeyed(settlement: Operation, owner: Operation): Violation {
  return violation(
    "ownership",
    `${callOf(settlement)} was answered done, although key ${shown(settlement.key)} was blocked by the record of ` +
      `${attemptName(owner.attempt)} since ${owner.atMs} ms.`,
    [owner.completedIndex, ...placesOf(settlement)],
  );
}
