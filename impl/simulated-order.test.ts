import { describe, expect, it } from "vitest";
import { readDownstream } from "./downstream-outcome.ts";
import { behaviours, decideOrder } from "./simulated-order.ts";

const order = { clientOrderId: "o", deadlineAtMs: 100, fence: 2 };

describe("the simulated exchange", () => {
  it("executes or not, and answers, as it is told", () => {
    const seen = behaviours.map((behaviour) => {
      const { order: after, reply } = decideOrder(null, order, behaviour, 0);
      return [behaviour, after.executions, reply && readDownstream(reply).outcome];
    });
    expect(seen).toEqual([
      ["succeed", 1, "success"],
      ["soft-fail", 0, "soft-fail"],
      ["reject", 0, "rejected"],
      ["fail-before", 0, "failed"],
      ["fail-after", 1, "failed"],
      ["garble", 1, "unreadable"],
      ["lose-request", 0, null],
      ["lose-reply", 1, null],
      ["lie", 1, "soft-fail"],
    ]);
  });

  it("refuses past the deadline, which is exclusive", () => {
    expect(decideOrder(null, order, "succeed", 99).order.executions).toBe(1);
    const late = decideOrder(null, order, "succeed", 100);
    expect(late.order).toEqual({ executions: 0, highestFence: 2 });
    expect(late.reply && readDownstream(late.reply).outcome).toBe("refused-by-deadline");
  });

  it("refuses an older fence, and an equal one once it was seen", () => {
    const known = { executions: 1, highestFence: 2 };
    for (const fence of [1, 2]) {
      const again = decideOrder(known, { ...order, fence }, "succeed", 0);
      expect(again.order).toEqual(known);
      expect(again.reply && readDownstream(again.reply).outcome).toBe("refused-by-fence");
    }
    expect(decideOrder(known, { ...order, fence: 3 }, "succeed", 0).order.executions).toBe(2);
  });

  it("honours neither where the sender has none", () => {
    const bare = { clientOrderId: "o", deadlineAtMs: null, fence: null };
    expect(decideOrder({ executions: 1, highestFence: 9 }, bare, "succeed", 4e12).order).toEqual({
      executions: 2,
      highestFence: 9,
    });
  });
});
