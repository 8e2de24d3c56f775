// Claim: while its reservation is pending, the same token asking again is told proceed, with the
// same fence and the same deadline, and nothing is extended.
//
// Refutes `hardened without repeated reserve`, and a store that stamps a new fence or deadline into
// a reservation that stands.
import { proceedOf, surelyStands, type Acceptance } from "../acceptances.ts";
import { precedes, type KeyHistory, type Operation, type PreparedHistory } from "../operations.ts";
import { holdingAt } from "../records.ts";
import type { Violation } from "../results.ts";
import { callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";

export const lostRepliesHeal: InvariantJudge = {
  invariant: "lost-replies-heal",
  needs: ["ownerTokens"],
  judge(prepared) {
    let exercised = false;
    const violations: Violation[] = [];
    for (const key of prepared.keys) {
      for (const acceptance of key.acceptances) {
        violations.push(...changedAnswers(acceptance));
        for (const reserve of asksAgain(prepared, key, acceptance)) {
          exercised = true;
          if (reserve.answer.outcome !== "proceed") violations.push(refused(acceptance, reserve));
        }
      }
    }
    return { exercised, violations };
  },
};

/** The reserves by the holder's token, and payload, while its reservation surely stands. */
function asksAgain(
  { times, history }: PreparedHistory,
  key: KeyHistory,
  acceptance: Acceptance,
): readonly Operation[] {
  const { fingerprints, ownerTokens } = history.capabilities;
  return key.served.filter(
    (reserve) =>
      reserve.token === acceptance.token &&
      (!fingerprints || reserve.fingerprint === acceptance.fingerprint) &&
      precedes(acceptance, reserve) &&
      surelyStands(key, acceptance, reserve, times, holdingAt(ownerTokens)),
  );
}

/** Repeats that carry another fence or deadline than the acceptance they repeat. */
export function changedAnswers(acceptance: Acceptance): readonly Violation[] {
  const { fence, deadline } = acceptance;
  return acceptance.answers.flatMap((answer) => {
    const repeated = proceedOf(answer);
    const differences = [
      ...(repeated.fence === fence ? [] : [`fence ${repeated.fence} instead of ${fence}`]),
      ...(repeated.deadline === deadline
        ? []
        : [`deadline ${repeated.deadline} instead of ${deadline}`]),
    ];
    if (differences.length === 0) return [];
    const explanation =
      `${callOf(answer)} asked again for key ${shown(answer.key)}, which its token holds since ` +
      `${acceptance.operation.atMs} ms, and was told ${differences.join(" and ")}.`;
    const evidence = [acceptance.operation.completedIndex, ...placesOf(answer)];
    return [violation("lost-replies-heal", explanation, evidence)];
  });
}

function refused(acceptance: Acceptance, reserve: Operation): Violation {
  return violation(
    "lost-replies-heal",
    `${callOf(reserve)} asked again for key ${shown(reserve.key)} and was answered ${reserve.answer.outcome}, although ` +
      `its own reservation of ${acceptance.operation.atMs} ms was pending.`,
    [acceptance.operation.completedIndex, ...placesOf(reserve)],
  );
}
