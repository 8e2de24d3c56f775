// What campaigns of one kind have in common, and the two kinds on stores: with a serial point, and without.
import type fc from "fast-check";
import type { EventualStoreClaim, StoreClaim } from "../model/claims.ts";
import type { Policy, PolicyName } from "../model/policy.ts";
import type { RandomlyJudged } from "./campaign-rows.ts";
import { endingRunner } from "./ending-runner.ts";
import type { History } from "./history.ts";
import { reservePlans } from "./kv/reserve-plans.ts";
import { type PlanShape, storePlanShape } from "./minimise.ts";
import type { Plan } from "./plan.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import type { PlanRunner } from "./plan-runner.ts";
import { situationNames } from "./situations.ts";

/** Opens the targets under a policy; the first is where a finding is shrunk first. */
export type RunnersOf<SomePlan = Plan, SomeHistory = History> = (
  policy: Policy,
) => readonly PlanRunner<SomePlan, SomeHistory>[];

/** Campaigns that run plans of one kind: one a policy and target. */
export interface CampaignGroup<SomePlan = Plan, SomeHistory = History> {
  readonly claims: readonly RandomlyJudged[];
  readonly runnersOf: RunnersOf<SomePlan, SomeHistory>;
  /** Histories for each policy on each target, where nobody says how many. */
  readonly defaultRuns: Readonly<Record<PolicyName, number>>;
  readonly plansUnder: (policy: Policy) => fc.Arbitrary<SomePlan>;
  readonly shape: PlanShape<SomePlan>;
  /** Every situation that is looked for. */
  readonly situations: readonly string[];
  /** What one campaign found is where the next shrinks first: of one policy, or of one target. */
  readonly hintsAlong: "policy" | "target";
  /** Runs the plans of the search for a minimal one; the runner itself unless told. */
  readonly shrinkRunnerOf?: (
    runner: PlanRunner<SomePlan, SomeHistory>,
  ) => PlanRunner<SomePlan, SomeHistory>;
}

/** About a minute on two cores, with everything beside it. */
const defaultRuns = { paper: 2000, published: 2000, hardened: 3000 } as const;

/** What blocks under one policy need not under another, so that hints are of one policy. */
export function serialStores(claims: readonly StoreClaim[], runnersOf: RunnersOf): CampaignGroup {
  return {
    claims,
    runnersOf,
    defaultRuns,
    plansUnder: (policy) =>
      planArbitrary({ crash: true, exactClock: true, oneTime: hasOneTime(policy) }),
    shape: storePlanShape,
    situations: situationNames,
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
    defaultRuns,
    plansUnder: (policy) => reservePlans({ oneTime: hasOneTime(policy) }),
    shape: storePlanShape,
    situations: situationNames,
    hintsAlong: "target",
  };
}

function hasOneTime({ pendingTime }: Policy): boolean {
  return pendingTime === "retention";
}
