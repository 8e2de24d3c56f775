// Judges one gateway history by every gateway-level invariant, and tells which situations occurred.
import type { GatewayInvariant } from "../../model/gateway-invariants.ts";
import type { Judgement } from "../judge.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import { alsoJudged, GatewayFacts, type Ruling } from "./gateway-facts.ts";
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
import { judgeAcceptance } from "./judge-acceptance.ts";
import {
  judgeExecution,
  judgeLateness,
  judgeMinuteBoundary,
  judgeQueue,
  judgeRedelivery,
  judgeUnknownOutcome,
} from "./judge-executions.ts";
import { judgeFailClosed, judgeForgeries } from "./judge-fail-closed.ts";
import {
  judgeIsolation,
  judgeMismatch,
  judgeModes,
  judgeOneKey,
  judgeRelease,
  judgeTenants,
} from "./judge-keys.ts";
import { judgeLaterTrades } from "./judge-later-trades.ts";
import { judgeOrderIds } from "./judge-order-ids.ts";
import { judgeCommits, judgeSoftFail } from "./judge-settlements.ts";

export type JudgedGatewayHistory = JudgedHistory<GatewayHistory>;

/** By name, in the order in which violations are told. */
const judges: Readonly<Record<GatewayInvariant, (facts: GatewayFacts) => Ruling>> = {
  execution: alsoJudged(judgeExecution, judgeOrderIds),
  "execution/unknown-outcome": judgeUnknownOutcome,
  "execution/minute-boundary": judgeMinuteBoundary,
  "execution/redelivery": judgeRedelivery,
  acceptance: judgeAcceptance,
  "queue-executes-once": judgeQueue,
  "no-late-execution": judgeLateness,
  "fail-closed": judgeFailClosed,
  "forged-never-executes": judgeForgeries,
  "truthful-refusal": judgeRefusals,
  "truthful-answer": judgeTruth,
  "nothing-lost": alsoJudged(judgeLosses, judgeCommits),
  "one-request-one-key": judgeOneKey,
  isolation: judgeIsolation,
  "mode-isolation": judgeModes,
  "tenant-isolation": judgeTenants,
  mismatch: judgeMismatch,
  "release-on-soft-fail": judgeRelease,
  "soft-fail-releases": judgeSoftFail,
  "later-trades-pass": judgeLaterTrades,
  replay: judgeReplays,
  contract: judgeContract,
  "failed-may-retry": judgeRetries,
};

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
