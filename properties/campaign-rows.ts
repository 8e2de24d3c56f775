// How what a campaign saw becomes a row of the results, and when it decides nothing.
import type { ExpectedVerdict } from "../model/claims.ts";
import type { PolicyName } from "../model/policy.ts";
import type { CampaignResult, ClaimResult } from "./results.ts";

/** What a row needs of a claim that random plans judge, on a store or on the whole gateway. */
export interface RandomlyJudged {
  readonly id: string;
  readonly statement: string;
  readonly source: string;
  readonly invariants: readonly string[];
  readonly expected: Readonly<Record<PolicyName, ExpectedVerdict>>;
}

/** What a row needs of a campaign, whatever kind of plans it ran. */
export type CampaignSeen = Pick<
  CampaignResult,
  "target" | "histories" | "operations" | "undecided" | "sometimes" | "exercised" | "stopped"
> & { readonly findings: readonly { readonly invariant: string }[] };

export interface CampaignBounds {
  /** How many histories were asked for. */
  readonly runs: number;
  readonly seed: number;
  /** Every situation that is looked for, so that what never occurred shows as a zero. */
  readonly situations: readonly string[];
}

/** One row: refuted by a finding, inconclusive where the situation never occurred, or it holds. */
export function campaignRow(
  claim: RandomlyJudged,
  policy: PolicyName,
  seen: CampaignSeen,
  { runs, seed, situations }: CampaignBounds,
): ClaimResult {
  const isBroken = seen.findings.some(({ invariant }) => breaksClaim(claim, invariant));
  const reason = isBroken ? null : whyInconclusive(claim, seen, runs);
  const decided = reason === null ? "holds" : "inconclusive";
  const verdict = isBroken ? "refuted" : decided;
  const { id, statement, source, expected } = claim;
  const { target, histories, operations, sometimes } = seen;
  return {
    id,
    statement,
    source,
    policy,
    target,
    verdict,
    expected: expected[policy],
    reason,
    methods: [
      {
        verdict,
        reason,
        kind: "random",
        bounds: { runs, seed },
        evidence: {
          histories,
          operations,
          exercised: exercisedIn(claim, seen),
          sometimes: Object.fromEntries(situations.map((name) => [name, sometimes[name] ?? 0])),
        },
      },
    ],
    counterexample: null,
  };
}

export function breaksClaim(
  { invariants }: Pick<RandomlyJudged, "invariants">,
  invariant: string,
): boolean {
  return invariants.includes(invariant);
}

/** Null where the campaign went to its end and the claim's situation occurred. */
function whyInconclusive(claim: RandomlyJudged, seen: CampaignSeen, runs: number): string | null {
  const { histories, stopped, undecided } = seen;
  const counted = `${histories} of ${runs} histories`;
  if (stopped === "cancelled") return `cancelled after ${counted}`;
  if (stopped === "budget") return `the budget ended after ${counted}`;
  if (exercisedIn(claim, seen) === 0) return `never exercised in ${histories} histories`;
  if (claim.invariants.includes("linearizability") && undecided > 0) {
    return `${undecided} histories passed the bound of the linearizability check`;
  }
  if (histories < runs) return `a fault of the target ended it after ${counted}`;
  return null;
}

function exercisedIn({ invariants }: RandomlyJudged, { exercised }: CampaignSeen): number {
  return Math.min(...invariants.map((invariant) => exercised[invariant] ?? 0));
}
