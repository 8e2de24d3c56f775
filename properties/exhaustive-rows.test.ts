import { describe, expect, it } from "vitest";
import type { Claim, StoreClaim, SystemClaim } from "../model/claims.ts";
import {
  crossChecked,
  judgedTogether,
  type Searches,
  searchedRow,
  withSearches,
} from "./exhaustive-rows.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import type { ClaimResult, Verdict } from "./results.ts";

const stopped = "stopped by maxBytes: states=10 edges=20 depth=3 queueLength=4";

const found = (verdict: Verdict): ExhaustiveVerdict => ({
  invariant: "acceptance",
  statement: "one sentence",
  policy: "hardened",
  verdict,
  reason: verdict === "inconclusive" ? `three: ${stopped}` : null,
  searches: [
    {
      scenario: "three",
      verdict,
      because: verdict === "inconclusive" ? stopped : "searched to the end",
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
  methods: [
    {
      verdict,
      reason: verdict === "inconclusive" ? "never exercised" : null,
      kind: "random",
      bounds: { runs: 1 },
      evidence: { histories: 1 },
    },
  ],
  counterexample: null,
});

describe("a claim that random histories and the search judge", () => {
  it.each([
    ["holds", "holds", "holds", null],
    ["refuted", "refuted", "refuted", null],
    ["inconclusive", "holds", "inconclusive", "never exercised"],
    ["holds", "inconclusive", "inconclusive", `three: ${stopped}`],
    ["inconclusive", "refuted", "refuted", null],
    ["refuted", "inconclusive", "refuted", null],
    ["inconclusive", "inconclusive", "inconclusive", "never exercised"],
  ] as const)("is by %s and %s together %s: %s", (random, exhaustive, together, reason) => {
    const judged = judgedTogether(row(random), found(exhaustive));
    expect(judged).toMatchObject({ verdict: together, reason });
    expect(judged.methods.map(({ kind, verdict, reason: why }) => [kind, verdict, why])).toEqual([
      ["random", random, random === "inconclusive" ? "never exercised" : null],
      ["exhaustive", exhaustive, exhaustive === "inconclusive" ? stopped : null],
    ]);
  });

  it("holds where one search did not exercise it and another did, and says which did not", () => {
    const [three] = found("holds").searches;
    if (three === undefined) throw new Error("there is one search");
    const vacuous = {
      ...three,
      scenario: "one",
      verdict: "inconclusive",
      because: "vacuous",
    } as const;
    const both = { ...found("holds"), searches: [three, vacuous] };
    const judged = judgedTogether(row("holds"), both);
    expect(judged).toMatchObject({ verdict: "holds", reason: null });
    expect(judged.methods.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["holds", null],
      ["holds", null],
      ["inconclusive", "vacuous"],
    ]);
  });

  it("is one on which they disagree where one whole search holds and another was stopped", () => {
    const [whole] = found("holds").searches;
    const [cut] = found("inconclusive").searches;
    if (whole === undefined || cut === undefined) throw new Error("there is one search in each");
    const judged = judgedTogether(row("refuted"), {
      ...found("inconclusive"),
      searches: [whole, cut],
    });
    expect(judged.verdict).toBe("refuted");
    expect(judged.reason).toBe("methods disagree: random says refuted, exhaustive says holds");
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

describe("the searches of a policy", () => {
  const claim: StoreClaim = {
    id: "at-most-once-acceptance",
    statement: "",
    source: "",
    level: "store",
    invariants: ["acceptance"],
    expected: { paper: "holds", published: "refuted", hardened: "holds" },
    exhaustive: "acceptance",
  };
  const judge = (judged: Claim, searches: Searches, searchUnder: unknown = true) =>
    withSearches([row("holds")], [judged], searches, { policies: ["hardened"], searchUnder }).rows;

  it("that were cancelled before they began leave the row undecided, and are shown", () => {
    const reason = "cancelled before it was searched";
    const [judged] = judge(claim, new Map());
    expect(judged).toMatchObject({ verdict: "inconclusive", reason });
    expect(judged?.methods.slice(1)).toEqual([
      { verdict: "inconclusive", reason, kind: "exhaustive", bounds: {}, evidence: {} },
    ]);
  });

  it("are no methods of a claim that none of them watches, begun or not, nor where they are off", () => {
    const ownership: StoreClaim = { ...claim, exhaustive: "ownership" };
    const onPaper = [{ ...row("holds"), policy: "paper" }];
    const { rows } = withSearches(onPaper, [ownership], new Map(), {
      policies: ["paper"],
      searchUnder: true,
    });
    expect(rows).toEqual(onPaper);
    const holds = [row("holds")];
    expect(judge(claim, new Map([["hardened", []]]))).toEqual(holds);
    expect(judge(claim, new Map(), null)).toEqual(holds);
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
        reason: null,
        kind: "exhaustive",
        bounds: { scenario: "three", attempts: 3 },
        evidence: { states: 10, edges: 20, depth: 3 },
      },
    ]);
  });

  it("is inconclusive where nothing was searched, and never holds past a bound", () => {
    expect(searchedRow(claim, "hardened", null).verdict).toBe("inconclusive");
    expect(searchedRow(claim, "hardened", found("inconclusive"))).toMatchObject({
      verdict: "inconclusive",
      reason: `three: ${stopped}`,
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
