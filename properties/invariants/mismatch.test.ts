import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const other = { fingerprint: "g" };

describe("mismatch", () => {
  it.each(["in-flight", "duplicate"] as const)(
    "is broken by %s for another payload while pending",
    (answer) => {
      const history = new HistoryBuilder().accept("A").reserve("B", answer, other);
      expect(verdictOn("mismatch", history)).toBe("broken");
    },
  );

  it("is broken by a duplicate for another payload while committed", () => {
    const history = new HistoryBuilder().accept("A").commit("A", "done");
    history.reserve("B", { outcome: "duplicate", response: "ok" }, other);
    expect(verdictOn("mismatch", history)).toBe("broken");
  });

  it("is broken by a mismatch for the same payload, or with no record at all", () => {
    const same = new HistoryBuilder().accept("A").reserve("B", "mismatch");
    const none = new HistoryBuilder().reserve("B", "mismatch", other);
    expect(verdictOn("mismatch", same)).toBe("broken");
    expect(verdictOn("mismatch", none)).toBe("broken");
  });

  it.each([
    [99, "kept"],
    [100, "broken"],
  ])("ends with the blocking: a mismatch after %i of 100 ms is %s", (ms, verdict) => {
    const history = new HistoryBuilder().accept("A").advance(ms).reserve("B", "mismatch", other);
    expect(verdictOn("mismatch", history)).toBe(verdict);
  });

  it("comes before the answer to the record's own token", () => {
    const history = new HistoryBuilder().accept("A").accept("A", 1, other);
    expect(verdictOn("mismatch", history)).toBe("broken");
  });

  it("may be answered, or not, where the record is indeterminate", () => {
    const told = new HistoryBuilder();
    told.complete(told.start("reserve", "A"), "indeterminate").reserve("B", "mismatch", other);
    expect(verdictOn("mismatch", told)).toBe("vacuous");
    const free = new HistoryBuilder();
    free.complete(free.start("reserve", "A"), "indeterminate").accept("B", 1, other);
    expect(verdictOn("mismatch", free)).toBe("vacuous");
  });
});
