import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const invariant = "no-stuck-key";

describe("no stuck key", () => {
  it.each([
    [99, "vacuous"],
    [100, "broken"],
    [101, "broken"],
  ])("judges a refusal %i ms after an acceptance that blocks 100 ms as %s", (ms, verdict) => {
    const history = new HistoryBuilder().accept("A").advance(ms).reserve("B", "in-flight");
    expect(verdictOn(invariant, history)).toBe(verdict);
  });

  it("counts a commit's retention, from the latest commit that may have made the record", () => {
    const start = () => new HistoryBuilder().accept("A").advance(60).commit("A", "done");
    const before = start().advance(99).reserve("B", "duplicate");
    const after = start().advance(100).reserve("B", "duplicate");
    expect(verdictOn(invariant, before)).toBe("vacuous");
    expect(verdictOn(invariant, after)).toBe("broken");
  });

  it("does not let a refusal, a repeat or a repeated commit extend the time", () => {
    const repeats = new HistoryBuilder().accept("A").advance(60).accept("A").advance(40);
    expect(verdictOn(invariant, repeats.reserve("B", "in-flight"))).toBe("broken");
    const commits = new HistoryBuilder().accept("A").commit("A", "done").advance(60);
    commits.commit("A", "done").advance(40).reserve("B", "duplicate");
    expect(verdictOn(invariant, commits)).toBe("broken");
  });

  it("lets a commit shorten the blocking", () => {
    const history = new HistoryBuilder({ pendingMs: 300 }).accept("A").commit("A", "done");
    expect(verdictOn(invariant, history.advance(100).reserve("B", "duplicate"))).toBe("broken");
  });

  it("waits for an indeterminate reserve", () => {
    const start = () => {
      const history = new HistoryBuilder().accept("A").advance(100);
      return history.complete(history.start("reserve", "B"), "indeterminate");
    };
    expect(verdictOn(invariant, start().advance(99).reserve("C", "in-flight"))).toBe("vacuous");
    expect(verdictOn(invariant, start().advance(100).reserve("C", "in-flight"))).toBe("broken");
  });

  it("is kept where the key is accepted again", () => {
    const history = new HistoryBuilder().accept("A").advance(100).accept("B", 2);
    expect(verdictOn(invariant, history)).toBe("kept");
  });
});
