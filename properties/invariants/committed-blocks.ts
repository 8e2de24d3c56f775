// Claim: after a commit that was answered done no acceptance of that key until its retention is over.
//
// The retention counts from the commit that made the record, on the store's clock. Refutes
// `hardened without retention from the commit` and `published`, whose record still ends τ after the
// *reserve*, and a store that keeps no record of a late commit which it answered done. Where commits
// go by key alone, done may have recorded nothing: only a commit counts that surely found a
// reservation, and only until somebody's release.
import type { PreparedHistory } from "../operations.ts";
import { surelyRecorded } from "../records.ts";
import {
  attemptName,
  callOf,
  shown,
  violation,
  type InvariantJudge,
  type Ruling,
} from "./ruling.ts";

export const committedBlocks: InvariantJudge = {
  invariant: "committed-blocks",
  needs: [],
  judge(prepared): Ruling {
    return { exercised: isExercised(prepared), violations: findViolations(prepared) };
  },
};

function findViolations({ keys, times, history }: PreparedHistory): Ruling["violations"] {
  const { ownerTokens } = history.capabilities;
  return keys.flatMap((key) =>
    key.acceptances.flatMap((second) => {
      const commit = key.commits.find((each) =>
        surelyRecorded(key, each, second, times, ownerTokens),
      );
      if (commit === undefined) return [];
      const explanation =
        `${attemptName(second.attempt)} was accepted for key ${shown(key.key)} at ${second.operation.atMs} ms, although ` +
        `${callOf(commit)} was answered done and blocks for ${times.retentionMs} ms.`;
      const evidence = [commit.completedIndex, second.operation.completedIndex];
      return [violation("committed-blocks", explanation, evidence)];
    }),
  );
}

function isExercised({ keys, times, history }: PreparedHistory): boolean {
  const { ownerTokens } = history.capabilities;
  return keys.some((key) =>
    key.commits.some((commit) =>
      key.served.some((reserve) => surelyRecorded(key, commit, reserve, times, ownerTokens)),
    ),
  );
}
