// What Node and the rate limiter's harness Worker say to each other over HTTP: JSON bodies, by path.
import type { RateLimit } from "../../impl/rate-limit.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import type { RateLimitHistory } from "./rate-limit-history.ts";
import type { RateLimitPlan } from "./rate-limit-plan.ts";

export interface LimiterChoice {
  readonly algorithm: RateLimit["algorithm"];
  /**
   * A defect planted in the limiter: it lets others in between its read and its write (`gap`), loses
   * its log in a reset (`forgets`), or erases nothing when its alarm rings (`keeps`).
   */
  readonly mutant: "gap" | "forgets" | "keeps" | null;
}

/** Request and answer by path; every request is a POST. */
export interface LimiterHarnessCalls {
  readonly "/limiter/judge": {
    readonly request: { readonly limiter: LimiterChoice; readonly plans: readonly RateLimitPlan[] };
    readonly answer: readonly PlanVerdict[];
  };
  readonly "/limiter/run": {
    readonly request: { readonly limiter: LimiterChoice; readonly plan: RateLimitPlan };
    readonly answer: JudgedHistory<RateLimitHistory>;
  };
}
