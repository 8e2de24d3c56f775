// Runs the campaigns over the whole gateway: one a policy, each found plan a hint to the next.
import { policies, type Policy, type PolicyName } from "../../model/policy.ts";
import { runCampaignOf } from "../campaign.ts";
import type { CampaignResult } from "../results.ts";
import { type CampaignsOptions, endOfShare } from "../store-campaigns.ts";
import type { GatewayHistory } from "./gateway-history.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import { gatewayPlanArbitrary } from "./gateway-plan-arbitrary.ts";
import { gatewayPlanShape } from "./gateway-plan-shapes.ts";
import type { GatewayRunner } from "./gateway-runner.ts";

export interface GatewayCampaign {
  readonly policy: PolicyName;
  readonly result: CampaignResult<GatewayPlan, GatewayHistory>;
}

/**
 * Enough that every expected refutation is found whatever the seed: under `published` the rarest is
 * in one plan of 120, so that 1,200 plans miss it once in 20,000 runs.
 */
export const defaultGatewayRuns: Readonly<Record<PolicyName, number>> = {
  paper: 1000,
  published: 1400,
  hardened: 2000,
};

/** A plan that breaks one policy often breaks another: shrinking starts there where it does. */
export async function* gatewayCampaigns(
  runnerOf: (policy: Policy) => GatewayRunner,
  options: CampaignsOptions & {
    /** What is shrunk and reported when it breaks. */
    readonly invariants: ReadonlySet<string>;
  },
): AsyncGenerator<GatewayCampaign> {
  const startedAtMs = performance.now();
  const hints = new Map<string, GatewayPlan>();
  let before = 0;
  for (const [index, policy] of options.policies.entries()) {
    const runner = runnerOf(policies[policy]);
    const runs = options.runsUnder(policy);
    const started = before;
    const result = await runCampaignOf(gatewayPlanShape, runner, {
      seed: options.seed,
      runs,
      plans: gatewayPlanArbitrary(),
      signal: options.signal,
      invariants: options.invariants,
      hints,
      shrinkRunner: inFewAtOnce(runner),
      ...endOfShare(options, startedAtMs, options.policies.length - index),
      onProgress: (done) => options.onProgress(started + done, `${policy} · ${runner.name}`),
    });
    before += runs;
    for (const { invariant, plan } of result.findings) hints.set(invariant, plan);
    yield { policy, result };
  }
}

/** While shrinking, the first plan that still fails ends a batch: what comes after it was in vain. */
function inFewAtOnce(runner: GatewayRunner): GatewayRunner {
  return { ...runner, judgePlans: (plans) => runner.judgePlans(plans.slice(0, fewAtOnce)) };
}

const fewAtOnce = 8;
