// The gateway's harness Worker: it runs and judges gateway plans beside the store's objects.
import { HarnessStore } from "../durable-object/harness-store.ts";
import { judgeEach, serve } from "../harness-serving.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import { gatewayVerdictOf, judgeGateway, type JudgedGatewayHistory } from "./judge-gateway.ts";
import { type StoreNamespace, withLaneStore } from "./lane-plan-store.ts";
import { planGateway } from "./plan-gateway.ts";
import { withMutant } from "./gateway-mutants.ts";
import type { GatewayHarnessCalls, PlannedSystem } from "./plan-protocol.ts";
import { runGatewayPlan } from "./run-gateway-plan.ts";

export { HarnessStore };

interface HarnessEnv {
  readonly STORE: StoreNamespace;
}

export default serve<GatewayHarnessCalls, HarnessEnv>({
  "/gateway/judge": ({ plans, ...system }, { STORE }) =>
    judgeEach(plans, plansPerPause, async (plan) =>
      gatewayVerdictOf(await runAndJudge(STORE, system, plan)),
    ),
  "/gateway/run": ({ plan, ...system }, { STORE }) => runAndJudge(STORE, system, plan),
});

async function runAndJudge(
  namespace: StoreNamespace,
  { store, mutant }: PlannedSystem,
  plan: GatewayPlan,
): Promise<JudgedGatewayHistory> {
  const gateway = withMutant(await planGateway(store.policy), mutant);
  const history = await withLaneStore(namespace, store, (lent) =>
    runGatewayPlan(plan, gateway, lent),
  );
  return { history, judgement: judgeGateway(history) };
}

/** About 60 calls. */
const plansPerPause = 4;
