import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const other = { key: "K" };

describe("reclaim", () => {
  it.each([
    [1, "broken"],
    [2, "kept"],
    [3, "kept"],
  ])("judges a count of %i where two keys are blocked as %s", (size, verdict) => {
    const history = new HistoryBuilder().accept("A").accept("B", 1, other).size(size);
    expect(verdictOn("reclaim", history)).toBe(verdict);
  });

  it("counts no record that may have been released", () => {
    const history = new HistoryBuilder().accept("A").accept("B", 1, other);
    history.complete(history.start("release", "B", other), "indeterminate");
    expect(verdictOn("reclaim", history.size(1))).toBe("kept");
  });

  it.each([
    [100, "vacuous"],
    [101, "broken"],
  ])("judges what is left after an advance of %i past 100 ms as %s", (ms, verdict) => {
    expect(verdictOn("reclaim", new HistoryBuilder().accept("A").advance(ms).size(1))).toBe(
      verdict,
    );
  });

  it("is kept where nothing is left", () => {
    expect(verdictOn("reclaim", new HistoryBuilder().accept("A").advance(101).size(0))).toBe(
      "kept",
    );
  });

  it("says nothing of a record that was made after the advance", () => {
    const history = new HistoryBuilder().accept("A").advance(101);
    history.complete(history.start("reserve", "B", other), "indeterminate");
    expect(verdictOn("reclaim", history.size(1))).toBe("vacuous");
  });

  it("asks for the shortened end of a committed record", () => {
    const history = new HistoryBuilder({ pendingMs: 300 }).accept("A").commit("A", "done");
    expect(verdictOn("reclaim", history.advance(101).size(1))).toBe("broken");
  });
});
