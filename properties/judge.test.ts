import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hardened, published, type Policy } from "../model/policy.ts";
import { HistoryBuilder } from "./history-builder.ts";
import { judge } from "./judge.ts";
import { machineSpec } from "./machine-spec.ts";
import { randomHistories } from "./random-histories.ts";
import { situationNames } from "./situations.ts";

const lateIgnored: Policy = { ...hardened, name: "hardened, late stale", lateCommit: "ignore" };
const common = { keys: 2, attempts: 4, maxChoices: 160, silence: false } as const;
const numRuns = 500;
const seed = 20261130;

describe("judge", () => {
  it("finds nothing in any history of the hardened machine", () => {
    const exercised = new Set<string>();
    fc.assert(
      fc.property(randomHistories({ ...common, policies: [hardened] }), (history) => {
        const judgement = judge(history, { spec: machineSpec(hardened, history) });
        expect(judgement.violations).toEqual([]);
        for (const name of judgement.exercised) exercised.add(name);
      }),
      { numRuns, seed },
    );
    expect(exercised.size).toBe(17);
  });

  it("finds nothing where late commits are taken either way and calls fall silent", () => {
    fc.assert(
      fc.property(
        randomHistories({ ...common, policies: [hardened, lateIgnored], silence: true }),
        (history) => {
          expect(judge(history).violations).toEqual([]);
        },
      ),
      { numRuns, seed },
    );
  });

  it("finds in `published` what no owner tokens, one word and the reserve's retention break, no more", () => {
    const broken = new Set<string>();
    fc.assert(
      fc.property(
        randomHistories({ ...common, policies: [{ ...published }] }).filter(
          ({ pendingMs, retentionMs }) => pendingMs === retentionMs,
        ),
        (history) => {
          const { violations } = judge(history, { spec: machineSpec(published, history) });
          for (const { invariant } of violations) broken.add(invariant);
        },
      ),
      { numRuns, seed },
    );
    expect([...broken].sort()).toEqual([
      "acceptance",
      "committed-blocks",
      "exclusion",
      "ownership",
      "truthful-refusal",
    ]);
  });

  it("finds nothing in an empty history, and exercises nothing", () => {
    expect(judge(new HistoryBuilder())).toEqual({
      violations: [],
      exercised: [],
      situations: [],
      decided: true,
    });
  });

  it("leaves out what the target has no capabilities for", () => {
    const capabilities = { fingerprints: false, replay: false, crash: false };
    const history = new HistoryBuilder({ capabilities }).accept("A").commit("A", "done").crash();
    history.reserve("B", "duplicate", { fingerprint: "g" });
    expect(judge(history).violations).toEqual([]);
    expect(judge(history).exercised).not.toContain("replay");
  });

  it("names each situation at most once", () => {
    expect(new Set(situationNames).size).toBe(situationNames.length);
  });
});
