import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { rulingOn, verdictOn } from "./judging.ts";

const other = { key: "K" };

describe("isolation", () => {
  it.each(["in-flight", "duplicate", "mismatch"] as const)(
    "is broken by %s for a key of which nobody has a record",
    (answer) => {
      const history = new HistoryBuilder().accept("A").reserve("B", answer, other);
      expect(verdictOn("isolation", history)).toBe("broken");
    },
  );

  it("says which key's record has leaked", () => {
    const history = new HistoryBuilder().accept("A").reserve("B", "in-flight", other);
    expect(rulingOn("isolation", history).violations.map((each) => each.explanation)).toEqual([
      `B's reserve at 0 ms was answered in-flight, although nobody had a record of key "K": a record of "k" (A) has refused it.`,
    ]);
  });

  it("is kept where the second key is accepted beside the first", () => {
    const history = new HistoryBuilder().accept("A").accept("B", 1, other);
    expect(verdictOn("isolation", history)).toBe("kept");
  });

  it("is vacuous where a reserve of that key is indeterminate, or overlaps", () => {
    const unknown = new HistoryBuilder().accept("A");
    unknown.complete(unknown.start("reserve", "B", other), "indeterminate");
    unknown.reserve("C", "in-flight", other);
    expect(rulingOn("isolation", unknown).violations).toEqual([]);
    const overlapping = new HistoryBuilder().accept("A");
    const reserve = overlapping.start("reserve", "B", other);
    overlapping.reserve("C", "in-flight", other).complete(reserve, overlapping.proceed(1));
    expect(rulingOn("isolation", overlapping).violations).toEqual([]);
  });

  it("does not take a reserve that never reached the store for a record", () => {
    const history = new HistoryBuilder().lost("reserve", "A").reserve("B", "in-flight");
    expect(verdictOn("isolation", history)).toBe("broken");
  });
});
