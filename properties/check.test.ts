import { describe, expect, it } from "vitest";
import { hardened } from "../model/policy.ts";
import { type CheckOutcome, checkTarget } from "./check.ts";
import type { ReserveAnswer, StoreTarget } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";

/** A correct store, but after a crash what it replays is wrong, and `reserve` does as told besides. */
function forgetsResponses(reserved: (answer: ReserveAnswer) => ReserveAnswer): StoreTarget {
  const target = memoryTarget(hardened);
  return {
    ...target,
    open: async (options) => {
      const session = await target.open(options);
      let crashed = false;
      return {
        reserve: async (key, attempt) => {
          const answer = await session.reserve(key, attempt);
          if (crashed && answer.outcome === "duplicate") return { ...answer, response: "lost" };
          return reserved(answer);
        },
        commit: (key, attempt) => session.commit(key, attempt),
        release: (key, attempt) => session.release(key, attempt),
        advance: (ms) => session.advance(ms),
        crash: async () => void (crashed = true),
        size: () => session.size(),
        close: () => session.close(),
      };
    },
  };
}

const check = (target: StoreTarget, seed: number): Promise<CheckOutcome> =>
  checkTarget(target, {
    invariants: ["durability"],
    runs: 300,
    seed,
    budgetMs: null,
    signal: new AbortController().signal,
    onProgress: () => {},
  });

const rowOf = ({ results }: CheckOutcome) => results.claims.find(({ id }) => id === "durability");

describe("durability beside another defect", () => {
  it("is refuted by a plan that breaks nothing without its crash", async () => {
    const target = forgetsResponses((answer) =>
      answer.outcome === "in-flight" ? { outcome: "proceed", fence: 1e6 } : answer,
    );
    for (const seed of [1, 2, 3]) {
      const outcome = await check(target, seed);
      expect(rowOf(outcome), `seed=${seed}`).toMatchObject({ verdict: "refuted" });
      expect(outcome.findings).toMatchObject([{ invariant: "durability", minimal: true }]);
    }
  });

  it("is inconclusive where every plan breaks something without its crash too", async () => {
    // The key's next acceptance, at the latest by the probe at the end, carries the same fence.
    const target = forgetsResponses((answer) =>
      answer.outcome === "proceed" ? { ...answer, fence: 1 } : answer,
    );
    const outcome = await check(target, 1);
    expect(rowOf(outcome)?.verdict).toBe("inconclusive");
    expect(rowOf(outcome)?.reason).toMatch(
      /^broken in \d+ histories, each of which breaks something/u,
    );
    expect(outcome.findings).toEqual([]);
  });
});
