// A Worker that is the gateway with one binding missing or sabotaged: each request says which, and how.
import { DurableObject } from "cloudflare:workers";
import { answerTrade, createGateway } from "../../impl/gateway.ts";
import { gatewaySettingsOf, type GatewayVars, type Waits } from "../../impl/gateway-settings.ts";
import { liveCalls, type GatewayBindings } from "../../impl/live-calls.ts";

type Sabotage = "throws" | "hangs" | "answers nonsense" | "resets";

/** The headers of a request that say what is sabotaged; both go no further. */
const sabotageHeaders = { binding: "sabotage-binding", way: "sabotage-way" } as const;

interface SaboteurEnv extends GatewayBindings, GatewayVars {
  readonly SABOTEUR: DurableObjectNamespace<Saboteur>;
}

/** Stands for any binding, and does to every call what its name says. */
export class Saboteur extends DurableObject {
  async reserve(): Promise<unknown> {
    return this.#act();
  }
  async release(): Promise<unknown> {
    return this.#act();
  }
  async admit(): Promise<unknown> {
    return this.#act();
  }
  async get(): Promise<unknown> {
    return this.#act();
  }
  override async fetch(): Promise<Response> {
    await this.#act();
    return new Response("nonsense");
  }

  async #act(): Promise<unknown> {
    switch (this.ctx.id.name as Sabotage) {
      case "throws":
        throw new Error("sabotage");
      case "hangs":
        return new Promise(() => {});
      case "answers nonsense":
        return { outcome: "proceed", fence: "1", deadlineAtMs: null };
      case "resets":
        this.ctx.abort("sabotage");
        return undefined;
    }
  }
}

export default {
  async fetch(request: Request, env: SaboteurEnv): Promise<Response> {
    const reading = gatewaySettingsOf(env);
    if (reading.outcome === "refused") throw new Error(reading.detail);
    const binding = request.headers.get(sabotageHeaders.binding);
    const way = request.headers.get(sabotageHeaders.way);
    const bindings = binding === null ? env : { ...env, [binding]: standIn(env, binding, way) };
    const settings = { ...reading.settings, waits: waitsFor(binding) };
    return answerTrade(createGateway(settings, liveCalls(bindings)), request);
  },
};

/** What is sabotaged may hang; the rest is never given up, however slow the machine is. */
function waitsFor(binding: string | null): Waits {
  const waitMs = (name: string) => (name === binding ? 200 : 100_000);
  return {
    bodyMs: waitMs("the body, which is never sabotaged"),
    configMs: waitMs("CONFIG"),
    limiterMs: waitMs("RATE_LIMITER"),
    storeMs: waitMs("IDEMPOTENCY_STORE"),
    downstreamMs: waitMs("TRADE_SERVICE"),
    queueMs: waitMs("TRADES"),
  };
}

/** What is bound instead; nothing where the way is `missing`. */
function standIn(env: SaboteurEnv, binding: string, way: string | null): unknown {
  if (way === null || way === "missing") return undefined;
  const saboteur = () => env.SABOTEUR.getByName(way);
  if (binding === "CONFIG") return { get: () => saboteur().get() };
  if (binding === "TRADE_SERVICE") {
    return { fetch: (...all: Parameters<Fetcher["fetch"]>) => saboteur().fetch(...all) };
  }
  return { getByName: saboteur };
}
