import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const invariant = "lost-replies-heal";

describe("lost replies heal", () => {
  it("is broken by a refusal of the pending reservation's own token", () => {
    const history = new HistoryBuilder().accept("A").reserve("A", "in-flight");
    expect(verdictOn(invariant, history)).toBe("broken");
  });

  it("is broken by another fence or another deadline", () => {
    const fence = new HistoryBuilder().accept("A").accept("A", 2);
    const deadline = new HistoryBuilder().accept("A");
    deadline.reserve("A", { outcome: "proceed", fence: 1, deadline: 7 });
    expect(verdictOn(invariant, fence)).toBe("broken");
    expect(verdictOn(invariant, deadline)).toBe("broken");
  });

  it.each([
    [99, "kept", 1],
    [100, "vacuous", 2],
  ])("lasts for the pending time: after %i ms it is %s", (ms, verdict, fence) => {
    const history = new HistoryBuilder().accept("A").advance(ms).accept("A", fence);
    expect(verdictOn(invariant, history)).toBe(verdict);
  });

  it("extends nothing: the repeat does not count for the pending time", () => {
    const history = new HistoryBuilder().accept("A").advance(60).accept("A").advance(40);
    expect(verdictOn("acceptance", history.accept("B", 2))).toBe("vacuous");
  });

  it("is vacuous where a settlement of its own may have come first", () => {
    const history = new HistoryBuilder().accept("A");
    history.complete(history.start("commit", "A"), "indeterminate");
    expect(verdictOn(invariant, history.reserve("A", "duplicate"))).toBe("vacuous");
  });

  it("allows a proceed by the reserve that got no answer", () => {
    const history = new HistoryBuilder();
    history.complete(history.start("reserve", "A"), "indeterminate").advance(60).accept("A");
    expect(verdictOn(invariant, history.advance(40).accept("A", 2))).toBe("vacuous");
    expect(verdictOn("acceptance", history)).toBe("vacuous");
  });
});
