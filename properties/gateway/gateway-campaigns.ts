// The campaigns over the whole gateway: how many plans each has, and where they shrink.
import type { GatewayClaim } from "../../model/claims.ts";
import type { PolicyName } from "../../model/policy.ts";
import type { CampaignGroup, RunnersOf } from "../campaign-groups.ts";
import type { GatewayHistory } from "./gateway-history.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import { gatewayPlanArbitrary } from "./gateway-plan-arbitrary.ts";
import { gatewayPlanShape } from "./gateway-plan-shapes.ts";
import type { GatewayRunner } from "./gateway-runner.ts";
import { gatewaySituationNames } from "./gateway-situations.ts";

/**
 * Enough that every expected refutation is found whatever the seed: under `published` the rarest is
 * in one plan of 120, so that 1,200 plans miss it once in 20,000 runs.
 */
const defaultGatewayRuns: Readonly<Record<PolicyName, number>> = {
  paper: 1000,
  published: 1400,
  hardened: 2000,
};

/** A plan that breaks one policy often breaks another: shrinking starts there where it does. */
export function wholeGateway(
  claims: readonly GatewayClaim[],
  runnersOf: RunnersOf<GatewayPlan, GatewayHistory>,
): CampaignGroup<GatewayPlan, GatewayHistory> {
  return {
    claims,
    runnersOf,
    defaultRuns: defaultGatewayRuns,
    plansUnder: () => gatewayPlanArbitrary(),
    shape: gatewayPlanShape,
    situations: gatewaySituationNames,
    hintsAlong: "target",
    shrinkRunnerOf: inFewAtOnce,
  };
}

/** While shrinking, the first plan that still fails ends a batch: what comes after it was in vain. */
function inFewAtOnce(runner: GatewayRunner): GatewayRunner {
  return { ...runner, judgePlans: (plans) => runner.judgePlans(plans.slice(0, fewAtOnce)) };
}

const fewAtOnce = 8;
