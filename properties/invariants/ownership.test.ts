import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

describe("ownership", () => {
  it.each(["commit", "release"] as const)("is broken by a %s of another that is done", (call) => {
    const history = new HistoryBuilder().accept("A").advance(100).accept("B", 2);
    expect(verdictOn("ownership", history[call]("A", "done"))).toBe("broken");
  });

  it.each(["commit", "release"] as const)("is kept where the %s of another is stale", (call) => {
    const history = new HistoryBuilder().accept("A").advance(100).accept("B", 2);
    expect(verdictOn("ownership", history[call]("A", "stale"))).toBe("kept");
  });

  it.each([
    [99, "broken"],
    [100, "vacuous"],
  ])("judges a late settlement %i ms after the other's acceptance as %s", (ms, verdict) => {
    const history = new HistoryBuilder().accept("A").advance(100).accept("B", 2).advance(ms);
    expect(verdictOn("ownership", history.commit("A", "done"))).toBe(verdict);
  });

  it("covers the record of a late commit", () => {
    const history = new HistoryBuilder().accept("A").accept("B", 2, { key: "other" }).advance(100);
    history.commit("A", "done").advance(99).release("B", "done");
    expect(verdictOn("ownership", history)).toBe("broken");
  });

  it("is vacuous where the other's acceptance overlaps, or may have ended", () => {
    const overlapping = new HistoryBuilder().accept("A").advance(100);
    const reserve = overlapping.start("reserve", "B");
    overlapping.commit("A", "done").complete(reserve, "duplicate");
    expect(verdictOn("ownership", overlapping)).toBe("vacuous");
    const released = new HistoryBuilder().accept("A").advance(100).accept("B", 2);
    released.complete(released.start("release", "B"), "indeterminate").commit("A", "done");
    expect(verdictOn("ownership", released)).toBe("vacuous");
  });

  it.each([
    [1, "broken"],
    [2, "broken"],
    [3, "vacuous"],
    [0.5, "broken"],
    [Number.MAX_SAFE_INTEGER + 1, "broken"],
  ])("judges fence %d after fence 2 as %s", (fence, verdict) => {
    const history = new HistoryBuilder().accept("A", 2).advance(100).accept("B", fence);
    expect(verdictOn("ownership", history)).toBe(verdict);
  });

  it("compares the fences of one key only, and of overlapping acceptances only that they differ", () => {
    const keys = new HistoryBuilder().accept("A", 2).accept("B", 1, { key: "other" });
    expect(verdictOn("ownership", keys)).toBe("vacuous");
    const history = new HistoryBuilder();
    const one = history.start("reserve", "A");
    const other = history.start("reserve", "B");
    history.complete(one, history.proceed(2)).complete(other, history.proceed(1));
    expect(verdictOn("ownership", history)).toBe("vacuous");
  });

  it("is broken by one fence for two overlapping acceptances", () => {
    const history = new HistoryBuilder();
    const one = history.start("reserve", "A");
    const other = history.start("reserve", "B");
    history.complete(one, history.proceed(1)).complete(other, history.proceed(1));
    expect(verdictOn("ownership", history)).toBe("broken");
  });

  it("is broken by the fence of a reservation whose pending time is over, even to its own token", () => {
    const kept = new HistoryBuilder().accept("A").advance(99).accept("A");
    const broken = new HistoryBuilder().accept("A").advance(100).accept("A");
    expect(verdictOn("ownership", kept)).toBe("vacuous");
    expect(verdictOn("ownership", broken)).toBe("broken");
  });

  it("is broken by the fence of a reservation that was committed, before its pending time is over", () => {
    const times = { pendingMs: 300, retentionMs: 100 };
    const history = new HistoryBuilder(times).accept("A").commit("A", "done").advance(120);
    expect(verdictOn("ownership", history.accept("A", 2))).toBe("vacuous");
    const old = new HistoryBuilder(times).accept("A").commit("A", "done").advance(120);
    expect(verdictOn("ownership", old.accept("A", 1))).toBe("broken");
  });

  it("asks for no fences where there are no owner tokens", () => {
    const history = new HistoryBuilder({ capabilities: { ownerTokens: false } }).accept("A");
    expect(verdictOn("ownership", history)).toBe("vacuous");
  });
});
