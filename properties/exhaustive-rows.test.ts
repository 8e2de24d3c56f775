import { describe, expect, it } from "vitest";
import type { SystemClaim } from "../model/claims.ts";
import { judgedTogether, searchedRow } from "./exhaustive-rows.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import type { ClaimResult, Verdict } from "./results.ts";

const found = (verdict: Verdict): ExhaustiveVerdict => ({
  invariant: "acceptance",
  statement: "one sentence",
  policy: "hardened",
  verdict,
  reason: verdict === "inconclusive" ? "three: maxStates was passed" : null,
  searches: [
    {
      scenario: "three",
      verdict,
      because: "searched to the end",
      bounds: { attempts: 3 },
      evidence: { states: 10, edges: 20, depth: 3 },
      elapsedMs: 1,
    },
  ],
  witness: null,
});

const row = (verdict: Verdict): ClaimResult => ({
  id: "at-most-once-acceptance",
  statement: "",
  source: "",
  policy: "hardened",
  target: "model",
  verdict,
  expected: "holds",
  reason: verdict === "inconclusive" ? "never exercised" : null,
  methods: [{ verdict, kind: "random", bounds: { runs: 1 }, evidence: { histories: 1 } }],
  counterexample: null,
});

describe("a claim that random histories and the search judge", () => {
  it.each([
    ["holds", "holds", "holds"],
    ["refuted", "refuted", "refuted"],
    ["inconclusive", "holds", "holds"],
    ["holds", "inconclusive", "holds"],
    ["inconclusive", "refuted", "refuted"],
    ["inconclusive", "inconclusive", "inconclusive"],
  ] as const)("is by %s and %s together %s", (random, exhaustive, together) => {
    const judged = judgedTogether(row(random), found(exhaustive));
    expect(judged.verdict).toBe(together);
    expect(judged.methods.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ["random", random],
      ["exhaustive", exhaustive],
    ]);
  });

  it.each([
    ["holds", "refuted"],
    ["refuted", "holds"],
  ] as const)("says so where %s and %s disagree", (random, exhaustive) => {
    expect(judgedTogether(row(random), found(exhaustive)).reason).toBe(
      `methods disagree: random says ${random}, exhaustive says ${exhaustive}`,
    );
  });
});

describe("a claim of the whole system", () => {
  const claim: SystemClaim = {
    id: "execution",
    statement: "",
    source: "",
    level: "system",
    exhaustive: "execution",
    expected: { paper: "refuted", published: "refuted", hardened: "holds" },
  };

  it("carries the bounds and counts of each search", () => {
    const { verdict, expected, methods } = searchedRow(claim, "hardened", found("holds"));
    expect({ verdict, expected }).toEqual({ verdict: "holds", expected: "holds" });
    expect(methods).toEqual([
      {
        verdict: "holds",
        kind: "exhaustive",
        bounds: { scenario: "three", attempts: 3 },
        evidence: { states: 10, edges: 20, depth: 3 },
      },
    ]);
  });

  it("is inconclusive where nothing was searched, and never holds past a bound", () => {
    expect(searchedRow(claim, "hardened", undefined).verdict).toBe("inconclusive");
    const stopped = searchedRow(claim, "hardened", found("inconclusive"));
    expect(stopped).toMatchObject({
      verdict: "inconclusive",
      reason: "three: maxStates was passed",
    });
  });
});
