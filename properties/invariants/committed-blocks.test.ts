import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { verdictOn } from "./judging.ts";

const invariant = "committed-blocks";

describe("committed blocks", () => {
  it.each([
    [99, "broken"],
    [100, "vacuous"],
    [101, "vacuous"],
  ])("judges an acceptance %i ms after a commit that blocks 100 ms as %s", (ms, verdict) => {
    const history = new HistoryBuilder().accept("A").advance(50).commit("A", "done");
    expect(verdictOn(invariant, history.advance(ms).accept("B", 2))).toBe(verdict);
  });

  it("counts a late commit that was answered done", () => {
    const history = new HistoryBuilder().accept("A").advance(100).commit("A", "done");
    expect(verdictOn(invariant, history.accept("B", 2))).toBe("broken");
  });

  it("says nothing of a late commit that was stale", () => {
    const history = new HistoryBuilder().accept("A").advance(100).commit("A", "stale");
    expect(verdictOn(invariant, history.accept("B", 2))).toBe("vacuous");
  });

  it("does not extend the retention by a repeated commit", () => {
    const history = new HistoryBuilder().accept("A").commit("A", "done").advance(60);
    history.commit("A", "done").advance(40).accept("B", 2);
    expect(verdictOn(invariant, history)).toBe("vacuous");
  });

  it("counts from the first of two commits only as far as that one may have taken effect", () => {
    const unknown = new HistoryBuilder().accept("A");
    unknown.complete(unknown.start("commit", "A"), "indeterminate").advance(60);
    unknown.commit("A", "done").advance(40).accept("B", 2);
    expect(verdictOn(invariant, unknown)).toBe("vacuous");
    const lost = new HistoryBuilder().accept("A").lost("commit", "A").advance(60);
    lost.commit("A", "done").advance(40).accept("B", 2);
    expect(verdictOn(invariant, lost)).toBe("broken");
  });

  it("is kept where the acceptance overlaps the commit", () => {
    const history = new HistoryBuilder().accept("A").advance(100);
    const commit = history.start("commit", "A");
    history.accept("B", 2).complete(commit, "done");
    expect(verdictOn(invariant, history)).toBe("vacuous");
  });

  describe("where commits go by key alone", () => {
    const byKey = () => new HistoryBuilder({ capabilities: { ownerTokens: false } });

    it("counts a commit that found a reservation", () => {
      const history = byKey().accept("A").advance(50).commit("A", "done").advance(60);
      expect(verdictOn(invariant, history.accept("B"))).toBe("broken");
    });

    it("says nothing of a late commit, which may have recorded nothing", () => {
      const history = byKey().accept("A").advance(100).commit("A", "done");
      expect(verdictOn(invariant, history.accept("B"))).toBe("vacuous");
    });

    it("takes another's commit of a committed record for no new retention", () => {
      const history = byKey().accept("A").commit("A", "done").advance(50).commit("B", "done");
      expect(verdictOn(invariant, history.advance(50).accept("C"))).toBe("vacuous");
    });

    it("says nothing once somebody has released", () => {
      const history = byKey().accept("A").commit("A", "done").release("B", "done");
      expect(verdictOn(invariant, history.accept("C"))).toBe("vacuous");
    });
  });
});
