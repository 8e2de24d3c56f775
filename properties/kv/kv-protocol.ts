// What Node and the harness Worker over Workers KV say to each other over HTTP: JSON bodies, by path.
import type { Policy } from "../../model/policy.ts";
import type { Plan } from "../plan.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";

/** Request and answer by path; every request is a POST. */
export interface KvHarnessCalls {
  readonly "/judge": {
    readonly request: { readonly policy: Policy; readonly plans: readonly Plan[] };
    readonly answer: readonly PlanVerdict[];
  };
  readonly "/run": {
    readonly request: { readonly policy: Policy; readonly plan: Plan };
    readonly answer: JudgedHistory;
  };
}
