// Which rate-limit plans are smaller or simpler than a given one: the candidates of the search for a minimal one.
import { type PlanShape, replaced, stepsWithoutChunks, sum, without } from "../minimise.ts";
import type { RateLimitPlan, RateLimitStep } from "./rate-limit-plan.ts";

export const rateLimitPlanShape: PlanShape<RateLimitPlan> = {
  withoutChunks: stepsWithoutChunks,
  withoutOne: (plan) =>
    plan.steps.map((_, index) => ({ ...plan, steps: without(plan.steps, index, 1) })),
  simpler,
};

/** Every plan with one value put simpler; each is strictly lighter by `weight`, so this ends. */
function simpler(plan: RateLimitPlan): readonly RateLimitPlan[] {
  const candidates = [
    { ...plan, limit: plan.limit - 1 },
    ...plan.steps.flatMap((step, index) =>
      simplerSteps(step, plan.windowMs).map((better) => ({
        ...plan,
        steps: replaced(plan.steps, index, better),
      })),
    ),
  ];
  const current = weight(plan);
  return candidates.filter((candidate) => candidate.limit > 0 && weight(candidate) < current);
}

function simplerSteps(step: RateLimitStep, windowMs: number): readonly RateLimitStep[] {
  switch (step.kind) {
    case "ask":
      return [
        { ...step, overlaps: false },
        { ...step, tenant: 0 },
        { ...step, isolate: 0 },
        { ...step, isolate: 1 },
      ];
    case "advance":
      return [1, windowMs, windowMs - 1].map((ms) => ({ ...step, ms }));
    case "late-alarm":
      return [{ kind: "advance", ms: step.ms }];
    case "crash":
      return [];
  }
}

function weight({ limit, windowMs, steps }: RateLimitPlan): number {
  return limit + sum(steps.map((step) => stepWeight(step, windowMs)));
}

function stepWeight(step: RateLimitStep, windowMs: number): number {
  switch (step.kind) {
    case "ask":
      return step.tenant + step.isolate + (step.overlaps ? 1 : 0);
    case "advance":
      return timeWeight(step.ms, windowMs);
    case "late-alarm":
      return 10 + timeWeight(step.ms, windowMs);
    case "crash":
      return 0;
  }
}

/** The plainest first; another time may be any, so long as it is not lighter than these. */
function timeWeight(ms: number, windowMs: number): number {
  const place = [1, windowMs, windowMs - 1].indexOf(ms);
  return place < 0 ? 3 : place;
}
