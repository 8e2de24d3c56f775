// The protocol on the Workers KV binding of real workerd as a target: plans in batches.
import type { Policy } from "../../model/policy.ts";
import type { KvWorkerd } from "../kv/kv-workerd.ts";
import type { PlanRunner } from "../plan-runner.ts";

/**
 * A runner whose plans run and are judged beside the binding. What KV answers is what the local
 * runtime answers, which keeps no copies: it shows what a gap between get and put lets through, and
 * no stale read. The process stays the caller's: `close` leaves it running for other policies.
 */
export function kvRunner(workerd: KvWorkerd, { policy }: { readonly policy: Policy }): PlanRunner {
  return {
    name: "kv",
    judgePlans: (plans) => workerd.post("/judge", { policy, plans }),
    runPlan: (plan) => workerd.post("/run", { policy, plan }),
    close: async () => {},
  };
}
