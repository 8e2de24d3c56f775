// Decides which targets are rate limiters: the pure decisions, and the shipped store on workerd.
import type { Policy } from "../model/policy.ts";
import {
  limiterRunner,
  modelLimiterRunner,
  type RateLimitRunner,
} from "../properties/rate-limit/limiter-runners.ts";
import {
  type LimiterWorkerd,
  startLimiterWorkerd,
} from "../properties/rate-limit/limiter-workerd.ts";
import type { Refusal } from "./refusal.ts";
import { type Started, starting } from "./runners.ts";

export const rateLimiterTargets = ["rate-limiter-model", "rate-limiter"] as const;
export type RateLimiterTarget = (typeof rateLimiterTargets)[number];

/** One runner for each of `targets`, the fastest first; those on workerd leave the runtime running. */
export function rateLimiterRunnersOf(
  policy: Policy,
  targets: readonly RateLimiterTarget[],
  [workerd]: readonly LimiterWorkerd[],
): readonly RateLimitRunner[] {
  return targets.map((name) => {
    switch (name) {
      case "rate-limiter-model":
        return modelLimiterRunner(policy);
      case "rate-limiter":
        if (workerd === undefined) throw new Error(`no workerd process for target=${name}`);
        return limiterRunner(workerd, { policy });
    }
  });
}

export function startRateLimiters(): Promise<Started<LimiterWorkerd> | Refusal> {
  return starting(startLimiterWorkerd().then((workerd) => [workerd]));
}
