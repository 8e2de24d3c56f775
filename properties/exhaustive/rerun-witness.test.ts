import { beforeAll, describe, expect, it } from "vitest";
import { judgeExhaustively, type ExhaustiveVerdict } from "./judge-exhaustively.ts";
import { rerunWitness } from "./rerun-witness.ts";

describe("a saved witness", () => {
  let refuted: readonly ExhaustiveVerdict[] = [];

  beforeAll(async () => {
    const judged = await judgeExhaustively({ policy: "paper", level: "quick", maxSeconds: 300 });
    refuted = judged.filter(({ verdict }) => verdict === "refuted");
  }, 120_000);

  it("breaks its invariant again, step by step, for every claim that the paper's algorithm breaks", () => {
    expect(refuted.length).toBeGreaterThanOrEqual(6);
    for (const { invariant, witness } of refuted) {
      const { scenario = "", actions = [], steps = [] } = witness ?? {};
      const again = rerunWitness("paper", invariant, { kind: "exhaustive", scenario, actions });
      expect(again).toEqual({ kind: "reproduced", steps });
    }
  });

  it("is not reproduced without its last step, nor with a step that is not possible", () => {
    for (const { invariant, witness } of refuted) {
      const { scenario = "", actions = [] } = witness ?? {};
      const plan = { kind: "exhaustive", scenario } as const;
      const short = { ...plan, actions: actions.slice(0, -1) };
      expect(rerunWitness("paper", invariant, short).kind).toBe("not-reproduced");
      const wrong = { ...plan, actions: [4_000_000_000, ...actions] };
      expect(rerunWitness("paper", invariant, wrong)).toMatchObject({
        kind: "not-reproduced",
        because: "action 4000000000 is not possible after step 0",
      });
    }
  });

  it("of a search that is not ours is refused with those that are", () => {
    const plan = { kind: "exhaustive", scenario: "nonsense", actions: [] } as const;
    const again = rerunWitness("paper", "execution", plan);
    expect(again).toMatchObject({ kind: "unknown-scenario" });
    expect(rerunWitness("nobody", "execution", plan)).toEqual({
      kind: "unknown-scenario",
      known: [],
    });
  });
});
