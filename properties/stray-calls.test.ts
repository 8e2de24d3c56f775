import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hardened, published } from "../model/policy.ts";
import type { History, InvocationEvent } from "./history.ts";
import { installNodeSchedulePoints } from "./node-schedule-points.ts";
import type { CallStep, Plan, PlanStep } from "./plan.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import { type RunOptions, runPlan } from "./run-plan.ts";
import { memoryTarget } from "./targets/memory-target.ts";

const call = { attempt: 0, fault: "none", overlaps: false } as const satisfies Partial<
  CallStep<"reserve">
>;
const reserve: PlanStep = { kind: "reserve", ...call };
const settle: PlanStep = { kind: "settle", ...call };
const otherPayload: PlanStep = { ...reserve, otherPayload: true };
const otherResponse: PlanStep = { ...settle, otherResponse: true };
const release: PlanStep = { kind: "release", ...call };
const toEnd: PlanStep = { kind: "advance-to-end", attempt: 0, offsetMs: 0 };

const run = (plan: Plan, options: RunOptions = {}): Promise<History> =>
  runPlan(memoryTarget(hardened), plan, {
    installSchedulePoints: installNodeSchedulePoints,
    ...options,
  });

/** What A sends, and what it gets. */
async function told(steps: readonly PlanStep[], options: RunOptions = {}): Promise<string[]> {
  const attempt = {
    key: 0,
    token: "a",
    fingerprint: "f",
    effect: "success",
    response: "ok",
  } as const;
  const plan = { pendingMs: 100, retentionMs: 100, keys: ["k"], attempts: [attempt], schedule: [] };
  const { events } = await run({ ...plan, steps }, options);
  const sent = events.filter((event) => event.kind === "invocation" && event.token === "a");
  return (sent as InvocationEvent[]).map((invoked) => {
    const answer = events.find(
      (event) => event.kind === "completion" && event.operation === invoked.operation,
    );
    const said =
      invoked.call === "release"
        ? ""
        : ` ${invoked.call === "commit" ? invoked.response : invoked.fingerprint}`;
    return `${invoked.call}${said}: ${answer?.kind === "completion" ? answer.answer.outcome : ""}`;
  });
}

describe("an attempt that strays from its course", () => {
  it("asks again with another payload, and settles its own reservation all the same", async () => {
    expect(await told([reserve, otherPayload, settle])).toEqual([
      "reserve f: proceed",
      "reserve g: mismatch",
      "commit ok: done",
    ]);
  });

  it("commits no more once another payload may be reserved", async () => {
    const steps = [reserve, settle, toEnd, otherPayload, settle, otherResponse];
    expect(await told(steps)).toEqual([
      "reserve f: proceed",
      "commit ok: done",
      "reserve g: proceed",
    ]);
  });

  it("commits again with another response, and takes its commit back, never to commit again", async () => {
    expect(await told([reserve, settle, otherResponse, release, settle, reserve])).toEqual([
      "reserve f: proceed",
      "commit ok: done",
      "commit 1: done",
      "release: stale",
      "release: stale",
    ]);
  });

  it("keeps to its course where there is nothing to stray from, and releases nothing", async () => {
    expect(await told([otherPayload, release, otherResponse])).toEqual([
      "reserve f: proceed",
      "commit ok: done",
    ]);
  });

  it("keeps to its course where the policy knows nobody by a token", async () => {
    const steps = [reserve, otherPayload, settle, otherResponse, release];
    expect(await told(steps, { rules: published })).toEqual([
      "reserve f: proceed",
      "commit ok: done",
      "commit ok: done",
    ]);
  });
});

/** Which of the suite's own promises in the contract a history breaks. */
function promisesBroken({ events }: History): string[] {
  const calls = new Map<number, InvocationEvent>();
  const reserved = new Map<string, Set<string>>();
  const released = new Set<string>();
  return events.flatMap((event) => {
    if (event.kind === "invocation") {
      calls.set(event.operation, event);
      if (event.call === "release") released.add(event.token);
      if (event.call !== "commit") return [];
      const [fingerprint, ...others] = reserved.get(event.token) ?? [];
      if (released.has(event.token)) return ["a commit after a release"];
      return fingerprint === event.fingerprint && others.length === 0
        ? []
        : ["a commit of what was not reserved"];
    }
    if (event.kind !== "completion") return [];
    const invoked = calls.get(event.operation);
    const { outcome } = event.answer;
    if (invoked?.call === "reserve" && (outcome === "proceed" || outcome === "indeterminate")) {
      const known = reserved.get(invoked.token) ?? new Set();
      reserved.set(invoked.token, known.add(invoked.fingerprint));
    }
    return [];
  });
}

it("the suite never commits what is not reserved, nor after a release", async () => {
  await fc.assert(
    fc.asyncProperty(planArbitrary({ crash: true, exactClock: true }), async (plan) => {
      expect(promisesBroken(await run(plan))).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});
