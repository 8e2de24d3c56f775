// Decides which targets have an eventually consistent store: a model of one, and Workers KV on workerd.
import type { Policy } from "../model/policy.ts";
import { inProcessRunner } from "../properties/in-process-runner.ts";
import { type KvWorkerd, startKvWorkerd } from "../properties/kv/kv-workerd.ts";
import type { PlanRunner } from "../properties/plan-runner.ts";
import { kvModelTarget } from "../properties/targets/kv-model-target.ts";
import { kvRunner } from "../properties/targets/kv-target.ts";
import { describeError, refuse, type Refusal } from "./refusal.ts";

export const eventualTargets = ["kv-model", "kv"] as const;
export type EventualTarget = (typeof eventualTargets)[number];

export function isEventualTarget(name: string): name is EventualTarget {
  return eventualTargets.some((target) => target === name);
}

export interface StartedKvRuntime {
  readonly kind: "started";
  /** Null: no target on workerd is judged. */
  readonly workerd: KvWorkerd | null;
}

export const noKvRuntime: StartedKvRuntime = { kind: "started", workerd: null };

/** One runner for each of `targets`; those on workerd leave the runtime running. */
export function eventualRunnersOf(
  policy: Policy,
  targets: readonly EventualTarget[],
  { workerd }: StartedKvRuntime,
): readonly PlanRunner[] {
  return targets.map((name) => {
    switch (name) {
      case "kv-model":
        return inProcessRunner(kvModelTarget(policy), { policy });
      case "kv":
        if (workerd === null) throw new Error("no workerd process for target=kv: start it first");
        return kvRunner(workerd, { policy });
    }
  });
}

export async function startKvRuntime(): Promise<StartedKvRuntime | Refusal> {
  try {
    return { kind: "started", workerd: await startKvWorkerd() };
  } catch (error) {
    return refuse(
      `the runtime of KV does not start: error=${describeError(error)}; run npm ci, and see that the temporary folder has room`,
    );
  }
}

export async function stopKvRuntime(runtime: StartedKvRuntime | Refusal): Promise<void> {
  if (runtime.kind === "started") await runtime.workerd?.close().catch(() => {});
}
