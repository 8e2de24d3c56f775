// Decides which targets are ours to judge: the model, the memory store, the Durable Object and the gateway on workerd.
import { availableParallelism } from "node:os";
import type { Policy } from "../model/policy.ts";
import type { Workerd } from "../properties/durable-object/workerd.ts";
import { startGatewayProcesses } from "../properties/gateway/gateway-runner.ts";
import type { GatewayWorkerd } from "../properties/gateway/plan-workerd.ts";
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

export interface Started<Process> {
  readonly kind: "started";
  readonly processes: readonly Process[];
}

export function startRuntime(): Promise<Started<Workerd> | Refusal> {
  return starting(startProcesses(Math.min(mostProcesses, availableParallelism())));
}

/** Beside the stores one process is enough; alone the gateway takes as many as they do. */
export function startGateway(
  processes = Math.min(mostProcesses, availableParallelism()),
): Promise<Started<GatewayWorkerd> | Refusal> {
  return starting(startGatewayProcesses(processes));
}

export async function stopRuntime(processes: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.allSettled(processes.map((workerd) => workerd.close()));
}

/** Where it was not refused. */
export async function stopStarted(
  runtime: Started<{ close(): Promise<void> }> | Refusal,
): Promise<void> {
  if (runtime.kind === "started") await stopRuntime(runtime.processes);
}

/** Refused where a process does not start. */
export async function starting<Process>(
  processes: Promise<readonly Process[]>,
): Promise<Started<Process> | Refusal> {
  try {
    return { kind: "started", processes: await processes };
  } catch (error) {
    return refuse(
      `the runtime does not start: error=${describeError(error)}; run npm ci, and see that the temporary folder has room`,
    );
  }
}
