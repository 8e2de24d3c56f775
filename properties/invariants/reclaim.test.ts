import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const other = { key: "K" };

describe("reclaim", () => {
  it.each([
    [1, "broken"],
    [2, "kept"],
    [3, "broken"],
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

  it("says nothing of a store that has held no record", () => {
    const unserved = new HistoryBuilder().reserve("A", "unavailable").release("A", "stale");
    expect(verdictOn("reclaim", unserved.advance(101).size(0))).toBe("vacuous");
    const unanswered = new HistoryBuilder();
    unanswered.crash().complete(unanswered.start("reserve", "A"), "indeterminate");
    expect(verdictOn("reclaim", unanswered.advance(101).size(0))).toBe("kept");
  });

  it.each([
    ["its own commit records a reservation", 1, (h: HistoryBuilder) => h.commit("A", "done")],
    ["a commit is repeated", 1, (h: HistoryBuilder) => h.commit("A", "done").commit("A", "done")],
    ["another reserve is refused", 1, (h: HistoryBuilder) => h.reserve("B", "in-flight")],
    ["the token asks again", 1, (h: HistoryBuilder) => h.accept("A")],
    [
      "the key is accepted again and the ended record may be there still",
      2,
      (h: HistoryBuilder) => h.release("A", "done").accept("B", 2),
    ],
    ["a late commit is recorded", 2, (h: HistoryBuilder) => h.advance(100).commit("A", "done")],
    [
      "everything was over in between",
      1,
      (h: HistoryBuilder) => h.advance(101).accept("B", 2, other),
    ],
  ])("allows no higher count where %s than %i", (_, most, rest) => {
    const counted = (size: number) => rest(new HistoryBuilder().accept("A")).size(size);
    expect(verdictOn("reclaim", counted(most))).toBe("kept");
    expect(verdictOn("reclaim", counted(most + 1))).toBe("broken");
  });
});
