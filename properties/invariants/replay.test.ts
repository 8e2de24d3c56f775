import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const duplicate = (response?: string) =>
  response === undefined
    ? ({ outcome: "duplicate" } as const)
    : ({ outcome: "duplicate", response } as const);

describe("replay", () => {
  it.each([
    ["ok", "kept"],
    ["OK", "broken"],
    ["", "broken"],
    [undefined, "broken"],
  ])("judges the replay %j of a committed `ok` as %s", (response, verdict) => {
    const history = new HistoryBuilder().accept("A").commit("A", "done");
    expect(verdictOn("replay", history.reserve("B", duplicate(response)))).toBe(verdict);
  });

  it("keeps the empty response, and tells a lone surrogate from another", () => {
    const emptied = () => new HistoryBuilder().accept("A").commit("A", "done", { response: "" });
    expect(verdictOn("replay", emptied().reserve("B", duplicate("")))).toBe("kept");
    expect(verdictOn("replay", emptied().reserve("B", duplicate()))).toBe("broken");
    const lone = new HistoryBuilder().accept("A").commit("A", "done", { response: "\ud800" });
    expect(verdictOn("replay", lone.reserve("B", duplicate("\ufffd")))).toBe("broken");
  });

  it("keeps the first response where a commit is repeated", () => {
    const committed = () =>
      new HistoryBuilder()
        .accept("A")
        .commit("A", "done", { response: "1" })
        .commit("A", "done", { response: "2" });
    expect(verdictOn("replay", committed().reserve("B", duplicate("1")))).toBe("kept");
    expect(verdictOn("replay", committed().reserve("B", duplicate("2")))).toBe("broken");
  });

  it("allows either response where the first commit is indeterminate", () => {
    for (const response of ["1", "2"]) {
      const history = new HistoryBuilder().accept("A");
      history.complete(history.start("commit", "A", { response: "1" }), "indeterminate");
      history.commit("A", "done", { response: "2" }).reserve("B", duplicate(response));
      expect(verdictOn("replay", history)).toBe("kept");
    }
  });

  it("is broken by the response of an earlier record of the key", () => {
    const history = new HistoryBuilder().accept("A").commit("A", "done", { response: "1" });
    history.advance(100).accept("B", 2).commit("B", "done", { response: "2" });
    expect(verdictOn("replay", history.reserve("C", duplicate("1")))).toBe("broken");
  });

  it("is vacuous where the target does not replay", () => {
    const history = new HistoryBuilder({ capabilities: { replay: false } }).accept("A");
    history.commit("A", "done").reserve("B", duplicate());
    expect(verdictOn("replay", history)).toBe("vacuous");
  });

  it("takes a second commit for a repeated one only where it goes by token", () => {
    // 1. A's late commit records nothing. 2. B reserves. 3. A's second commit is recorded for B.
    const history = new HistoryBuilder({ capabilities: { ownerTokens: false } });
    history.accept("A").advance(100).commit("A", "done", { response: "1" });
    history.accept("B").commit("A", "done", { response: "2" });
    history.reserve("C", { outcome: "duplicate", response: "2" });
    expect(verdictOn("replay", history)).toBe("kept");
  });
});
