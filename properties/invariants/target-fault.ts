// Claim: the target keeps to the contract itself: it answers, with what the contract knows.
//
// A call that rejects without a crash, does not answer within the bound, or answers an outcome that
// the contract does not know, or a field of another type, is a fault of the target, reported with the
// operation. Refutes an adapter that throws where it should answer, and one with a deadline in words.
import type { StoreAnswer } from "../history.ts";
import type { Operation } from "../operations.ts";
import { placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";

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
    const violations = [...faults, ...operations.flatMap(mistyped)];
    return { exercised: operations.length > 0 || violations.length > 0, violations };
  },
};

/** Fields of an answer that are not of the contract's type. */
function mistyped(operation: Operation) {
  return fieldsOf(operation.answer)
    .filter(({ is, value }) => value !== undefined && !is(value))
    .map(({ name, value, type }) =>
      violation(
        "target-fault",
        `The target's ${operation.call} at ${operation.atMs} ms ${problems["unknown-answer"]}: ` +
          `${operation.answer.outcome} with ${name}=${shown(String(value))} of type ${typeof value}, not a ${type}`,
        placesOf(operation),
      ),
    );
}

interface Field {
  readonly name: string;
  readonly value: unknown;
  readonly type: string;
  readonly is: (value: unknown) => boolean;
}

function fieldsOf(answer: StoreAnswer): readonly Field[] {
  switch (answer.outcome) {
    case "proceed":
      return [
        { name: "fence", value: answer.fence, type: "number", is: isNumber },
        { name: "deadline", value: answer.deadline, type: "number", is: isNumber },
      ];
    case "in-flight":
      return [{ name: "inDoubt", value: answer.inDoubt, type: "boolean", is: isBoolean }];
    case "duplicate":
      return [{ name: "response", value: answer.response, type: "string", is: isString }];
    case "mismatch":
    case "unavailable":
    case "done":
    case "stale":
    case "indeterminate":
      return [];
  }
}

const isNumber = (value: unknown): boolean => typeof value === "number" && !Number.isNaN(value);
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isString = (value: unknown): boolean => typeof value === "string";
