// The model of an eventually consistent store: how old a get may be, and never older.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventualStore, type EventualStoreOptions } from "./eventual-store.ts";

function opened(options: Omit<EventualStoreOptions, "now">) {
  let nowMs = 0;
  const store = new EventualStore({ ...options, now: () => nowMs });
  return {
    store,
    here: store.at("here"),
    there: store.at("there"),
    pass: (ms: number) => (nowMs += ms),
  };
}

describe("a location", () => {
  it("sees its own write at once, and another's when its copy is as old as the bound", async () => {
    const { here, there, pass } = opened({ stalenessMs: 20, copiesAtOpening: "looked-up" });
    await here.put("k", "new");
    expect(await here.get("k")).toBe("new");
    pass(19);
    expect(await there.get("k")).toBeNull();
    pass(1);
    expect(await there.get("k")).toBe("new");
  });

  it("keeps a copy of what it read and of what it did not find", async () => {
    const { here, there, pass } = opened({ stalenessMs: 20, copiesAtOpening: "empty" });
    expect(await there.get("absent")).toBeNull();
    await here.put("k", "old");
    expect(await there.get("k")).toBe("old");
    await here.put("absent", "now there");
    await here.delete("k");
    expect([await there.get("absent"), await there.get("k")]).toEqual([null, "old"]);
    pass(20);
    expect([await there.get("absent"), await there.get("k")]).toEqual(["now there", null]);
  });

  it("asks the centre each time where no copies are kept", async () => {
    const { here, there } = opened({ stalenessMs: 0, copiesAtOpening: "looked-up" });
    await here.put("k", "new");
    expect(await there.get("k")).toBe("new");
  });
});

describe("the bound", () => {
  const stalenessMs = 20;
  const step = fc.record({
    at: fc.constantFrom("here", "there", "elsewhere"),
    does: fc.constantFrom("get" as const, "put" as const, "delete" as const),
    afterMs: fc.constantFrom(0, 0, 1, 9, 19, 20),
  });

  it("is kept: a get gives what the centre held less than stalenessMs ago, and not always now", async () => {
    let stale = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { store, pass } = opened({ stalenessMs, copiesAtOpening: "looked-up" });
        let held: readonly Held[] = [{ value: null, untilMs: Infinity }];
        let nowMs = 0;
        for (const [index, { at, does, afterMs }] of steps.entries()) {
          pass(afterMs);
          nowMs += afterMs;
          const location = store.at(at);
          if (does === "get") {
            const got = await location.get("k");
            if (!mayBeSeen(held, got, nowMs - stalenessMs)) return false;
            if (got !== held.at(-1)?.value) stale += 1;
          } else {
            const value = does === "put" ? `value ${index}` : null;
            await (value === null ? location.delete("k") : location.put("k", value));
            held = replacedBy(held, value, nowMs);
          }
        }
        return true;
      }),
      { numRuns: 500 },
    );
    expect(stale).toBeGreaterThan(0);
  });
});

/** What the centre held, and until when. */
interface Held {
  readonly value: string | null;
  readonly untilMs: number;
}

function replacedBy(held: readonly Held[], value: string | null, nowMs: number): readonly Held[] {
  const before = held.map((each) => ({ ...each, untilMs: Math.min(each.untilMs, nowMs) }));
  return [...before, { value, untilMs: Infinity }];
}

/** Whether the centre held the value at some moment after `sinceMs`. */
function mayBeSeen(held: readonly Held[], value: string | null, sinceMs: number): boolean {
  return held.some((each) => each.value === value && each.untilMs > sinceMs);
}
