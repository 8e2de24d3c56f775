import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

describe("exclusion", () => {
  it("is broken by a second acceptance while the first holds", () => {
    const history = new HistoryBuilder().accept("A").advance(99).accept("B", 2);
    expect(verdictOn("exclusion", history)).toBe("broken");
  });

  it("ends with the holder's commit, even where the retention is not over", () => {
    const history = new HistoryBuilder().accept("A").commit("A", "done").accept("B", 2);
    expect(verdictOn("exclusion", history)).toBe("vacuous");
    expect(verdictOn("acceptance", history)).toBe("broken");
  });

  it("ends with the pending time", () => {
    const history = new HistoryBuilder().accept("A").advance(100).accept("B", 2);
    expect(verdictOn("exclusion", history)).toBe("vacuous");
  });

  it("does not end with a commit by another", () => {
    const history = new HistoryBuilder().accept("A").commit("B", "done").accept("B", 2);
    expect(verdictOn("exclusion", history)).toBe("broken");
  });
});
