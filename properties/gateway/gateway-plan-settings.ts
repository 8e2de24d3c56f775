// How the gateway of a plan is set: the policy that is judged, with times that its plans know.
import { gatewaySettingsOf, type GatewaySettings } from "../../impl/gateway-settings.ts";
import { blockingTimes, type Policy } from "../../model/policy.ts";
import { planTimes } from "./gateway-plan.ts";
import { planApiKeys } from "./gateway-requests.ts";

/** The mode is the plan's own; waits do not matter, since the plan's gates have no timers. */
export async function planSettings(policy: Policy): Promise<GatewaySettings> {
  const reading = gatewaySettingsOf({});
  if (reading.outcome === "refused") throw new Error(reading.detail);
  const { windowMs, ...client } = planTimes;
  return {
    ...reading.settings,
    policy,
    replays: policy.replay,
    clientTimes: blockingTimes(policy, client),
    windowTimes: blockingTimes(policy, { ...client, retentionMs: windowMs }),
    apiKeys: await planApiKeys(),
  };
}
