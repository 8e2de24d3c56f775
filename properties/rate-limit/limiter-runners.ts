// The rate limiter as runners of plans: the shipped store on real workerd, and its pure decisions alone.
import type { Policy } from "../../model/policy.ts";
import type { JudgedHistory, PlanRunner } from "../plan-runner.ts";
import { judgeRateLimit, rateLimitVerdictOf } from "./judge-rate-limit.ts";
import type { LimiterChoice } from "./limiter-protocol.ts";
import type { LimiterWorkerd } from "./limiter-workerd.ts";
import { type DecideRequest, modelLimiter } from "./model-limiter.ts";
import type { RateLimitHistory } from "./rate-limit-history.ts";
import type { RateLimitPlan } from "./rate-limit-plan.ts";
import { runRateLimitPlan } from "./run-rate-limit-plan.ts";

/** Processes stay the caller's: `close` leaves them running for other policies. */
export type RateLimitRunner = PlanRunner<RateLimitPlan, RateLimitHistory>;

export function limiterRunner(
  workerd: LimiterWorkerd,
  { policy, mutant = null }: { readonly policy: Policy; readonly mutant?: LimiterChoice["mutant"] },
): RateLimitRunner {
  const limiter: LimiterChoice = { algorithm: policy.rateLimit, mutant };
  return {
    name: "rate-limiter",
    judgePlans: (plans) => workerd.post("/limiter/judge", { limiter, plans }),
    runPlan: (plan) => workerd.post("/limiter/run", { limiter, plan }),
    close: async () => {},
  };
}

/** `decideRequest` stands in for the decision that ships, for tests of the suite. */
export function modelLimiterRunner(
  { rateLimit }: Policy,
  decideRequest?: DecideRequest,
): RateLimitRunner {
  const run = async (plan: RateLimitPlan): Promise<JudgedHistory<RateLimitHistory>> => {
    const history = await runRateLimitPlan(plan, rateLimit, modelLimiter(decideRequest));
    return { history, judgement: judgeRateLimit(history) };
  };
  return {
    name: "rate-limiter-model",
    judgePlans: async (plans) => {
      const verdicts = [];
      for (const plan of plans) verdicts.push(rateLimitVerdictOf(await run(plan)));
      return verdicts;
    },
    runPlan: run,
    close: async () => {},
  };
}
