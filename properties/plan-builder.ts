// Builds plans and the gist of a history by hand, for the tests of runs.
import type { History } from "./history.ts";
import { installNodeSchedulePoints } from "./node-schedule-points.ts";
import type { CallStep, Plan, PlanStep } from "./plan.ts";
import { type RunOptions, runPlan } from "./run-plan.ts";
import type { StoreTarget } from "./target.ts";

export const reserve = (attempt: number, more: Partial<CallStep<"reserve">> = {}): PlanStep => ({
  kind: "reserve",
  attempt,
  fault: "none",
  overlaps: false,
  ...more,
});
export const settle = (attempt: number, more: Partial<CallStep<"settle">> = {}): PlanStep => ({
  kind: "settle",
  attempt,
  fault: "none",
  overlaps: false,
  ...more,
});

/** Three attempts on one key: A commits, B releases, of C nobody knows. */
export function planOf(steps: readonly PlanStep[], more: Partial<Plan> = {}): Plan {
  const attempt = { key: 0, fingerprint: "f", response: "ok" };
  return {
    pendingMs: 100,
    retentionMs: 100,
    keys: ["k"],
    attempts: [
      { ...attempt, token: "a", effect: "success" },
      { ...attempt, token: "b", effect: "soft-fail" },
      { ...attempt, token: "c", effect: "unknown" },
    ],
    steps,
    schedule: [],
    ...more,
  };
}

/** With the timers of Node held by the plan. */
export const run = (target: StoreTarget, plan: Plan, options: RunOptions = {}): Promise<History> =>
  runPlan(target, plan, { installSchedulePoints: installNodeSchedulePoints, ...options });

/** The calls and answers of the plan's own attempts, without the probes at the end. */
export function told(history: History): string[] {
  const calls = new Map<number, string>();
  return history.events.flatMap((event) => {
    switch (event.kind) {
      case "invocation":
        if (event.token.startsWith("probe")) return [];
        calls.set(event.operation, `${event.call} ${event.token}`);
        return [];
      case "completion": {
        const call = calls.get(event.operation);
        return call === undefined ? [] : [`${call}: ${event.answer.outcome}`];
      }
      case "lost-call":
        return [`${event.call} ${event.token}: lost`];
      case "effect":
        return [`effect of ${event.attempt}`];
      case "target-fault":
        return [`${event.operation} ${event.problem}: ${event.detail}`];
      case "crash":
        return ["crash"];
      case "advance":
      case "size":
        return [];
    }
  });
}
