import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const invariant = "collides-within-retention";

describe("collides within retention", () => {
  it.each([
    [59, "broken"],
    [60, "vacuous"],
    [61, "vacuous"],
  ])("judges the shorter blocking time, half-open: after %i of 60 ms it is %s", (ms, verdict) => {
    const history = new HistoryBuilder({ retentionMs: 60 }).accept("A").advance(ms).accept("B", 2);
    expect(verdictOn(invariant, history)).toBe(verdict);
  });

  it("counts a release by anyone, if it was done or is indeterminate", () => {
    const done = new HistoryBuilder().accept("A").release("Z", "done").accept("B", 2);
    expect(verdictOn(invariant, done)).toBe("vacuous");
    const unknown = new HistoryBuilder().accept("A");
    unknown.complete(unknown.start("release", "Z"), "indeterminate").accept("B", 2);
    expect(verdictOn(invariant, unknown)).toBe("vacuous");
  });

  it("does not count a release that was stale, or came before the first acceptance", () => {
    const stale = new HistoryBuilder().accept("A").release("A", "stale").accept("B", 2);
    const before = new HistoryBuilder().release("A", "done").accept("A").accept("B", 2);
    expect(verdictOn(invariant, stale)).toBe("broken");
    expect(verdictOn(invariant, before)).toBe("broken");
  });

  it("is broken by a store that forgets the record at commit", () => {
    const history = new HistoryBuilder().accept("A").commit("A", "done").accept("B", 2);
    expect(verdictOn(invariant, history)).toBe("broken");
  });

  it("is kept by a refusal within the time", () => {
    const history = new HistoryBuilder().accept("A").advance(99).reserve("B", "duplicate");
    expect(verdictOn(invariant, history)).toBe("kept");
  });
});
