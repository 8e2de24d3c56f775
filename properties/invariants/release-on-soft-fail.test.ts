import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const invariant = "release-on-soft-fail";

describe("release on soft-fail", () => {
  it("is broken by a release of the holder that is stale while pending", () => {
    const history = new HistoryBuilder().accept("A").advance(99).release("A", "stale");
    expect(verdictOn(invariant, history)).toBe("broken");
  });

  it("is vacuous at the end of the pending time, and for a repeated release", () => {
    const late = new HistoryBuilder().accept("A").advance(100).release("A", "stale");
    expect(verdictOn(invariant, late)).toBe("vacuous");
    const unsure = new HistoryBuilder().accept("A");
    unsure.complete(unsure.start("release", "A"), "indeterminate").release("A", "stale");
    expect(verdictOn(invariant, unsure)).toBe("vacuous");
  });

  it.each(["in-flight", "duplicate", "mismatch"] as const)(
    "is broken by a next reserve that is answered %s",
    (answer) => {
      const history = new HistoryBuilder().accept("A").release("A", "done").reserve("B", answer);
      expect(verdictOn(invariant, history)).toBe("broken");
    },
  );

  it("is kept where the next reserve is accepted, or got no service", () => {
    const accepted = new HistoryBuilder().accept("A").release("A", "done").accept("B", 2);
    const unserved = new HistoryBuilder().accept("A").release("A", "done");
    unserved.reserve("B", "unavailable").accept("C", 2).reserve("D", "in-flight");
    expect(verdictOn(invariant, accepted)).toBe("kept");
    expect(verdictOn(invariant, unserved)).toBe("kept");
  });

  it("is kept where an indeterminate or overlapping reserve may have come in between", () => {
    const unknown = new HistoryBuilder().accept("A").release("A", "done");
    unknown.complete(unknown.start("reserve", "B"), "indeterminate").reserve("C", "in-flight");
    expect(verdictOn(invariant, unknown)).toBe("kept");
    const overlapping = new HistoryBuilder().accept("A").release("A", "done");
    const reserve = overlapping.start("reserve", "B");
    overlapping.reserve("C", "in-flight").complete(reserve, overlapping.proceed(2));
    expect(verdictOn(invariant, overlapping)).toBe("kept");
  });

  it("is kept where a late commit was recorded in between, and broken where it was stale", () => {
    const start = () => new HistoryBuilder().accept("Z").advance(100).accept("A", 2);
    const recorded = start().release("A", "done").commit("Z", "done");
    const stale = start().release("A", "done").commit("Z", "stale");
    const duplicate = { outcome: "duplicate", response: "ok" } as const;
    expect(verdictOn(invariant, recorded.reserve("B", duplicate))).toBe("kept");
    expect(verdictOn(invariant, stale.reserve("B", duplicate))).toBe("broken");
  });
});
