// The gateway's harness Worker: it runs and judges gateway plans beside the store's objects.
import { HarnessStore } from "../durable-object/harness-store.ts";
import type { StoreChoice } from "../durable-object/protocol.ts";
import { judgeEach, serve } from "../harness-serving.ts";
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

export default serve<GatewayHarnessCalls, HarnessEnv>({
  "/gateway/judge": ({ store, plans }, { STORE }) =>
    judgeEach(plans, plansPerPause, async (plan) =>
      gatewayVerdictOf(await runAndJudge(STORE, store, plan)),
    ),
  "/gateway/run": ({ store, plan }, { STORE }) => runAndJudge(STORE, store, plan),
});

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

/** About 60 calls. */
const plansPerPause = 4;
