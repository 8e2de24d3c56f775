// Claim: the answers of each key are those of one key lifecycle that takes each operation at one
// moment between its invocation and its completion.
//
// Judged key by key against a sequential specification. Refutes whatever no other invariant names:
// every single wrong answer, and every store with a gap between its read and its write.
import { checkLinearizable } from "../linearizability.ts";
import { isIndeterminate, type PreparedHistory } from "../operations.ts";
import type { Violation } from "../results.ts";
import type { SequentialSpec } from "../sequential-spec.ts";
import { callOf, placesOf, shown, violation, type Ruling } from "./ruling.ts";

export interface LinearizabilityRuling extends Ruling {
  /** False where a bound was passed and some key has no verdict. */
  readonly decided: boolean;
}

export function judgeLinearizability(
  { keys }: PreparedHistory,
  spec: SequentialSpec,
): LinearizabilityRuling {
  const violations: Violation[] = [];
  let decided = true;
  for (const { key, all } of keys) {
    const result = checkLinearizable(all, spec);
    if (result.kind === "unknown") decided = false;
    if (result.kind !== "illegal") continue;
    const { operation, explained } = result;
    const explanation =
      `No order of the operations on key ${shown(key)} explains that ${callOf(operation)} was answered ` +
      `${operation.answer.outcome}, after ${explained === 1 ? "one answer that is" : `${explained} answers that are`} explained.`;
    violations.push(violation("linearizability", explanation, placesOf(operation)));
  }
  const exercised = keys.some(({ all }) => all.some((each) => !isIndeterminate(each)));
  return { exercised, violations, decided };
}
