// Decides how a counterexample of a gateway plan is saved and reads: who sent what, what became of it, how to rerun.
import type { GatewayHistory } from "../properties/gateway/gateway-history.ts";
import type { GatewayPlan, PlannedRequest } from "../properties/gateway/gateway-plan.ts";
import type { Counterexample, Finding } from "../properties/results.ts";
import type { CounterexampleNames } from "./counterexample-json.ts";
import {
  type BrokenSentences,
  fenced,
  judgedBy,
  minimality,
  quoted,
  stepTable,
  storyLine,
  table,
} from "./counterexample-markdown.ts";
import { tellGatewayStory } from "./gateway-story.ts";
import { requestText } from "./gateway-words.ts";
import { codeSpan, proseMarkdown } from "./show-text.ts";
import { attemptName } from "./story.ts";

export type GatewayFinding = Finding<GatewayPlan, GatewayHistory>;

/** The plan of a gateway counterexample; `kind` tells it from plans of other targets. */
export type SavedGatewayPlan = { readonly kind: "gateway" } & GatewayPlan;

export type GatewayCounterexample = Counterexample<SavedGatewayPlan>;

export function toGatewayCounterexample(
  finding: GatewayFinding,
  { claim, policy, target, rerun }: Omit<CounterexampleNames, "targetFile">,
): GatewayCounterexample {
  const { invariant, seed, path, plan, history, violation, minimal } = finding;
  const { steps: told } = tellGatewayStory(history, plan);
  const last = gatewayEvidence(finding).at(-1);
  const steps = last === undefined ? told : told.slice(0, last);
  return {
    schema: "latchkey.counterexample/1",
    claim,
    invariant,
    policy,
    target,
    seed,
    path,
    plan: { kind: "gateway", ...plan },
    steps,
    explanation: violation.explanation,
    ...(violation.way === undefined ? {} : { witness: violation.way }),
    length: steps.length,
    minimal,
    rerun,
  };
}

/** The steps at which the evidence of a finding lies, in order. */
export function gatewayEvidence({ history, plan, violation }: GatewayFinding): readonly number[] {
  const { stepOfEvent } = tellGatewayStory(history, plan);
  const steps = violation.events.flatMap((event) => stepOfEvent[event] ?? []);
  return [...new Set(steps)].toSorted((one, other) => one - other);
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
  const { claim, invariant, policy, target, plan, steps, explanation, witness } = counterexample;
  return [
    `# ${proseMarkdown(claim)} is refuted`,
    `${judgedBy(policy)}, target **${proseMarkdown(target)}** in mode **${plan.mode}**, ${plan.requests.length} ${plan.requests.length === 1 ? "attempt" : "attempts"}, ${steps.length} steps, ${minimality(counterexample.minimal)}.`,
    ...quoted("Claim", claim, sentences.statement, sentences.source),
    ...quoted("Invariant", invariant, sentences.invariant, ""),
    `**What broke.** ${proseMarkdown(explanation)}`,
    ...(witness === undefined
      ? []
      : [`**Known as ${proseMarkdown(witness)}.** ${proseMarkdown(sentences.way)}`]),
    "## The story",
    steps.map((step) => storyLine(step, evidence.includes(step.step))).join("\n"),
    ...(evidence.length === 0 ? [] : ["⚡ marks the steps that the sentence above is about."]),
    "## Step by step",
    stepTable(steps, evidence),
    `Times are milliseconds since the start. *The store holds* is what the store itself showed after the step.${clocksText(plan)}`,
    "## Who is who",
    requestTable(plan),
    "## Run it again",
    `\`\`\`sh\n${fenced(counterexample.rerun)}\n\`\`\``,
    `Found with \`--seed ${counterexample.seed}\`, path ${codeSpan(counterexample.path)}. The exit status is 0 if it still reproduces, 1 if it no longer does.`,
    "",
  ].join("\n\n");
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
