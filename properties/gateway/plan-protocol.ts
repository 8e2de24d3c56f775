// What Node and the gateway's harness Worker say to each other over HTTP: JSON bodies, by path.
import type { StoreChoice } from "../durable-object/protocol.ts";
import type { PlanVerdict } from "../plan-runner.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import type { JudgedGatewayHistory } from "./judge-gateway.ts";

/** Request and answer by path; every request is a POST. */
export interface GatewayHarnessCalls {
  readonly "/gateway/judge": {
    readonly request: { readonly store: StoreChoice; readonly plans: readonly GatewayPlan[] };
    readonly answer: readonly PlanVerdict[];
  };
  readonly "/gateway/run": {
    readonly request: { readonly store: StoreChoice; readonly plan: GatewayPlan };
    readonly answer: JudgedGatewayHistory;
  };
}
