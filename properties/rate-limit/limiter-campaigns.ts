// The campaigns over the rate limiter: how many plans each has, and where they shrink.
import type { RateLimitClaim } from "../../model/claims.ts";
import type { CampaignGroup, RunnersOf } from "../campaign-groups.ts";
import type { RateLimitHistory } from "./rate-limit-history.ts";
import type { RateLimitPlan } from "./rate-limit-plan.ts";
import { rateLimitPlanArbitrary } from "./rate-limit-plan-arbitrary.ts";
import { rateLimitPlanShape } from "./rate-limit-plan-shape.ts";
import { rateLimitSituationNames } from "./rate-limit-situations.ts";

/** Under `published` one plan of about 23 is refuted: 400 plans miss it once in 50 million runs. */
const defaultLimiterRuns = { paper: 400, published: 400, hardened: 1000 } as const;

/** The limiter that ships and its model break by the same plans, but each is minimised by itself. */
export function rateLimiters(
  claims: readonly RateLimitClaim[],
  runnersOf: RunnersOf<RateLimitPlan, RateLimitHistory>,
): CampaignGroup<RateLimitPlan, RateLimitHistory> {
  return {
    claims,
    runnersOf,
    defaultRuns: defaultLimiterRuns,
    plansUnder: () => rateLimitPlanArbitrary(),
    shape: rateLimitPlanShape,
    situations: rateLimitSituationNames,
    hintsAlong: "policy",
  };
}
