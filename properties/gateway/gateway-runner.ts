// The gateway on real workerd as a runner: gateway plans in batches, run and judged beside the objects.
import type { Policy } from "../../model/policy.ts";
import type { StoreChoice } from "../durable-object/protocol.ts";
import type { PlanRunner, PlanVerdict } from "../plan-runner.ts";
import type { GatewayHistory } from "./gateway-history.ts";
import type { GatewayMutantName } from "./gateway-mutants.ts";
import type { GatewayPlan } from "./gateway-plan.ts";
import { type GatewayWorkerd, startGatewayWorkerd } from "./plan-workerd.ts";

/** Its processes stay the caller's: `close` leaves them running for other policies. */
export type GatewayRunner = PlanRunner<GatewayPlan, GatewayHistory>;

export interface GatewayRunnerOptions {
  readonly policy: Policy;
  /** A planted defect; none where it is null or not told. */
  readonly mutant?: GatewayMutantName | null;
}

/** Starts `count` processes, or none where one fails; each takes plans of any policy. */
export async function startGatewayProcesses(count: number): Promise<readonly GatewayWorkerd[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, startGatewayWorkerd));
  const running = started.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const failed = started.find((start) => start.status === "rejected");
  if (failed === undefined) return running;
  await Promise.all(running.map((workerd) => workerd.close()));
  throw failed.reason;
}

/** Each process takes the next chunk when it has finished one; the order of plans is kept. */
export function gatewayRunner(
  processes: readonly GatewayWorkerd[],
  { policy, mutant = null }: GatewayRunnerOptions,
): GatewayRunner {
  const [first] = processes;
  if (first === undefined) throw new Error("no workerd process: start one at least");
  const store: StoreChoice = { policy, mutant: null };
  return {
    name: "gateway",
    async judgePlans(plans) {
      const verdicts: (readonly PlanVerdict[])[] = [];
      const size = Math.min(mostPlansPerRequest, Math.ceil(plans.length / processes.length));
      let next = 0;
      const work = async (workerd: GatewayWorkerd): Promise<void> => {
        for (let chunk = next++; chunk * size < plans.length; chunk = next++) {
          const chosen = plans.slice(chunk * size, (chunk + 1) * size);
          verdicts[chunk] = await workerd.post("/gateway/judge", {
            store,
            mutant,
            plans: chosen,
          });
        }
      };
      await Promise.all(processes.map(work));
      return verdicts.flat();
    },
    runPlan: (plan) => first.post("/gateway/run", { store, mutant, plan }),
    close: async () => {},
  };
}

const mostPlansPerRequest = 100;
