import { describe, expect, it } from "vitest";
import { claimsTable, differs, isUnbuilt } from "./claims-table.ts";
import { claimRow, mixedResults, violatedResults } from "./fixtures/results.ts";
import { verdictSummary } from "./verdict-summary.ts";

const plain = { columns: 100, color: false };
const next = { report: "reports/out/index.md" };

describe("the table of claims", () => {
  it.each([60, 80, 100, 140])("fits %i columns", (columns) => {
    const lines = claimsTable(mixedResults, { columns, color: false }).split("\n");
    const longest = Math.max(...lines.map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(Math.max(columns, 74));
  });

  it("tells a refutation that is expected from one that is not, with and without colour", () => {
    const text = claimsTable(mixedResults, plain);
    expect(text).toContain("✓ refuted");
    expect(text).toContain("✗ refuted");
    expect(text).toContain("expected holds");
    expect(claimsTable(mixedResults, { columns: 100, color: true })).toContain("\u001B[31m");
    expect(text).not.toContain("\u001B");
  });

  it("leaves claims that are not built to the list beneath", () => {
    expect(claimsTable(mixedResults, plain)).not.toContain("execution");
    expect(verdictSummary(mixedResults, next, plain)).toMatch(
      /not built yet \(1 claim\)\n {2}exec/u,
    );
  });

  it("shows no control character of a target's name", () => {
    const row = claimRow({ target: "\u001B[2J\nx", verdict: "refuted" });
    const results = { ...mixedResults, claims: [row, claimRow({ target: "y" })] };
    const text = claimsTable(results, plain) + verdictSummary(results, next, plain);
    expect(text).not.toContain("\u001B");
    expect(text).toContain(String.raw`\u001b[2J x`);
  });
});

describe("what is said beneath", () => {
  it("gives seed, time, histories, situations and the next steps", () => {
    const text = verdictSummary(mixedResults, next, plain);
    expect(text).toContain(
      "seed 42 · 61.2 s · 27,000 histories · 1 of 19 verdicts not as expected",
    );
    expect(text).toContain("read reports/out/index.md · run it again with --seed 42");
    expect(text).toMatch(/two calls in flight +│ +never │/u);
    expect(text).toContain("at-most-once-acceptance under published: npx latchkey rerun reports/");
    expect(text).toContain("soft-fail-frees-the-key under hardened on memory is refuted");
    expect(text).toContain("never exercised in 3000 histories: committed-blocks under paper");
  });

  it("says of a refutation that was missed how many histories there were", () => {
    const [method] = claimRow({}).methods;
    const missed = claimRow({
      verdict: "holds",
      expected: "refuted",
      methods: method === undefined ? [] : [{ ...method, evidence: { histories: 200 } }],
    });
    const text = verdictSummary({ ...mixedResults, claims: [missed] }, next, plain);
    expect(text).toContain(
      "expected refuted: none of 200 histories broke it; more of them (--runs)",
    );
  });

  it("says of searches that never began no number that nobody counted", () => {
    const unbegun = claimRow({
      verdict: "inconclusive",
      reason: "cancelled before it was searched",
      methods: [
        {
          verdict: "inconclusive",
          reason: "cancelled before it was searched",
          kind: "exhaustive",
          bounds: {},
          evidence: {},
        },
      ],
    });
    const text = verdictSummary({ ...mixedResults, claims: [unbegun] }, next, plain);
    expect(text).toMatch(/│ hardened +│ model +│ exhaustive, not begun +│/u);
    expect(text).not.toMatch(/Infinity|undefined/u);
  });

  it("says for check what broke, when, and with which counterexample to start", () => {
    const text = verdictSummary(violatedResults, next, plain);
    expect(text).toContain("ownership (after 7 histories): A's release");
    expect(text).toContain("Start with: npx latchkey rerun reports/out/counterexamples/contract-");
    expect(text).toContain("1 violation");
  });

  it("calls a run in which nothing differs as expected", () => {
    const results = { ...mixedResults, claims: [claimRow({})] };
    expect(verdictSummary(results, next, plain)).toContain("all 1 verdicts as expected");
  });
});

describe("a verdict", () => {
  it("differs where it is not the expected one, inconclusive included", () => {
    expect(differs(claimRow({ verdict: "inconclusive" }))).toBe(true);
    expect(differs(claimRow({ verdict: "refuted", expected: "refuted" }))).toBe(false);
  });

  it("is unbuilt only where the register says so", () => {
    const reason = "never exercised in 9 histories";
    expect(isUnbuilt(claimRow({ verdict: "inconclusive", reason }))).toBe(false);
    expect(isUnbuilt(claimRow({ verdict: "inconclusive", reason: "not built yet" }))).toBe(true);
  });
});
