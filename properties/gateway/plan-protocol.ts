// What Node and the gateway's harness Worker say to each other over HTTP: JSON bodies, by path.
import type { StoreChoice } from "../durable-object/protocol.ts";
import type { PlanVerdict } from "../plan-runner.ts";
import type { GatewayMutantName } from "./gateway-mutants.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import type { JudgedGatewayHistory } from "./judge-gateway.ts";

/** What the plans run on. */
export interface PlannedSystem {
  readonly store: StoreChoice;
  /** Null for what ships. */
  readonly mutant: GatewayMutantName | null;
}

/** Request and answer by path; every request is a POST. */
export interface GatewayHarnessCalls {
  readonly "/gateway/judge": {
    readonly request: PlannedSystem & { readonly plans: readonly GatewayPlan[] };
    readonly answer: readonly PlanVerdict[];
  };
  readonly "/gateway/run": {
    readonly request: PlannedSystem & { readonly plan: GatewayPlan };
    readonly answer: JudgedGatewayHistory;
  };
}
