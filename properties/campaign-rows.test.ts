import { describe, expect, it } from "vitest";
import { campaignRow, type CampaignSeen } from "./campaign-rows.ts";

const claim = {
  id: "queue-executes-once",
  statement: "",
  source: "",
  invariants: ["queue-executes-once", "no-late-execution"],
  expected: { paper: "refuted", published: "refuted", hardened: "holds" },
} as const;

const seen: CampaignSeen = {
  target: "gateway",
  histories: 100,
  operations: 500,
  undecided: 0,
  sometimes: { "a claim is granted": 3 },
  exercised: { "queue-executes-once": 7, "no-late-execution": 2 },
  findings: [],
  stopped: null,
};

const row = (given: Partial<CampaignSeen> = {}) =>
  campaignRow(
    claim,
    "hardened",
    { ...seen, ...given },
    {
      runs: 100,
      seed: 1,
      situations: ["a claim is granted", "a claim is denied"],
    },
  );

describe("a campaign decides a claim", () => {
  it("that nothing broke and everything exercised: it holds, and zeroes are shown", () => {
    expect(row()).toMatchObject({
      target: "gateway",
      verdict: "holds",
      expected: "holds",
      reason: null,
      methods: [
        {
          kind: "random",
          bounds: { runs: 100, seed: 1 },
          evidence: {
            exercised: 2,
            sometimes: { "a claim is granted": 3, "a claim is denied": 0 },
          },
        },
      ],
    });
  });

  it("that one of its invariants breaks: it is refuted, even in a campaign cut short", () => {
    const findings = [{ invariant: "no-late-execution" }];
    expect(row({ findings, stopped: "cancelled", histories: 3 }).verdict).toBe("refuted");
  });

  it("not by what breaks another", () => {
    expect(row({ findings: [{ invariant: "execution" }] }).verdict).toBe("holds");
  });

  it.each([
    [{ exercised: { "queue-executes-once": 7 } }, "never exercised in 100 histories"],
    [{ stopped: "cancelled", histories: 3 }, "cancelled after 3 of 100 histories"],
    [{ stopped: "budget", histories: 3 }, "the budget ended after 3 of 100 histories"],
    [{ histories: 3 }, "a fault of the target ended it after 3 of 100 histories"],
  ] as const)("not from %j", (given, reason) => {
    expect(row(given)).toMatchObject({ verdict: "inconclusive", reason });
  });
});
