// Judges one history: which invariants it breaks, which it exercises, which situations occurred.
import { contractSpec } from "./contract-spec.ts";
import type { History } from "./history.ts";
import { invariantJudges } from "./invariants/all.ts";
import { judgeLinearizability } from "./invariants/linearizability.ts";
import { prepareHistory } from "./operations.ts";
import type { Violation } from "./results.ts";
import type { SequentialSpec } from "./sequential-spec.ts";
import { findSituations } from "./situations.ts";

export interface Judgement {
  readonly violations: readonly Violation[];
  /** Names of the invariants whose situation occurred in this history. */
  readonly exercised: readonly string[];
  /** Names of the interesting situations that occurred (see `situations.ts`). */
  readonly situations: readonly string[];
  /** False where a bound of the linearizability check was passed: its verdict is unknown. */
  readonly decided: boolean;
}

export interface JudgeOptions {
  /** What linearizability is judged against: by default the contract at the target's capabilities. */
  readonly spec?: SequentialSpec;
}

/**
 * Judges a history by every invariant that the target's capabilities allow, and for linearizability.
 * Violations come in the order of the invariants, each invariant's own in the order of the history.
 */
export function judge(history: History, options: JudgeOptions = {}): Judgement {
  const prepared = prepareHistory(history);
  const violations: Violation[] = [];
  const exercised: string[] = [];
  for (const judged of invariantJudges) {
    const { invariant, needs } = judged;
    if (!needs.every((capability) => history.capabilities[capability])) continue;
    const ruling = judged.judge(prepared);
    if (ruling.exercised || ruling.violations.length > 0) exercised.push(invariant);
    violations.push(...ruling.violations);
  }
  const linearizability = judgeLinearizability(prepared, options.spec ?? contractSpec(history));
  if (linearizability.exercised) exercised.push("linearizability");
  violations.push(...linearizability.violations);
  return {
    violations,
    exercised,
    situations: findSituations(prepared),
    decided: linearizability.decided,
  };
}
