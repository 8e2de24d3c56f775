import { describe, expect, it } from "vitest";
import type { StoreAnswer } from "../history.ts";
import { HistoryBuilder } from "../history-builder.ts";
import { rulingOn, verdictOn } from "./judging.ts";

describe("target fault", () => {
  it("is broken by a target that rejects, and names the operation", () => {
    const history = new HistoryBuilder().fault("reserve", "rejected", "Error: out of luck");
    expect(rulingOn("target-fault", history).violations).toEqual([
      {
        invariant: "target-fault",
        explanation:
          "The target's reserve at 0 ms rejected although no crash was under way: Error: out of luck",
        events: [0],
      },
    ]);
  });

  it.each(["no-answer", "unknown-answer"] as const)("is broken by %s as well", (problem) => {
    const history = new HistoryBuilder().fault("commit", problem, "detail");
    expect(verdictOn("target-fault", history)).toBe("broken");
  });

  it("is kept by a target that answers", () => {
    expect(verdictOn("target-fault", new HistoryBuilder().accept("A"))).toBe("kept");
  });

  it.each([
    [{ outcome: "proceed", fence: "1" }, "broken"],
    [{ outcome: "proceed", fence: 1, deadline: "soon" }, "broken"],
    [{ outcome: "proceed", fence: 1, deadline: Number.NaN }, "broken"],
    [{ outcome: "in-flight", inDoubt: 1 }, "broken"],
    [{ outcome: "duplicate", response: null }, "broken"],
    [{ outcome: "duplicate", response: undefined }, "kept"],
  ])("judges the answer %o, by the types of its fields, as %s", (answer, verdict) => {
    const history = new HistoryBuilder().reserve("A", answer as StoreAnswer);
    expect(verdictOn("target-fault", history)).toBe(verdict);
  });
});
