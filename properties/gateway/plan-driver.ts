// The gateway's harness Worker: it runs and judges gateway plans beside the store's objects.
import { HarnessStore } from "../durable-object/harness-store.ts";
import type { StoreChoice } from "../durable-object/protocol.ts";
import type { PlanVerdict } from "../plan-runner.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import { gatewayVerdictOf, judgeGateway, type JudgedGatewayHistory } from "./judge-gateway.ts";
import { type StoreNamespace, withLaneStore } from "./lane-plan-store.ts";
import { planGateway } from "./plan-gateway.ts";
import type { GatewayHarnessCalls } from "./plan-protocol.ts";
import { runGatewayPlan } from "./run-gateway-plan.ts";

export { HarnessStore };

interface HarnessEnv {
  readonly STORE: StoreNamespace;
}

type Path = keyof GatewayHarnessCalls;
type Handlers = {
  readonly [P in Path]: (
    request: GatewayHarnessCalls[P]["request"],
    store: StoreNamespace,
  ) => Promise<GatewayHarnessCalls[P]["answer"]>;
};

export default {
  async fetch(request: Request, env: HarnessEnv): Promise<Response> {
    const { pathname } = new URL(request.url);
    try {
      const handler = handlers[pathname as Path] as Handlers[Path] | undefined;
      if (handler === undefined) return new Response(`no such path: ${pathname}`, { status: 404 });
      return Response.json(await handler(await request.json(), env.STORE));
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return new Response(text, { status: 500 });
    }
  },
};

const handlers: Handlers = {
  "/gateway/judge": ({ store, plans }, namespace) => judgePlans(namespace, store, plans),
  "/gateway/run": ({ store, plan }, namespace) => runAndJudge(namespace, store, plan),
};

async function judgePlans(
  namespace: StoreNamespace,
  store: StoreChoice,
  plans: readonly GatewayPlan[],
): Promise<PlanVerdict[]> {
  const verdicts: PlanVerdict[] = [];
  for (const plan of plans) {
    verdicts.push(gatewayVerdictOf(await runAndJudge(namespace, store, plan)));
    if (verdicts.length % plansPerPause === 0) await breathe();
  }
  return verdicts;
}

async function runAndJudge(
  namespace: StoreNamespace,
  store: StoreChoice,
  plan: GatewayPlan,
): Promise<JudgedGatewayHistory> {
  const gateway = await planGateway(store.policy);
  const history = await withLaneStore(namespace, store, (lent) =>
    runGatewayPlan(plan, gateway, lent),
  );
  return { history, judgement: judgeGateway(history) };
}

/** A tight loop of calls starves workerd's event loop: timers and new requests wait for its pauses. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** About 60 calls. */
const plansPerPause = 4;
