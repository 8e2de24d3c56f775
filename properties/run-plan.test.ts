import { scheduler, setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { hardened, paper, published } from "../model/policy.ts";
import type { History } from "./history.ts";
import { installNodeSchedulePoints } from "./node-schedule-points.ts";
import type { CallStep, Plan, PlanStep } from "./plan.ts";
import { type RunOptions, runPlan } from "./run-plan.ts";
import type { StoreSession, StoreTarget } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";

const reserve = (attempt: number, more: Partial<CallStep<"reserve">> = {}): PlanStep => ({
  kind: "reserve",
  attempt,
  fault: "none",
  overlaps: false,
  ...more,
});
const settle = (attempt: number, more: Partial<CallStep<"settle">> = {}): PlanStep => ({
  kind: "settle",
  attempt,
  fault: "none",
  overlaps: false,
  ...more,
});

function planOf(steps: readonly PlanStep[], more: Partial<Plan> = {}): Plan {
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

/** A correct store with one operation replaced. */
function brokenTarget(change: (session: StoreSession) => Partial<StoreSession>): StoreTarget {
  const target = memoryTarget(hardened);
  return {
    ...target,
    open: async (options) => {
      const session = await target.open(options);
      const bound: StoreSession = {
        reserve: (key, attempt) => session.reserve(key, attempt),
        commit: (key, attempt) => session.commit(key, attempt),
        release: (key, attempt) => session.release(key, attempt),
        advance: (ms) => session.advance(ms),
        crash: () => session.crash(),
        size: () => session.size(),
        close: () => session.close(),
      };
      return { ...bound, ...change(bound) };
    },
  };
}

const run = (target: StoreTarget, plan: Plan, options: RunOptions = {}): Promise<History> =>
  runPlan(target, plan, { installSchedulePoints: installNodeSchedulePoints, ...options });

/** The calls and answers of the plan's own attempts, without the probes at the end. */
function told(history: History): string[] {
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

describe("a run", () => {
  it("settles by the effect: success commits, a soft-fail releases, an unknown outcome stays", async () => {
    for (const [attempt, call] of [
      [0, "commit a: done"],
      [1, "release b: done"],
    ] as const) {
      const history = await run(
        memoryTarget(hardened),
        planOf([reserve(attempt), settle(attempt)]),
      );
      expect(told(history)).toEqual([
        expect.stringMatching(/^reserve .: proceed$/),
        `effect of ${attempt}`,
        call,
      ]);
    }
    const doubt = await run(memoryTarget(hardened), planOf([reserve(2), settle(2), settle(2)]));
    expect(told(doubt)).toEqual(["reserve c: proceed", "effect of 2"]);
    const freed = await run(memoryTarget(published), planOf([reserve(2), settle(2)]), {
      rules: published,
    });
    expect(told(freed)).toEqual(["reserve c: proceed", "effect of 2", "release c: done"]);
  });

  it("passes over what makes no sense: settling unasked, refused, or an attempt that is not there", async () => {
    const steps = [settle(0), reserve(0), reserve(1), settle(1), reserve(9), settle(9)];
    expect(told(await run(memoryTarget(hardened), planOf(steps)))).toEqual([
      "reserve a: proceed",
      "reserve b: in-flight",
    ]);
  });

  it("releases its own token when its reserve got no answer, and never reserves that token again", async () => {
    const steps = [reserve(0, { fault: "lost-after" }), settle(0), reserve(0)];
    expect(told(await run(memoryTarget(hardened), planOf(steps)))).toEqual([
      "reserve a: proceed",
      "release a: done",
    ]);
  });

  it("acts without an acceptance under the paper, which fails open, and not as published", async () => {
    const plan = planOf([reserve(0, { fault: "lost-before" }), settle(0)]);
    expect(told(await run(memoryTarget(paper), plan, { rules: paper }))).toEqual([
      "reserve a: lost",
      "effect of 0",
    ]);
    expect(told(await run(memoryTarget(published), plan, { rules: published }))).toEqual([
      "reserve a: lost",
    ]);
  });

  it("steps to the very end of a blocking, one before and one after it", async () => {
    for (const [offsetMs, outcome] of [
      [-1, "in-flight"],
      [0, "proceed"],
      [1, "proceed"],
    ] as const) {
      const steps: PlanStep[] = [
        reserve(0),
        { kind: "advance-to-end", attempt: 0, offsetMs },
        reserve(1),
      ];
      const history = await run(memoryTarget(hardened), planOf(steps));
      expect(told(history)).toEqual(["reserve a: proceed", `reserve b: ${outcome}`]);
      expect(history.events).toContainEqual({ kind: "advance", atMs: 0, ms: 100 + offsetMs });
    }
  });

  it("ends with nothing stored, and each key that was used reserved anew", async () => {
    const { events, plannedEvents } = await run(memoryTarget(hardened), planOf([reserve(0)]));
    expect(plannedEvents).toBe(2);
    expect(events.filter(({ kind }) => kind === "size")).toEqual([
      { kind: "size", atMs: 0, size: 1 },
      { kind: "size", atMs: 101, size: 0 },
    ]);
    expect(events.at(-1)).toMatchObject({ kind: "completion", answer: { outcome: "proceed" } });
  });

  it("is the same twice", async () => {
    const steps = [reserve(0, { overlaps: true }), reserve(1, { overlaps: true }), settle(0)];
    const plan = planOf(steps, { schedule: [3, 1, 2] });
    const target = memoryTarget(hardened);
    expect(await run(target, plan)).toEqual(await run(target, plan));
  });
});

describe("a gap between read and write is a schedule point", () => {
  const timers: Record<string, () => Promise<unknown>> = {
    "a timer": () => new Promise((resolve) => setTimeout(resolve, 5)),
    "an immediate": () => new Promise((resolve) => setImmediate(resolve)),
    "a timer of node:timers/promises": () => pause(1),
    "scheduler.wait": () => scheduler.wait(1),
    "scheduler.yield": () => scheduler.yield(),
    "a timer made a promise while it runs": () => promisify(setTimeout)(1),
  };
  const gaps: Record<string, () => Promise<unknown>> = {
    ...timers,
    "a few microtasks": async () => {
      for (let tick = 0; tick < 4; tick += 1) await Promise.resolve();
    },
  };
  for (const [name, gap] of Object.entries(gaps)) {
    it(`lets two attempts in by ${name} when the plan overlaps them, and one when it does not`, async () => {
      const target = brokenTarget((session) => {
        const taken = new Set<string>();
        return {
          reserve: async (key, attempt) => {
            if (taken.has(key)) return { outcome: "in-flight" };
            await gap();
            taken.add(key);
            return session.reserve(`${key}${attempt.token}`, attempt);
          },
        };
      });
      const overlapped = planOf([reserve(0, { overlaps: true }), reserve(1)]);
      expect(told(await run(target, overlapped)).sort()).toEqual([
        "reserve a: proceed",
        "reserve b: proceed",
      ]);
      expect(told(await run(target, planOf([reserve(0), reserve(1)])))).toEqual([
        "reserve a: proceed",
        "reserve b: in-flight",
      ]);
    });
  }

  it("closes in just as many microtasks as the plan pauses between two calls", async () => {
    const target = brokenTarget((session) => {
      const taken = new Set<string>();
      return {
        reserve: async (key, attempt) => {
          if (taken.has(key)) return { outcome: "in-flight" };
          for (let tick = 0; tick < 3; tick += 1) await null;
          taken.add(key);
          return session.reserve(`${key}${attempt.token}`, attempt);
        },
      };
    });
    for (const [pauseTicks, outcome] of [
      [0, "proceed"],
      [1, "proceed"],
      [2, "proceed"],
      [3, "in-flight"],
    ] as const) {
      const steps = [reserve(0, { overlaps: true }), reserve(1)];
      const history = await run(target, planOf(steps, { schedule: [pauseTicks] }));
      expect(told(history), `pauseTicks=${pauseTicks}`).toContain(`reserve b: ${outcome}`);
    }
  });

  it.each(Object.entries(timers))("is opened in the order of the schedule: %s", async (_, gap) => {
    const target = brokenTarget((session) => ({
      reserve: async (key, attempt) => {
        await gap();
        return session.reserve(key, attempt);
      },
    }));
    const steps = [reserve(0, { overlaps: true }), reserve(1, { overlaps: true })];
    const firstWins = await run(target, planOf(steps, { schedule: [0, 0, 0] }));
    expect(told(firstWins)).toEqual(["reserve a: proceed", "reserve b: in-flight"]);
    const secondWins = await run(target, planOf(steps, { schedule: [0, 0, 1] }));
    expect(told(secondWins)).toEqual(["reserve b: proceed", "reserve a: in-flight"]);
  });

  it("leaves to Node a timer that a signal can abort", async () => {
    const target = brokenTarget(() => ({
      reserve: () => pause(1, { outcome: "proceed" } as const, { signal: AbortSignal.abort() }),
    }));
    expect(told(await run(target, planOf([reserve(0)])))).toEqual([
      expect.stringMatching(/^reserve rejected: "AbortError/u),
    ]);
  });
});

describe("a target that breaks the contract", () => {
  const oneReserve = planOf([reserve(0)]);
  const faultOf = async (change: Partial<StoreSession>, plan = oneReserve) =>
    (
      await run(
        brokenTarget(() => change),
        plan,
        { answerBoundMs: 30 },
      )
    ).events.filter(({ kind }) => kind === "target-fault");

  it("is reported with the operation that rejected, and what it said", async () => {
    const reject = async (): Promise<never> => {
      throw new Error("out of\nmemory");
    };
    expect(await faultOf({ reserve: reject })).toMatchObject([
      { operation: "reserve", problem: "rejected", detail: '"Error: out of\\nmemory"' },
    ]);
    expect(await faultOf({ size: reject })).toMatchObject([{ operation: "size" }]);
    expect(await faultOf({ close: reject })).toMatchObject([{ operation: "close" }]);
  });

  it("is reported when it throws instead of rejecting", async () => {
    const advance = (): never => {
      throw new TypeError("no clock");
    };
    expect(await faultOf({ advance })).toMatchObject([
      { operation: "advance", problem: "rejected", detail: '"TypeError: no clock"' },
    ]);
  });

  it("is reported when it does not answer within the bound, even where it hangs at the close too", async () => {
    const hang = (): Promise<never> => new Promise(() => {});
    expect(await faultOf({ reserve: hang, close: hang })).toMatchObject([
      {
        operation: "reserve",
        problem: "no-answer",
        detail: "no answer for at least answerBoundMs=30",
      },
    ]);
  });

  it("is reported with an answer that the contract does not know", async () => {
    for (const answer of [undefined, null, 7, "proceed", {}, { outcome: "maybe" }]) {
      const reserve = async (): Promise<never> => answer as never;
      expect(await faultOf({ reserve })).toMatchObject([
        { operation: "reserve", problem: "unknown-answer" },
      ]);
    }
    const commit = async (): Promise<never> => ({ outcome: "done" }) as never;
    expect(await faultOf({ commit }, planOf([reserve(0), settle(0)]))).toMatchObject([
      { operation: "commit", problem: "unknown-answer", detail: '{"outcome":"done"}' },
    ]);
  });

  it("is reported with a size that is no whole number from 0 on", async () => {
    for (const [answer, detail] of [
      [undefined, "undefined"],
      [Number.NaN, "NaN"],
      [Infinity, "Infinity"],
      ["1", '"1"'],
      [-1, "-1"],
      [0.5, "0.5"],
    ] as const) {
      const size = async (): Promise<never> => answer as never;
      expect(await faultOf({ size })).toMatchObject([
        { operation: "size", problem: "unknown-answer", detail },
      ]);
    }
  });

  it("may refuse by a RangeError what is beyond its limits, and not a plain short string", async () => {
    const refuse = async (): Promise<never> => {
      throw new RangeError("key too long");
    };
    expect(await faultOf({ reserve: refuse }, { ...oneReserve, keys: ["k".repeat(500)] })).toEqual(
      [],
    );
    expect(await faultOf({ reserve: refuse })).toMatchObject([{ problem: "rejected" }]);
  });
});

it("a call that rejects because the store crashed under it is indeterminate, and no fault", async () => {
  const target = brokenTarget((session) => {
    let abort: (error: Error) => void = () => {};
    return {
      reserve: (key, attempt) =>
        attempt.token.startsWith("probe")
          ? session.reserve(key, attempt)
          : new Promise((_, reject) => {
              abort = reject;
            }),
      crash: async () => abort(new Error("reset")),
    };
  });
  const steps: PlanStep[] = [reserve(0, { overlaps: true }), { kind: "crash" }];
  expect(told(await run(target, planOf(steps)))).toEqual(["crash", "reserve a: indeterminate"]);
});
