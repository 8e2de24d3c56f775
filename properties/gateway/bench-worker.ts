// A Worker whose paths differ by one thing each: the mutex on, the mutex off, two bare object calls, nothing.
import { DurableObject } from "cloudflare:workers";
import { answerTrade, createGateway, type Gateway } from "../../impl/gateway.ts";
import { gatewaySettingsOf, type GatewayVars } from "../../impl/gateway-settings.ts";
import { liveCalls, type GatewayBindings } from "../../impl/live-calls.ts";

/** An object whose call does nothing: what one call costs at least. */
export class BareObject extends DurableObject {
  async nothing(): Promise<void> {}
}

interface BenchEnv extends GatewayBindings, GatewayVars {
  readonly BARE: DurableObjectNamespace<BareObject>;
}

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    switch (new URL(request.url).pathname) {
      case "/with":
        return answerTrade(gatewayOf(env, true), request);
      case "/without":
        return answerTrade(gatewayOf(env, false), request);
      case "/two-bare-calls": {
        await request.text();
        const bare = env.BARE.getByName("bare");
        await bare.nothing();
        await bare.nothing();
        return Response.json({});
      }
      default:
        await request.text();
        return Response.json({});
    }
  },
};

const gateways = new Map<boolean, Gateway>();

function gatewayOf(env: BenchEnv, hasMutex: boolean): Gateway {
  const gateway = gateways.get(hasMutex) ?? makeGateway(env, hasMutex);
  gateways.set(hasMutex, gateway);
  return gateway;
}

/** Without the mutex the reserve and the commit are answered here: everything else is the same. */
function makeGateway(env: BenchEnv, hasMutex: boolean): Gateway {
  const reading = gatewaySettingsOf(env);
  if (reading.outcome === "refused") throw new Error(reading.detail);
  const live = liveCalls(env);
  if (hasMutex) return createGateway(reading.settings, live);
  return createGateway(reading.settings, {
    ...live,
    reserve: async ({ times }) => ({
      outcome: "proceed",
      fence: 1,
      deadlineAtMs: live.now() + times.deadlineMs,
    }),
    commit: async () => ({ outcome: "done" }),
  });
}
