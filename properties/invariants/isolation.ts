// Claim: different keys never share a record: what blocks one key never refuses another.
//
// Judged on refusals of a key of which nobody can have had a record in this session; another that is
// open beside has records of every key. Refutes a store that folds, trims,
// cuts or joins keys, and `hardened without live/test in the key`.
import { isRefusal, type Operation, type PreparedHistory } from "../operations.ts";
import { mayAccept } from "../records.ts";
import type { Violation } from "../results.ts";
import { attemptName, callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";
import { isFirstPossible, servedReserves } from "./served-reserves.ts";

export const isolation: InvariantJudge = {
  invariant: "isolation",
  needs: [],
  judge(prepared) {
    if (
      prepared.keys.length < 2 &&
      !prepared.keys.some(({ reserves }) => reserves.some(isRefusal))
    ) {
      return { exercised: false, violations: [] };
    }
    const untouched = servedReserves(prepared, isFirstPossible);
    return {
      exercised: untouched.some(({ reserve }) => othersBlock(prepared, reserve).length > 0),
      violations: untouched
        .filter(({ reserve }) => isRefusal(reserve))
        .map(({ reserve }) => leaked(reserve, othersBlock(prepared, reserve))),
    };
  },
};

/** The last records of other keys that were made before a reserve was answered. */
function othersBlock({ keys }: PreparedHistory, reserve: Operation): readonly Operation[] {
  return keys.flatMap(({ key, reserves }) => {
    if (key === reserve.key) return [];
    const record = reserves.findLast(
      (each) => mayAccept(each) && each.invokedIndex < reserve.completedIndex,
    );
    return record === undefined ? [] : [record];
  });
}

function leaked(reserve: Operation, others: readonly Operation[]): Violation {
  const cause = others.map(({ attempt, key }) => `${shown(key)} (${attemptName(attempt)})`);
  return violation(
    "isolation",
    `${callOf(reserve)} was answered ${reserve.answer.outcome}, although nobody had a record of key ${shown(reserve.key)}` +
      (cause.length === 0 ? "." : `: a record of ${cause.join(" or ")} has refused it.`),
    [...others.map(({ completedIndex }) => completedIndex), ...placesOf(reserve)],
  );
}
