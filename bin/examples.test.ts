// The examples: each broken store is refuted within 300 histories by the invariant in its header.
import { describe, expect, it } from "vitest";
import correct from "../examples/targets/correct.ts";
import forgetsOnCrash from "../examples/targets/forgets-on-crash.ts";
import gap from "../examples/targets/gap-between-read-and-write.ts";
import releaseIgnoresOwner from "../examples/targets/release-ignores-owner.ts";
import replaysWrongResponse from "../examples/targets/replays-wrong-response.ts";
import retentionFromReserve from "../examples/targets/retention-from-reserve.ts";
import { type CheckOutcome, checkTarget } from "../properties/check.ts";
import type { StoreTarget } from "../properties/target.ts";

const check = (
  target: StoreTarget,
  runs: number,
  seed: number,
  invariants: readonly string[] | null = null,
): Promise<CheckOutcome> =>
  checkTarget(target, {
    invariants,
    runs,
    seed,
    budgetMs: null,
    signal: new AbortController().signal,
    onProgress: () => {},
  });

describe("check names first what is broken", () => {
  it.each([
    ["durability", forgetsOnCrash],
    ["acceptance", gap],
    ["ownership", releaseIgnoresOwner],
    ["replay", replaysWrongResponse],
    ["committed-blocks", retentionFromReserve],
  ])("%s, in 300 histories of any seed", async (invariant, target) => {
    for (const seed of [1, 2]) {
      const { findings, results } = await check(target, 300, seed);
      expect(findings[0]).toMatchObject({ invariant, minimal: true });
      expect(results.violations[0]).toMatchObject({ invariant, target: target.name });
    }
  });

  it("nothing, in 5,000 histories of the correct example", async () => {
    const { results } = await check(correct, 5000, 1);
    expect(results.violations).toEqual([]);
    expect(new Set(results.claims.map(({ verdict }) => verdict))).toEqual(new Set(["holds"]));
  });
});

describe("check skips what the target does not offer, and says so", () => {
  it("names the capability", async () => {
    const { results } = await check(
      { ...correct, capabilities: { ...correct.capabilities, crash: false, replay: false } },
      50,
      1,
    );
    const reasons = Object.fromEntries(results.claims.map(({ id, reason }) => [id, reason]));
    expect(reasons).toMatchObject({
      durability: "skipped: the target has no crash",
      replay: "skipped: the target has no replay",
      acceptance: null,
    });
  });
});

describe("a store that never serves", () => {
  const unavailable: StoreTarget = {
    ...correct,
    open: async (options) => ({
      ...(await correct.open(options)),
      reserve: async () => ({ outcome: "unavailable" }),
      commit: async () => "unavailable",
      release: async () => "unavailable",
    }),
  };

  it("breaks nothing, and proves nothing either", async () => {
    const { results } = await check(unavailable, 100, 1);
    expect(results.violations).toEqual([]);
    const verdicts = new Map(results.claims.map(({ id, verdict }) => [id, verdict]));
    const ids = ["acceptance", "ownership", "replay", "no-stuck-key", "linearizability"];
    expect(ids.filter((id) => verdicts.get(id) !== "inconclusive")).toEqual([]);
  });
});

describe("a target that breaks the contract itself", () => {
  const throwing: StoreTarget = {
    ...correct,
    open: async (options) => ({
      ...(await correct.open(options)),
      release: async () => {
        throw new Error("not implemented");
      },
    }),
  };

  it("is reported with the operation, whichever invariant was asked for", async () => {
    const { results } = await check(throwing, 300, 1, ["isolation"]);
    expect(results.violations).toMatchObject([{ invariant: "target-fault" }]);
    expect(results.claims).toMatchObject([
      { id: "target-fault", verdict: "refuted" },
      { id: "isolation", verdict: "inconclusive" },
    ]);
  });

  it("is reported with the operation, and the check ends", async () => {
    const { results, campaign } = await check(throwing, 1000, 1);
    expect(campaign.histories).toBeLessThan(1000);
    expect(results.violations[0]).toMatchObject({ invariant: "target-fault" });
    expect(results.violations[0]?.explanation).toMatch(/release.*not implemented/u);
  });
});
