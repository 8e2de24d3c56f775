import { describe, expect, it } from "vitest";
import { readAdmission, readEnqueue, readMark, readReserve, readSettlement } from "./answers.ts";

const nonsense: readonly unknown[] = [
  ...[undefined, null, true, 0, "proceed", [], {}, () => "proceed"],
  ...[{ outcome: "Proceed" }, { outcome: ["done"] }, { outcome: "yes" }],
];

describe("an answer", () => {
  it("of nonsense is never consent", () => {
    for (const answer of nonsense) {
      expect(readReserve(answer)).toEqual({ result: "unanswered" });
      expect(readSettlement(answer)).toBe("unanswered");
      expect(readAdmission(answer)).toEqual({ result: "limiter-unavailable" });
      expect(readEnqueue(answer)).toBe("unanswered");
    }
  });

  it("of the marks lets a delivery execute only where the mark is surely absent", () => {
    expect([false, true].map(readMark)).toEqual(["granted", "denied"]);
    const others = nonsense.filter((answer) => answer !== true);
    expect(new Set(others.map(readMark))).toEqual(new Set(["unanswered"]));
  });

  it("proceed counts only with a fence and a deadline that are numbers", () => {
    const answer = { outcome: "proceed", fence: 1, deadlineAtMs: 30_000 };
    expect(readReserve(answer)).toEqual({ result: "proceed", fence: 1, deadlineAtMs: 30_000 });
    for (const fence of [0, -1, 1.5, NaN, Infinity, 2 ** 53, "1", null, undefined]) {
      expect(readReserve({ ...answer, fence }).result).toBe("unanswered");
      expect(readReserve({ ...answer, deadlineAtMs: fence }).result).toBe("unanswered");
    }
  });

  it("tells in flight, in doubt, duplicate and mismatch apart", () => {
    expect(readReserve({ outcome: "in-flight", inDoubt: false }).result).toBe("in-flight");
    expect(readReserve({ outcome: "in-flight", inDoubt: true }).result).toBe("in-doubt");
    expect(readReserve({ outcome: "in-flight" }).result).toBe("unanswered");
    expect(readReserve({ outcome: "duplicate", response: "r" })).toEqual({
      result: "duplicate",
      response: "r",
    });
    expect(readReserve({ outcome: "mismatch" }).result).toBe("mismatch");
  });

  it("invalid means that the store kept nothing", () => {
    const refusal = { outcome: "invalid", field: "key", limit: "short", found: "long" };
    expect(readReserve(refusal)).toEqual({ result: "unavailable" });
    expect(readSettlement(refusal)).toBe("unavailable");
  });
});
