import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

describe("durability", () => {
  it("is broken by an acceptance that a crash has lost", () => {
    const history = new HistoryBuilder().accept("A").crash().accept("B", 2);
    expect(verdictOn("durability", history)).toBe("broken");
  });

  it("is broken by a commit, a release, a response, a fence or a deadline that a crash changed", () => {
    const commit = new HistoryBuilder().accept("A").commit("A", "done").crash().accept("B", 2);
    const release = new HistoryBuilder().accept("A").release("A", "done").crash();
    release.reserve("B", "in-flight");
    const response = new HistoryBuilder().accept("A").commit("A", "done").crash();
    response.reserve("B", { outcome: "duplicate", response: "other" });
    const fence = new HistoryBuilder().accept("A", 5).advance(100).crash().accept("B", 5);
    const deadline = new HistoryBuilder().accept("A").crash();
    deadline.reserve("A", { outcome: "proceed", fence: 1, deadline: 7 });
    for (const history of [commit, release, response, fence, deadline]) {
      expect(verdictOn("durability", history)).toBe("broken");
    }
  });

  it("is not to blame where the same goes wrong without a crash", () => {
    const history = new HistoryBuilder().accept("A").accept("B", 2).crash().accept("C", 3);
    expect(verdictOn("durability", history)).toBe("kept");
    expect(verdictOn("acceptance", history)).toBe("broken");
  });

  it("is not to blame for a zombie release across a crash", () => {
    const capabilities = { ownerTokens: false };
    const history = new HistoryBuilder({ capabilities }).accept("A").advance(100).accept("B");
    history.release("A", "done").crash().accept("C");
    expect(verdictOn("durability", history)).toBe("kept");
    expect(verdictOn("acceptance", history)).toBe("broken");
  });

  it("is not to blame for a record that is missed once its time from the reserve is over", () => {
    const counted = (ms: number) =>
      new HistoryBuilder().accept("A").advance(1).commit("A", "done").crash().advance(ms).size(0);
    expect(verdictOn("durability", counted(99))).not.toBe("broken");
    expect(verdictOn("reclaim", counted(99))).toBe("broken");
    expect(verdictOn("durability", counted(98))).toBe("broken");
  });

  it("says nothing of a call that was under way at the crash", () => {
    const history = new HistoryBuilder();
    const reserve = history.start("reserve", "A");
    history.crash().complete(reserve, "indeterminate").accept("B", 2);
    expect(verdictOn("durability", history)).toBe("vacuous");
  });

  it("is vacuous without a crash", () => {
    const history = new HistoryBuilder().accept("A").accept("B", 2);
    expect(verdictOn("durability", history)).toBe("vacuous");
  });
});
