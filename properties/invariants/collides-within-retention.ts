// Claim (the seeds' own sentence): within τ of an acceptance no second acceptance of the key, unless
// a release of that key came in between.
//
// τ is the shorter of the two blocking times; any release counts that was answered done or is
// indeterminate, whoever sent it, and an acceptance's repeats to its own token do not. That is why
// it holds under `published` even where a zombie release refutes `acceptance`. Refutes a store that
// forgets a pending record at commit, or that has a gap between its read and its write.
import type { Acceptance } from "../acceptances.ts";
import { precedes, type KeyHistory, type PreparedHistory, type Window } from "../operations.ts";
import { acceptancePairs } from "./acceptance-pairs.ts";
import { attemptName, shown, violation, type InvariantJudge } from "./ruling.ts";

export const collidesWithinRetention: InvariantJudge = {
  invariant: "collides-within-retention",
  needs: [],
  judge(prepared) {
    const pairs = acceptancePairs(
      prepared,
      (key, first, second) =>
        !isSurelyWithin(prepared, first, second) ||
        mayBeReleased(key, first, second) ||
        (prepared.history.capabilities.ownerTokens && first.token === second.token),
    );
    return {
      exercised: isExercised(prepared),
      violations: pairs.map(({ key, first, second, evidence }) =>
        violation(
          "collides-within-retention",
          `${attemptName(second.attempt)} was accepted for key ${shown(key.key)} at ${second.operation.atMs} ms, within ` +
            `${retentionOf(prepared)} ms of the acceptance of ${attemptName(first.attempt)} at ${first.operation.atMs} ms, ` +
            `and no release came in between.`,
          evidence,
        ),
      ),
    };
  },
};

function retentionOf({ times }: PreparedHistory): number {
  return Math.min(times.pendingMs, times.retentionMs);
}

function isSurelyWithin(prepared: PreparedHistory, first: Window, second: Window): boolean {
  return second.latestMs - first.atMs < retentionOf(prepared) - prepared.times.slackMs;
}

function mayBeReleased(key: KeyHistory, first: Window, second: Window): boolean {
  return key.releases.some(
    ({ invokedIndex, completedIndex }) =>
      invokedIndex < second.completedIndex && completedIndex > first.invokedIndex,
  );
}

function isExercised(prepared: PreparedHistory): boolean {
  return prepared.keys.some((key) =>
    key.acceptances.some((first: Acceptance) =>
      key.served.some(
        (reserve) =>
          precedes(first, reserve) &&
          isSurelyWithin(prepared, first, reserve) &&
          !mayBeReleased(key, first, reserve),
      ),
    ),
  );
}
