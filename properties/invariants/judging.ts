// Asks in tests what one invariant says of a history.
import type { StoreInvariant } from "../../model/invariants.ts";
import type { History } from "../history.ts";
import { prepareHistory } from "../operations.ts";
import { invariantJudges } from "./all.ts";

/** `broken`, `kept`, or `vacuous` where the situation did not occur. */
export function verdictOn(
  invariant: StoreInvariant,
  history: History,
): "broken" | "kept" | "vacuous" {
  const { violations, exercised } = rulingOn(invariant, history);
  if (violations.length > 0) return "broken";
  return exercised ? "kept" : "vacuous";
}

/** What an invariant says of the history of a target that has what the invariant needs. */
export function rulingOn(invariant: StoreInvariant, history: History) {
  const judged = invariantJudges.find((each) => each.invariant === invariant);
  if (judged === undefined) throw new Error(`no judge of invariant=${invariant}`);
  if (!judged.needs.every((need) => history.capabilities[need]))
    return { exercised: false, violations: [] };
  return judged.judge(prepareHistory(history));
}
