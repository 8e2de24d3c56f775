import { describe, expect, it } from "vitest";
import { hardened, paper, published } from "../model/policy.ts";
import type { PlanStep } from "./plan.ts";
import { planOf, reserve, run, settle, told } from "./plan-builder.ts";
import { mutant } from "./planted-defects.ts";
import type { StoreSession } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";

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

describe("a target that breaks the contract", () => {
  const oneReserve = planOf([reserve(0)]);
  const faultOf = async (change: Partial<StoreSession>, plan = oneReserve) =>
    (
      await run(
        mutant(() => change),
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
  const target = mutant((session) => {
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
