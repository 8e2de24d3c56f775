// Decides how a counterexample of a rate-limit plan is saved and reads: who asked when, who was admitted, how to rerun.
import type { RateLimitHistory } from "../properties/rate-limit/rate-limit-history.ts";
import type { RateLimitPlan } from "../properties/rate-limit/rate-limit-plan.ts";
import type { Counterexample, Finding } from "../properties/results.ts";
import { counterexampleOf, type FindingNames, stepsOfEvidence } from "./counterexample-json.ts";
import { type BrokenSentences, counterexamplePage } from "./counterexample-markdown.ts";
import { tellRateLimitStory } from "./rate-limit-story.ts";
import { proseMarkdown } from "./show-text.ts";

export type RateLimitFinding = Finding<RateLimitPlan, RateLimitHistory>;

/** The plan of a counterexample of the rate limiter; `kind` tells it from plans of other targets. */
export type SavedRateLimitPlan = { readonly kind: "rate-limit" } & RateLimitPlan;

export type RateLimitCounterexample = Counterexample<SavedRateLimitPlan>;

export function toRateLimitCounterexample(
  finding: RateLimitFinding,
  names: FindingNames,
): RateLimitCounterexample {
  const story = tellRateLimitStory(finding.history);
  return counterexampleOf(finding, names, { kind: "rate-limit", ...finding.plan }, story);
}

/** The steps at which the evidence of a finding lies, in order. */
export function rateLimitEvidence({ history, violation }: RateLimitFinding): readonly number[] {
  return stepsOfEvidence(violation, tellRateLimitStory(history));
}

export function rateLimitCounterexampleMarkdown(
  counterexample: RateLimitCounterexample,
  sentences: BrokenSentences,
  evidence: readonly number[],
): string {
  const { target, plan } = counterexample;
  return counterexamplePage(counterexample, {
    place: `target **${proseMarkdown(target)}**, a limit of ${plan.limit} in ${plan.windowMs} ms`,
    sentences,
    evidence,
    mark: "⚡ marks the steps that the sentence above is about.",
    legend: `Times are milliseconds on the limiters' clock, since the start. *The store holds* are the admissions of the last ${plan.windowMs} ms, as the answers told them.`,
    cast: [],
  });
}
