// Judges one gateway history by every gateway-level invariant, and tells which situations occurred.
import type { Judgement } from "../judge.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import { GatewayFacts, type Ruling } from "./gateway-facts.ts";
import type { GatewayHistory } from "./gateway-history.ts";
import { situationsOf } from "./gateway-situations.ts";
import {
  judgeContract,
  judgeLosses,
  judgeRefusals,
  judgeReplays,
  judgeRetries,
  judgeTruth,
} from "./judge-answers.ts";
import { judgeExecution, judgeFailClosed, judgeLateness, judgeQueue } from "./judge-executions.ts";
import {
  judgeIsolation,
  judgeMismatch,
  judgeOneKey,
  judgeRelease,
  judgeSoftFail,
} from "./judge-keys.ts";

export type JudgedGatewayHistory = JudgedHistory<GatewayHistory>;

/** By name, in the order in which violations are told. */
const judges = {
  execution: judgeExecution,
  "queue-executes-once": judgeQueue,
  "no-late-execution": judgeLateness,
  "fail-closed": judgeFailClosed,
  "truthful-refusal": judgeRefusals,
  "truthful-answer": judgeTruth,
  "nothing-lost": judgeLosses,
  "one-request-one-key": judgeOneKey,
  isolation: judgeIsolation,
  mismatch: judgeMismatch,
  "release-on-soft-fail": judgeRelease,
  "soft-fail-releases": judgeSoftFail,
  replay: judgeReplays,
  contract: judgeContract,
  "failed-may-retry": judgeRetries,
} as const satisfies Readonly<Record<string, (facts: GatewayFacts) => Ruling>>;

export type GatewayInvariant = keyof typeof judges;

/**
 * Where a release is lost, no policy can let the retry through before the pending time is over:
 * this claim is refuted under `hardened` too, as the model says (seed 000, *lost release*).
 */
export const refutedEverywhere: ReadonlySet<string> = new Set<GatewayInvariant>([
  "failed-may-retry",
]);

export function judgeGateway(history: GatewayHistory): Judgement {
  const facts = new GatewayFacts(history);
  const rulings = Object.entries(judges).map(([invariant, judge]) => ({
    invariant,
    ruling: judge(facts),
  }));
  return {
    violations: rulings.flatMap(({ ruling }) => ruling.violations),
    exercised: rulings.flatMap(({ invariant, ruling }) => (ruling.exercised ? [invariant] : [])),
    situations: situationsOf(facts),
    decided: true,
  };
}

export function gatewayVerdictOf({ history, judgement }: JudgedGatewayHistory): PlanVerdict {
  return {
    violations: judgement.violations.map(({ invariant }) => ({ invariant })),
    exercised: judgement.exercised,
    situations: judgement.situations,
    operations: history.events.filter(
      ({ kind }) => kind === "store" || kind === "dispatched" || kind === "enqueued",
    ).length,
    decided: judgement.decided,
  };
}
