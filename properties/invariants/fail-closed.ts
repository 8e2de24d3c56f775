// Claim: no effect without a preceding acceptance by the same attempt.
//
// An attempt whose reserve was lost, unavailable, left without a reply, or refused starts no effect,
// ever; only a `proceed` that reached the attempt lets it act. Refutes `paper`, which lets the
// request through when the store fails (fail-open), and `published with storeFailure: permit`.
import type { History } from "../history.ts";
import type { Operation, PreparedHistory } from "../operations.ts";
import { attemptName, violation, type InvariantJudge } from "./ruling.ts";

export const failClosed: InvariantJudge = {
  invariant: "fail-closed",
  needs: [],
  judge(prepared) {
    const violations = prepared.history.events.flatMap((event, index) => {
      if (event.kind !== "effect" || isAccepted(prepared, event.attempt, index)) return [];
      const explanation =
        `${attemptName(event.attempt)} ${event.executed ? "executed" : "started"} its effect at ${event.atMs} ms ` +
        `without an acceptance: ${lastWord(prepared, event.attempt, index)}.`;
      return [violation("fail-closed", explanation, [index])];
    });
    return { exercised: violations.length > 0 || hasUnserved(prepared), violations };
  },
};

function isAccepted({ operations }: PreparedHistory, attempt: number, index: number): boolean {
  return operations.some((each) => each.attempt === attempt && allows(each, index));
}

function allows({ call, answer, delivered, completedIndex }: Operation, index: number): boolean {
  return call === "reserve" && answer.outcome === "proceed" && delivered && completedIndex < index;
}

function lastWord(
  { operations, history }: PreparedHistory,
  attempt: number,
  index: number,
): string {
  const reserve = operations.findLast(
    (each) => each.call === "reserve" && each.attempt === attempt && each.invokedIndex < index,
  );
  if (reserve === undefined) {
    return isLost(history, attempt) ? "its reserve was lost" : "it had not reserved";
  }
  if (reserve.completedIndex > index || reserve.answer.outcome === "indeterminate") {
    return "its reserve was not answered";
  }
  if (!reserve.delivered) return "the reply to its reserve was lost";
  return `its reserve was answered ${reserve.answer.outcome}`;
}

function isLost({ events }: History, attempt: number): boolean {
  return events.some(
    (event) => event.kind === "lost-call" && event.call === "reserve" && event.attempt === attempt,
  );
}

/** Some reserve was lost, unavailable or left without a reply; a refusal is an answer like any other. */
function hasUnserved({ operations, history }: PreparedHistory): boolean {
  return (
    history.events.some((event) => event.kind === "lost-call" && event.call === "reserve") ||
    operations.some(
      ({ call, answer, delivered }) =>
        call === "reserve" &&
        (answer.outcome === "unavailable" || answer.outcome === "indeterminate" || !delivered),
    )
  );
}
