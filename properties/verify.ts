// Judges the claims of the register: each under each policy, on each of our targets.
import { type Claim, claims, type StoreClaim } from "../model/claims.ts";
import { policies, type Policy, type PolicyName } from "../model/policy.ts";
import { runCampaign } from "./campaign.ts";
import type { Plan } from "./plan.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import type { PlanRunner } from "./plan-runner.ts";
import type { CampaignResult, ClaimResult, Finding, Results } from "./results.ts";
import { situationNames } from "./situations.ts";

export interface VerifyOptions {
  readonly policies: readonly PolicyName[];
  /** Null: the whole register. */
  readonly claimIds: readonly string[] | null;
  /** Histories for each policy on each target. */
  readonly runs: number;
  readonly seed: number;
  /** Real time that the campaigns may take together; null: as long as they need. */
  readonly budgetMs: number | null;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number, label: string) => void;
}

export interface ClaimFinding {
  readonly claim: string;
  readonly policy: string;
  readonly target: string;
  readonly finding: Finding;
}

export interface VerifyOutcome {
  /** Without the paths of counterexample files: these are the caller's to write. */
  readonly results: Results;
  readonly findings: readonly ClaimFinding[];
  readonly campaigns: readonly { readonly policy: string; readonly result: CampaignResult }[];
}

/** Opens the targets under a policy; the first is where a finding is shrunk first. */
export type RunnersOf = (policy: Policy) => readonly PlanRunner[];

/** About a minute on two cores, with three policies on three targets. */
export const defaultRuns = 3000;

export async function judgeClaims(
  runnersOf: RunnersOf,
  options: VerifyOptions,
): Promise<VerifyOutcome> {
  const startedAtMs = performance.now();
  const judged = claims.filter(({ id }) => options.claimIds?.includes(id) ?? true);
  const storeClaims = judged.filter((claim) => claim.level === "store");
  const pairs =
    storeClaims.length === 0
      ? []
      : options.policies.flatMap((name) =>
          runnersOf(policies[name]).map((runner) => ({ name, runner })),
        );
  const rows: ClaimResult[] = [];
  const findings: ClaimFinding[] = [];
  const campaigns: { policy: string; result: CampaignResult }[] = [];
  const hints = new Map<string, Map<string, Plan>>();
  for (const [index, { name, runner }] of pairs.entries()) {
    const policyHints = hints.get(name) ?? new Map<string, Plan>();
    hints.set(name, policyHints);
    const result = await runCampaign(runner, {
      seed: options.seed,
      runs: options.runs,
      plans: planArbitrary({
        crash: true,
        exactClock: true,
        oneTime: policies[name].pendingTime === "retention",
      }),
      signal: options.signal,
      invariants: new Set(storeClaims.flatMap(({ invariants }) => invariants)),
      hints: policyHints,
      ...endOfShare(options, startedAtMs, pairs.length - index),
      onProgress: (done) =>
        options.onProgress(
          index * options.runs + done,
          pairs.length * options.runs,
          `${name} · ${runner.name}`,
        ),
    });
    for (const { invariant, plan } of result.findings) policyHints.set(invariant, plan);
    campaigns.push({ policy: name, result });
    for (const claim of storeClaims) {
      const finding = result.findings.find(({ invariant }) => breaksClaim(claim, invariant));
      rows.push(rowOf(claim, name, result, options, finding));
      if (finding !== undefined) {
        findings.push({ claim: claim.id, policy: name, target: runner.name, finding });
      }
    }
  }
  rows.push(...judged.flatMap(unbuiltRow));
  return {
    results: {
      schema: "latchkey.results/1",
      seed: options.seed,
      durationMs: Math.round(performance.now() - startedAtMs),
      claims: rows,
      violations: [],
    },
    findings,
    campaigns,
  };
}

/** What is left of the budget is shared evenly by the campaigns that are left. */
function endOfShare(
  { budgetMs }: VerifyOptions,
  startedAtMs: number,
  campaignsLeft: number,
): { readonly endsAtMs?: number } {
  if (budgetMs === null) return {};
  const now = performance.now();
  return { endsAtMs: now + (startedAtMs + budgetMs - now) / campaignsLeft };
}

function breaksClaim({ invariants }: StoreClaim, invariant: string): boolean {
  return invariants.some((name) => name === invariant);
}

function rowOf(
  claim: StoreClaim,
  policy: PolicyName,
  result: CampaignResult,
  { runs, seed }: VerifyOptions,
  finding: Finding | undefined,
): ClaimResult {
  const reason = finding === undefined ? whyInconclusive(claim, result, runs) : null;
  return {
    id: claim.id,
    statement: claim.statement,
    source: claim.source,
    policy,
    target: result.target,
    verdict: finding !== undefined ? "refuted" : reason === null ? "holds" : "inconclusive",
    expected: claim.expected[policy],
    reason,
    methods: [
      {
        kind: "random",
        bounds: { runs, seed },
        evidence: {
          histories: result.histories,
          operations: result.operations,
          exercised: exercisedIn(claim, result),
          sometimes: withZeroes(result.sometimes),
        },
      },
    ],
    counterexample: null,
  };
}

/** Null where the campaign went to its end and the claim's situation occurred. */
function whyInconclusive(claim: StoreClaim, result: CampaignResult, runs: number): string | null {
  const seen = `${result.histories} of ${runs} histories`;
  if (result.stopped === "cancelled") return `cancelled after ${seen}`;
  if (result.stopped === "budget") return `the budget ended after ${seen}`;
  if (exercisedIn(claim, result) === 0) return `never exercised in ${result.histories} histories`;
  if (claim.invariants.includes("linearizability") && result.undecided > 0) {
    return `${result.undecided} histories passed the bound of the linearizability check`;
  }
  if (result.histories < runs) return `a fault of the target ended it after ${seen}`;
  return null;
}

function exercisedIn({ invariants }: StoreClaim, { exercised }: CampaignResult): number {
  return Math.min(...invariants.map((invariant) => exercised[invariant] ?? 0));
}

function withZeroes(sometimes: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(situationNames.map((name) => [name, sometimes[name] ?? 0]));
}

function unbuiltRow(claim: Claim): ClaimResult[] {
  if (claim.level !== "unbuilt") return [];
  const { id, statement, source, target } = claim;
  return [
    {
      id,
      statement,
      source,
      policy: "all",
      target,
      verdict: "inconclusive",
      expected: "inconclusive",
      reason: "not built yet",
      methods: [],
      counterexample: null,
    },
  ];
}
