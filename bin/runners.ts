// Decides which targets are ours to judge: the model, the memory store, the Durable Object on workerd.
import { availableParallelism } from "node:os";
import type { Policy } from "../model/policy.ts";
import type { Workerd } from "../properties/durable-object/workerd.ts";
import { inProcessRunner } from "../properties/in-process-runner.ts";
import type { PlanRunner } from "../properties/plan-runner.ts";
import {
  durableObjectRunner,
  startProcesses,
} from "../properties/targets/durable-object-target.ts";
import { memoryTarget } from "../properties/targets/memory-target.ts";
import { modelTarget } from "../properties/targets/model-target.ts";
import { describeError, refuse, type Refusal } from "./refusal.ts";

export const builtInTargets = ["model", "memory", "durable-object"] as const;
export type BuiltInTarget = (typeof builtInTargets)[number];

const mostProcesses = 2;

/** One runner for each of `targets`, the fastest first: findings are shrunk there. */
export function runnersOf(
  policy: Policy,
  targets: readonly BuiltInTarget[],
  processes: readonly Workerd[],
): readonly PlanRunner[] {
  return targets.map((name) => {
    switch (name) {
      case "model":
        return inProcessRunner(modelTarget(policy), { policy });
      case "memory":
        return inProcessRunner(memoryTarget(policy), { policy });
      case "durable-object":
        return durableObjectRunner(processes, { policy });
    }
  });
}

export interface StartedRuntime {
  readonly kind: "started";
  readonly processes: readonly Workerd[];
}

export async function startRuntime(): Promise<StartedRuntime | Refusal> {
  try {
    const processes = await startProcesses(Math.min(mostProcesses, availableParallelism()));
    return { kind: "started", processes };
  } catch (error) {
    return refuse(
      `the runtime does not start: error=${describeError(error)}; run npm ci, and see that the temporary folder has room`,
    );
  }
}

export async function stopRuntime(processes: readonly Workerd[]): Promise<void> {
  await Promise.allSettled(processes.map((workerd) => workerd.close()));
}
