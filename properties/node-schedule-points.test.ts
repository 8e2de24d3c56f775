import { scheduler, setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { planOf, reserve, run, told } from "./plan-builder.ts";
import { mutant } from "./planted-defects.ts";

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
      const target = mutant((session) => {
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
    const target = mutant((session) => {
      const taken = new Set<string>();
      return {
        reserve: async (key, attempt) => {
          if (taken.has(key)) return { outcome: "in-flight" };
          for (let tick = 0; tick < 3; tick += 1) await Promise.resolve();
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
    const target = mutant((session) => ({
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
    const target = mutant(() => ({
      reserve: () => pause(1, { outcome: "proceed" } as const, { signal: AbortSignal.abort() }),
    }));
    expect(told(await run(target, planOf([reserve(0)])))).toEqual([
      expect.stringMatching(/^reserve rejected: "AbortError/u),
    ]);
  });
});
