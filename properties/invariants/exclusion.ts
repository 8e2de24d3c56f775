// Claim: no two attempts hold one key at the same time.
//
// An attempt holds from its acceptance until its own commit or release takes effect or its pending
// time ends. Refutes `published` (a zombie release lets a third attempt in while the second holds),
// and a store with a gap between its read and its write.
import { holding } from "../acceptances.ts";
import { contradictingPairs, isWithinAnother } from "./acceptance-pairs.ts";
import { attemptName, shown, violation, type InvariantJudge } from "./ruling.ts";

export const exclusion: InvariantJudge = {
  invariant: "exclusion",
  needs: [],
  judge(prepared) {
    return {
      exercised: isWithinAnother(prepared, holding, () => true),
      violations: contradictingPairs(prepared, holding).map(({ key, first, second, evidence }) =>
        violation(
          "exclusion",
          `${attemptName(second.attempt)} was accepted for key ${shown(key.key)} at ${second.operation.atMs} ms, while ` +
            `${attemptName(first.attempt)}, accepted at ${first.operation.atMs} ms, still held it.`,
          evidence,
        ),
      ),
    };
  },
};
