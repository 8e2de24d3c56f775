// Which claims are judged by which campaigns: on stores with a serial point, and on those without.
import type fc from "fast-check";
import type { EventualStoreClaim, StoreClaim } from "../model/claims.ts";
import type { Policy } from "../model/policy.ts";
import { endingRunner } from "./ending-runner.ts";
import { reservePlans } from "./kv/reserve-plans.ts";
import type { Plan } from "./plan.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import type { PlanRunner } from "./plan-runner.ts";

/** Opens the targets under a policy; the first is where a finding is shrunk first. */
export type RunnersOf = (policy: Policy) => readonly PlanRunner[];

export type CampaignClaim = StoreClaim | EventualStoreClaim;

/** Campaigns that run plans of one kind: one a policy and target. */
export interface CampaignGroup {
  readonly claims: readonly CampaignClaim[];
  readonly runnersOf: RunnersOf;
  readonly plansUnder: (policy: Policy) => fc.Arbitrary<Plan>;
  /** What one campaign found is where the next shrinks first: of one policy, or of one target. */
  readonly hintsAlong: "policy" | "target";
}

/** What blocks under one policy need not under another, so that hints are of one policy. */
export function serialStores(claims: readonly StoreClaim[], runnersOf: RunnersOf): CampaignGroup {
  return {
    claims,
    runnersOf,
    plansUnder: (policy) =>
      planArbitrary({ crash: true, exactClock: true, oneTime: hasOneTime(policy) }),
    hintsAlong: "policy",
  };
}

/**
 * A store without a serial point lets two through under any policy, each store in its own way: so
 * hints are of one target. A campaign ends with its finding; to go on would show more of the same.
 */
export function eventualStores(
  claims: readonly EventualStoreClaim[],
  runnersOf: RunnersOf,
): CampaignGroup {
  return {
    claims,
    runnersOf: (policy) => runnersOf(policy).map((runner) => endingRunner(runner, "acceptance")),
    plansUnder: (policy) => reservePlans({ oneTime: hasOneTime(policy) }),
    hintsAlong: "target",
  };
}

function hasOneTime({ pendingTime }: Policy): boolean {
  return pendingTime === "retention";
}
