import { describe, expect, it } from "vitest";
import type { SystemClaim } from "../model/claims.ts";
import { crossChecked, judgedTogether, searchedRow } from "./exhaustive-rows.ts";
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

describe("a claim that the model and the gateway judge in two rows", () => {
  const searched = (verdict: Verdict): ClaimResult => ({
    ...row(verdict),
    methods: judgedTogether({ ...row(verdict), methods: [] }, found(verdict)).methods,
  });
  const onGateway = (verdict: Verdict): ClaimResult => ({ ...row(verdict), target: "gateway" });

  it("stays as it is where they agree, or one decides nothing", () => {
    for (const [model, gateway] of [
      ["holds", "holds"],
      ["refuted", "refuted"],
      ["inconclusive", "holds"],
      ["refuted", "inconclusive"],
    ] as const) {
      const rows = [searched(model), onGateway(gateway)];
      expect(crossChecked(rows)).toEqual(rows);
    }
  });

  it.each([
    ["holds", "refuted"],
    ["refuted", "holds"],
  ] as const)(
    "fails in both rows where the model says %s and random plans say %s",
    (model, gateway) => {
      // Whatever the register expects of each.
      const rows = [
        { ...searched(model), expected: model },
        { ...onGateway(gateway), expected: gateway },
      ];
      for (const checked of crossChecked(rows)) {
        // A row with methods that disagree differs from every expectation (reports/claims-table.ts).
        expect(checked.methods.map(({ verdict }) => verdict).toSorted()).toEqual([
          "holds",
          "refuted",
        ]);
        expect(new Set(checked.methods.map(({ kind }) => kind)).size).toBe(2);
        expect(checked.reason).toContain("methods disagree: on ");
        expect(checked.reason).toContain("in 1 histories");
        expect(checked.reason).toContain("in 1 searches");
      }
    },
  );

  it("is not compared with another claim, policy or store", () => {
    const others: readonly Partial<ClaimResult>[] = [
      { id: "another" },
      { policy: "published" },
      { target: "memory" },
    ];
    for (const other of others) {
      const rows = [searched("holds"), { ...onGateway("refuted"), ...other }];
      expect(crossChecked(rows)).toEqual(rows);
    }
  });
});
