// The gateway and the consumer of a plan: what ships, under the policy that is judged, with the plan's times.
import type { Calls } from "../../impl/calls.ts";
import type { Gateway } from "../../impl/gateway.ts";
import { gatewaySettingsOf, type GatewaySettings } from "../../impl/gateway-settings.ts";
import type { Consumer } from "../../impl/queue-consumer.ts";
import type { QueuedTrade } from "../../impl/queued-trade.ts";
import {
  createGatewayAttempt,
  type GatewayAttempt,
  type GatewayMode,
} from "../../model/gateway-attempt.ts";
import { blockingTimes, type Policy } from "../../model/policy.ts";
import { createQueueConsumer } from "../../model/queue-consumer.ts";
import { planTimes } from "./gateway-plan.ts";
import { planApiKeys } from "./gateway-requests.ts";

export interface PlanGateway {
  readonly policy: Policy;
  gatewayWith(calls: Calls, mode: GatewayMode): Gateway;
  /** For the delivery of one message. */
  consumerWith(calls: Calls, message: QueuedTrade): Consumer;
}

/** Made once a policy: its machines cost more than a whole run. */
export function planGateway(policy: Policy): Promise<PlanGateway> {
  const kind = JSON.stringify(policy);
  const known = gateways.get(kind) ?? makeGateway(policy);
  gateways.set(kind, known);
  return known;
}

const gateways = new Map<string, Promise<PlanGateway>>();

async function makeGateway(policy: Policy): Promise<PlanGateway> {
  const settings = await settingsOf(policy);
  const attempts: Readonly<Record<GatewayMode, GatewayAttempt>> = {
    direct: createGatewayAttempt(policy, "direct"),
    "queue-everywhere": createGatewayAttempt(policy, "queue-everywhere"),
    "queue-failover": createGatewayAttempt(policy, "queue-failover"),
  };
  const consumer = createQueueConsumer(policy);
  return {
    policy,
    gatewayWith: (calls, mode) => ({
      settings: { ...settings, mode },
      calls,
      machine: attempts[mode],
    }),
    consumerWith: (calls) => ({ settings, calls, machine: consumer }),
  };
}

/** Waits do not matter: where a plan has gates there are no timers. */
async function settingsOf(policy: Policy): Promise<GatewaySettings> {
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
