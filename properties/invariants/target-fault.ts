// Claim: the target keeps to the contract itself: it answers, with what the contract knows.
//
// A call that rejects without a crash, does not answer within the bound, or answers an outcome that
// the contract does not know is a fault of the target, reported with the operation. Refutes an
// adapter that throws where it should answer.
import { violation, type InvariantJudge } from "./ruling.ts";

const problems = {
  rejected: "rejected although no crash was under way",
  "no-answer": "did not answer within the suite's bound",
  "unknown-answer": "answered what the contract does not know",
} as const;

export const targetFault: InvariantJudge = {
  invariant: "target-fault",
  needs: [],
  judge({ history, operations }) {
    const faults = history.events.flatMap((event, index) => {
      if (event.kind !== "target-fault") return [];
      const { operation, problem, detail, atMs } = event;
      const explanation = `The target's ${operation} at ${atMs} ms ${problems[problem]}: ${detail}`;
      return [violation("target-fault", explanation, [index])];
    });
    return { exercised: operations.length > 0 || faults.length > 0, violations: faults };
  },
};
