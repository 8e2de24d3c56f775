// Claim: a key is accepted a second time only after the first acceptance has truly ended.
//
// Ended: released by its own holder; or committed, and the retention has passed; or neither, and
// the pending time has passed. A release by another attempt ends nothing. Refutes `published`
// (the zombie release: A stalls past the pending time, B is accepted, A's late release deletes B's
// record, C is accepted), `hardened without owner tokens`, and every store that reads and writes
// with a gap between.
import { blocking } from "../acceptances.ts";
import { contradictingPairs, isWithinAnother, type AcceptancePair } from "./acceptance-pairs.ts";
import { attemptName, shown, violation, type InvariantJudge } from "./ruling.ts";

export const acceptance: InvariantJudge = {
  invariant: "acceptance",
  needs: [],
  judge(prepared) {
    return {
      exercised: isWithinAnother(prepared, blocking, () => true),
      violations: contradictingPairs(prepared, blocking).map((pair) =>
        violation("acceptance", explain(pair), pair.evidence),
      ),
    };
  },
};

function explain({ key, first, second }: AcceptancePair): string {
  const [one, other] = [attemptName(first.attempt), attemptName(second.attempt)];
  return (
    `${other} was accepted for key ${shown(key.key)} at ${second.operation.atMs} ms, although the acceptance of ` +
    `${one} at ${first.operation.atMs} ms was not released by ${one} and the time that it blocks was not over.`
  );
}
