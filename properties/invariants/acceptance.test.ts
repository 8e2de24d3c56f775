import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { rulingOn, verdictOn } from "./judging.ts";

const published = { ownerTokens: false, fingerprints: false, replay: false };

describe("acceptance", () => {
  it("is broken by a zombie release", () => {
    const history = new HistoryBuilder({ capabilities: published });
    history.accept("A").advance(100).accept("B").release("A", "done").accept("C");
    expect(rulingOn("acceptance", history).violations).toEqual([
      {
        invariant: "acceptance",
        explanation:
          'C was accepted for key "k" at 100 ms, although the acceptance of B at 100 ms was not released by B and the time that it blocks was not over.',
        events: [4, 8],
      },
    ]);
    expect(verdictOn("exclusion", history)).toBe("broken");
    expect(rulingOn("collides-within-retention", history).violations).toEqual([]);
  });

  it.each([
    [99, "broken"],
    [100, "vacuous"],
    [101, "vacuous"],
  ])("judges a second acceptance after %i of 100 pending ms as %s", (ms, verdict) => {
    const history = new HistoryBuilder({ retentionMs: 50 }).accept("A").advance(ms);
    const second = history.accept("B", 2);
    expect(verdictOn("acceptance", second)).toBe(verdict);
  });

  it.each([
    [149, "broken"],
    [150, "vacuous"],
  ])("counts the retention from the commit: %i ms after the acceptance is %s", (ms, verdict) => {
    const history = new HistoryBuilder().accept("A").advance(50).commit("A", "done");
    history.advance(ms - 50).accept("B", 2);
    expect(verdictOn("acceptance", history)).toBe(verdict);
  });

  it("lets a commit shorten the blocking", () => {
    const history = new HistoryBuilder({ pendingMs: 300 }).accept("A").commit("A", "done");
    expect(verdictOn("acceptance", history.advance(100).accept("B", 2))).toBe("vacuous");
  });

  it("takes two overlapping acceptances for a contradiction in either order", () => {
    const history = new HistoryBuilder();
    const one = history.start("reserve", "A");
    const other = history.start("reserve", "B");
    history.complete(one, history.proceed(1)).complete(other, history.proceed(2));
    expect(verdictOn("acceptance", history)).toBe("broken");
    expect(verdictOn("exclusion", history)).toBe("broken");
    expect(verdictOn("collides-within-retention", history)).toBe("broken");
  });

  it("is kept where the holder's release overlaps the second acceptance", () => {
    const history = new HistoryBuilder().accept("A");
    const release = history.start("release", "A");
    history.accept("B", 2).complete(release, "done");
    expect(verdictOn("acceptance", history)).toBe("vacuous");
  });

  it("is kept where an indeterminate release of the holder may explain it", () => {
    const history = new HistoryBuilder().accept("A");
    const release = history.start("release", "A");
    history.crash().complete(release, "indeterminate").accept("B", 2);
    expect(verdictOn("acceptance", history)).toBe("vacuous");
  });

  it("is broken where the holder's release was stale, or never reached the store", () => {
    const stale = new HistoryBuilder().accept("A").release("A", "stale").accept("B", 2);
    const lost = new HistoryBuilder().accept("A").lost("release", "A").accept("B", 2);
    expect(verdictOn("acceptance", stale)).toBe("broken");
    expect(verdictOn("acceptance", lost)).toBe("broken");
  });

  it("takes repeated answers to one token for one acceptance", () => {
    const history = new HistoryBuilder().accept("A").accept("A");
    expect(verdictOn("acceptance", history)).toBe("vacuous");
    const withoutTokens = new HistoryBuilder({ capabilities: published }).accept("A").accept("A");
    expect(verdictOn("acceptance", withoutTokens)).toBe("broken");
  });

  it("stays away from the edge where the clock is not exact", () => {
    const options = { pendingMs: 1000, retentionMs: 1000, capabilities: { exactClock: false } };
    const near = new HistoryBuilder(options).accept("A").advance(950).accept("B", 2);
    const far = new HistoryBuilder(options).accept("A").advance(800).accept("B", 2);
    expect(verdictOn("acceptance", near)).toBe("vacuous");
    expect(verdictOn("acceptance", far)).toBe("broken");
  });

  it("counts a reserve that was refused as its situation", () => {
    const history = new HistoryBuilder().accept("A").reserve("B", "in-flight");
    expect(verdictOn("acceptance", history)).toBe("kept");
  });
});
