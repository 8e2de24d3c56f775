// How a campaign hands plans to a target that runs them elsewhere, and what comes back.
import type { History } from "./history.ts";
import type { Judgement } from "./judge.ts";
import type { Plan } from "./plan.ts";

/** Runs plans where the target lives, in batches, and judges the histories there. */
export interface PlanRunner<SomePlan = Plan, SomeHistory = History> {
  /** Names the target in results and reports. */
  readonly name: string;
  /**
   * Runs each plan on a fresh store; the verdicts come in the order of the plans. There may be
   * fewer: a target fault can end the batch.
   */
  judgePlans(plans: readonly SomePlan[]): Promise<readonly PlanVerdict[]>;
  /** Runs one plan on a fresh store and tells all: for shrinking, for rerun and for stories. */
  runPlan(plan: SomePlan): Promise<JudgedHistory<SomeHistory>>;
  /** Gives everything back; a second call does nothing. */
  close(): Promise<void>;
}

export interface JudgedHistory<SomeHistory = History> {
  readonly history: SomeHistory;
  readonly judgement: Judgement;
}

/** What a judged history comes to, small enough to be sent by the hundred. */
export interface PlanVerdict {
  readonly violations: readonly { readonly invariant: string }[];
  /** Names of the invariants whose situation occurred in this history. */
  readonly exercised: readonly string[];
  /** Names of the interesting situations that occurred. */
  readonly situations: readonly string[];
  /** How many calls reached the store. */
  readonly operations: number;
  /** False where a bound of the linearizability check was passed: its verdict is unknown. */
  readonly decided: boolean;
}

/** The verdict of a judged history. */
export function verdictOf({ history, judgement }: JudgedHistory): PlanVerdict {
  return {
    violations: judgement.violations.map(({ invariant }) => ({ invariant })),
    exercised: judgement.exercised,
    situations: judgement.situations,
    operations: history.events.filter((event) => event.kind === "invocation").length,
    decided: judgement.decided,
  };
}
