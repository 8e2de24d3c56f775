// Decides how a counterexample of a gateway plan is saved and reads: who sent what, what became of it, how to rerun.
import type { GatewayHistory } from "../properties/gateway/gateway-history.ts";
import type { GatewayPlan, PlannedRequest } from "../properties/gateway/gateway-plan.ts";
import type { Counterexample, Finding } from "../properties/results.ts";
import { counterexampleOf, type FindingNames, stepsOfEvidence } from "./counterexample-json.ts";
import { type BrokenSentences, counterexamplePage, table } from "./counterexample-markdown.ts";
import { tellGatewayStory } from "./gateway-story.ts";
import { requestText } from "./gateway-words.ts";
import { proseMarkdown } from "./show-text.ts";
import { attemptName } from "./story.ts";

export type GatewayFinding = Finding<GatewayPlan, GatewayHistory>;

/** The plan of a gateway counterexample; `kind` tells it from plans of other targets. */
export type SavedGatewayPlan = { readonly kind: "gateway" } & GatewayPlan;

export type GatewayCounterexample = Counterexample<SavedGatewayPlan>;

export function toGatewayCounterexample(
  finding: GatewayFinding,
  names: FindingNames,
): GatewayCounterexample {
  const { history, plan } = finding;
  const story = tellGatewayStory(history, plan);
  return counterexampleOf(finding, names, { kind: "gateway", ...plan }, story);
}

/** The steps at which the evidence of a finding lies, in order. */
export function gatewayEvidence({ history, plan, violation }: GatewayFinding): readonly number[] {
  return stepsOfEvidence(violation, tellGatewayStory(history, plan));
}

export interface GatewaySentences extends BrokenSentences {
  /** What happens in the known way that this is; empty where it is none. */
  readonly way: string;
}

export function gatewayCounterexampleMarkdown(
  counterexample: GatewayCounterexample,
  sentences: GatewaySentences,
  evidence: readonly number[],
): string {
  const { target, plan, witness } = counterexample;
  const { length } = plan.requests;
  return counterexamplePage(counterexample, {
    place: `target **${proseMarkdown(target)}** in mode **${plan.mode}**, ${length} ${length === 1 ? "attempt" : "attempts"}`,
    sentences,
    evidence,
    mark: "⚡ marks the steps that the sentence above is about.",
    ...(witness === undefined
      ? {}
      : { known: `**Known as ${proseMarkdown(witness)}.** ${proseMarkdown(sentences.way)}` }),
    legend: `Times are milliseconds since the start. *The store holds* is what the store itself showed after the step.${clocksText(plan)}`,
    cast: [requestTable(plan)],
  });
}

function clocksText({ gatewayAheadMs, downstreamLagMs }: GatewayPlan): string {
  const gateway = gatewayAheadMs === 0 ? "" : ` The gateway's clock is ${gatewayAheadMs} ms ahead.`;
  const lag = downstreamLagMs === 0 ? "" : ` Downstream's clock lags by ${downstreamLagMs} ms.`;
  return `${gateway}${lag}`;
}

function requestTable({ requests }: GatewayPlan): string {
  const rows = requests.map((request: PlannedRequest, index) => [
    `attempt ${attemptName(index)}`,
    proseMarkdown(requestText(request)),
  ]);
  return table(["attempt", "sends"], rows);
}
