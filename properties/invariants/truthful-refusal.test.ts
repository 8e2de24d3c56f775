import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { rulingOn, verdictOn } from "./judging.ts";

const invariant = "truthful-refusal";
const duplicate = { outcome: "duplicate", response: "ok" } as const;
const inDoubt = { outcome: "in-flight", inDoubt: true } as const;
const inFlight = { outcome: "in-flight", inDoubt: false } as const;

describe("truthful refusal", () => {
  it("is broken by duplicate while pending, and by in-flight once committed", () => {
    const uniform = new HistoryBuilder().accept("A").reserve("B", duplicate);
    expect(rulingOn(invariant, uniform).violations.map((each) => each.explanation)).toEqual([
      "B's reserve at 0 ms was answered duplicate, although the key can only have held the pending record of A's reserve at 0 ms.",
    ]);
    const late = new HistoryBuilder().accept("A").commit("A", "done").reserve("B", "in-flight");
    expect(verdictOn(invariant, late)).toBe("broken");
  });

  it("is kept where the commit overlaps, or is indeterminate, whichever it says", () => {
    for (const answer of [duplicate, inFlight]) {
      const overlapping = new HistoryBuilder().accept("A");
      const commit = overlapping.start("commit", "A");
      overlapping.reserve("B", answer).complete(commit, "done");
      expect(verdictOn(invariant, overlapping)).toBe("kept");
      const unknown = new HistoryBuilder().accept("A");
      unknown.complete(unknown.start("commit", "A"), "indeterminate").reserve("B", answer);
      expect(verdictOn(invariant, unknown)).toBe("kept");
    }
  });

  it("is broken by in-flight of its own pending reservation", () => {
    const history = new HistoryBuilder().accept("A").reserve("A", "in-flight");
    expect(verdictOn(invariant, history)).toBe("broken");
    const capabilities = { ownerTokens: false };
    const unowned = new HistoryBuilder({ capabilities }).accept("A").reserve("A", "in-flight");
    expect(verdictOn(invariant, unowned)).toBe("kept");
  });

  it("tells the committing token a duplicate too", () => {
    const history = new HistoryBuilder().accept("A").commit("A", "done").reserve("A", duplicate);
    expect(verdictOn(invariant, history)).toBe("kept");
  });

  it.each([
    [99, "kept"],
    [100, "broken"],
  ])("is given only while the record blocks: after %i of 100 ms it is %s", (ms, verdict) => {
    const history = new HistoryBuilder().accept("A").advance(ms).reserve("B", "in-flight");
    expect(verdictOn(invariant, history)).toBe(verdict);
  });

  it("never goes back from in doubt to in flight for one reservation", () => {
    const silent = () => new HistoryBuilder().reserve("A", { outcome: "proceed", fence: 1 });
    const back = silent().reserve("B", inDoubt).reserve("C", inFlight);
    const forth = silent().reserve("B", inFlight).reserve("C", inDoubt);
    expect(verdictOn(invariant, back)).toBe("broken");
    expect(verdictOn(invariant, forth)).toBe("kept");
  });

  it("may go back for another reservation", () => {
    const history = new HistoryBuilder().accept("A").advance(60).reserve("B", inDoubt).advance(40);
    expect(verdictOn(invariant, history.accept("C", 2).reserve("D", inFlight))).toBe("kept");
  });

  it.each([
    [49, inFlight, "kept"],
    [49, inDoubt, "broken"],
    [50, inFlight, "broken"],
    [50, inDoubt, "kept"],
    [99, { outcome: "in-flight" }, "kept"],
  ] as const)("is in doubt from the deadline on: after %i of 50 ms %o is %s", (ms, told, is) => {
    const history = new HistoryBuilder().accept("A").advance(ms).reserve("B", told);
    expect(verdictOn(invariant, history)).toBe(is);
    const inexact = new HistoryBuilder({ capabilities: { exactClock: false } });
    expect(verdictOn(invariant, inexact.accept("A").advance(ms).reserve("B", told))).toBe("kept");
  });

  it("asks no doubt of a reservation whose deadline nobody was told", () => {
    const history = new HistoryBuilder();
    history.complete(history.start("reserve", "A"), "indeterminate").advance(99);
    expect(verdictOn(invariant, history.reserve("B", inFlight))).toBe("kept");
  });

  it("is broken by deadlines that are not equally long after their acceptances", () => {
    const accepted = (deadline: number) =>
      new HistoryBuilder()
        .reserve("A", { outcome: "proceed", fence: 1, deadline: 50 })
        .advance(100)
        .reserve("B", { outcome: "proceed", fence: 2, deadline });
    expect(verdictOn(invariant, accepted(150))).toBe("vacuous");
    expect(rulingOn(invariant, accepted(149)).violations.map((each) => each.explanation)).toEqual([
      "B's reserve at 100 ms was given the deadline 149 ms, although A's reserve at 0 ms was given 50 ms: not equally long after each.",
    ]);
  });

  it("takes a commit by key alone for one of any payload", () => {
    const byKey = new HistoryBuilder({ capabilities: { ownerTokens: false } }).accept("A");
    byKey.advance(100).accept("B", 1, { fingerprint: "g" }).commit("A", "done");
    byKey.reserve("B", duplicate, { fingerprint: "g" }).reserve("A", "mismatch");
    expect(verdictOn(invariant, byKey)).toBe("kept");
    expect(verdictOn("mismatch", byKey)).not.toBe("broken");
  });
});
