// Judges the claims of the register: each under each policy, on each of our targets.
import { type Claim, claims } from "../model/claims.ts";
import { policies, type PolicyName } from "../model/policy.ts";
import { runCampaign } from "./campaign.ts";
import {
  type CampaignClaim,
  type CampaignGroup,
  eventualStores,
  type RunnersOf,
  serialStores,
} from "./campaign-groups.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import { judgedTogether, searchedRow } from "./exhaustive-rows.ts";
import type { Plan } from "./plan.ts";
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
  /** Searches the system under a policy; null: the claims of the whole system are not judged. */
  readonly searchUnder: ((policy: PolicyName) => Promise<readonly ExhaustiveVerdict[]>) | null;
  readonly onProgress: (done: number, total: number, label: string) => void;
  /** The targets whose stores have no serial point. */
  readonly eventualRunnersOf: RunnersOf;
}

export interface ClaimFinding {
  readonly claim: string;
  readonly policy: string;
  readonly target: string;
  readonly finding: Finding;
}

/** A refutation by the exhaustive search. */
export interface ClaimWitness {
  readonly claim: string;
  readonly policy: string;
  readonly verdict: ExhaustiveVerdict;
}

export interface VerifyOutcome {
  /** Without the paths of counterexample files: these are the caller's to write. */
  readonly results: Results;
  readonly findings: readonly ClaimFinding[];
  readonly witnesses: readonly ClaimWitness[];
  readonly campaigns: readonly { readonly policy: string; readonly result: CampaignResult }[];
}

/** About a minute on two cores, with three policies on three targets. */
export const defaultRuns = 3000;

export async function judgeClaims(
  runnersOf: RunnersOf,
  options: VerifyOptions,
): Promise<VerifyOutcome> {
  const startedAtMs = performance.now();
  const judged = claims.filter(({ id }) => options.claimIds?.includes(id) ?? true);
  const storeClaims = judged.filter((claim) => claim.level === "store");
  const searches = startSearches(judged, options);
  const rows: ClaimResult[] = [];
  const findings: ClaimFinding[] = [];
  const campaigns: { policy: string; result: CampaignResult }[] = [];
  const eventualClaims = judged.filter((claim) => claim.level === "eventual-store");
  const groups = [
    serialStores(storeClaims, runnersOf),
    eventualStores(eventualClaims, options.eventualRunnersOf),
  ];
  for await (const { policy, result, group } of campaignsOf(groups, options)) {
    campaigns.push({ policy, result });
    for (const claim of group.claims) {
      const finding = result.findings.find(({ invariant }) => breaksClaim(claim, invariant));
      rows.push(rowOf(claim, policy, result, options, finding));
      if (finding === undefined) continue;
      findings.push({ claim: claim.id, policy, target: result.target, finding });
    }
  }
  const searched = withSearches(rows, judged, await searches, options);
  return {
    results: {
      schema: "latchkey.results/1",
      seed: options.seed,
      durationMs: Math.round(performance.now() - startedAtMs),
      claims: [...searched.rows, ...judged.flatMap(unbuiltRow)],
      violations: [],
    },
    findings,
    witnesses: searched.witnesses,
    campaigns,
  };
}

type Searches = ReadonlyMap<PolicyName, readonly ExhaustiveVerdict[]>;

/** One policy after the other, beside the campaigns. */
async function startSearches(
  judged: readonly Claim[],
  { policies: names, searchUnder, signal }: VerifyOptions,
): Promise<Searches> {
  const searches = new Map<PolicyName, readonly ExhaustiveVerdict[]>();
  const isNeeded = judged.some((claim) => claim.level !== "unbuilt" && claim.exhaustive !== null);
  if (searchUnder === null || !isNeeded) return searches;
  for (const name of names) {
    if (!signal.aborted) searches.set(name, await searchUnder(name));
  }
  return searches;
}

/** Adds what was searched to the rows of the model, and a row for each claim of the system. */
function withSearches(
  rows: readonly ClaimResult[],
  judged: readonly Claim[],
  searches: Searches,
  options: VerifyOptions,
): { rows: readonly ClaimResult[]; witnesses: readonly ClaimWitness[] } {
  const all = [...rows];
  const witnesses: ClaimWitness[] = [];
  if (options.searchUnder === null) return { rows: all, witnesses };
  for (const policy of options.policies) {
    for (const claim of judged) {
      if (claim.level === "unbuilt" || claim.exhaustive === null) continue;
      const verdict = searches.get(policy)?.find(({ invariant }) => invariant === claim.exhaustive);
      const isModel = (row: ClaimResult) =>
        row.id === claim.id && row.policy === policy && row.target === "model";
      const place = all.findIndex(isModel);
      const row = all[place];
      if (claim.level === "system")
        all.push(searchedRow(claim, policy, verdict, options.signal.aborted));
      else if (row !== undefined && verdict !== undefined)
        all[place] = judgedTogether(row, verdict);
      if (verdict !== undefined && verdict.witness !== null) {
        witnesses.push({ claim: claim.id, policy, verdict });
      }
    }
  }
  return { rows: all, witnesses };
}

interface PolicyCampaign {
  readonly policy: PolicyName;
  readonly result: CampaignResult;
  readonly group: CampaignGroup;
}

/** One campaign a policy and target, of each group that has claims to judge. */
async function* campaignsOf(
  groups: readonly CampaignGroup[],
  options: VerifyOptions,
): AsyncGenerator<PolicyCampaign> {
  const startedAtMs = performance.now();
  const pairs = groups.flatMap((group) =>
    (group.claims.length === 0 ? [] : options.policies).flatMap((policy) =>
      group.runnersOf(policies[policy]).map((runner) => ({ policy, runner, group })),
    ),
  );
  const hints = new Map<string, Map<string, Plan>>();
  for (const [index, { policy, runner, group }] of pairs.entries()) {
    const along = `${group.hintsAlong} ${group.hintsAlong === "policy" ? policy : runner.name}`;
    const known = hints.get(along) ?? new Map<string, Plan>();
    hints.set(along, known);
    const label = `${policy} · ${runner.name}`;
    const total = pairs.length * options.runs;
    const result = await runCampaign(runner, {
      seed: options.seed,
      runs: options.runs,
      plans: group.plansUnder(policies[policy]),
      signal: options.signal,
      invariants: new Set(group.claims.flatMap(({ invariants }) => invariants)),
      hints: known,
      ...endOfShare(options, startedAtMs, pairs.length - index),
      onProgress: (done) => options.onProgress(index * options.runs + done, total, label),
    });
    for (const { invariant, plan } of result.findings) known.set(invariant, plan);
    yield { policy, result, group };
  }
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

function breaksClaim({ invariants }: CampaignClaim, invariant: string): boolean {
  return invariants.some((name) => name === invariant);
}

function rowOf(
  claim: CampaignClaim,
  policy: PolicyName,
  result: CampaignResult,
  { runs, seed }: VerifyOptions,
  finding: Finding | undefined,
): ClaimResult {
  const reason = finding === undefined ? whyInconclusive(claim, result, runs) : null;
  const decided = reason === null ? "holds" : "inconclusive";
  const verdict = finding === undefined ? decided : "refuted";
  return {
    id: claim.id,
    statement: claim.statement,
    source: claim.source,
    policy,
    target: result.target,
    verdict,
    expected: claim.expected[policy],
    reason,
    methods: [
      {
        verdict,
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
function whyInconclusive(
  claim: CampaignClaim,
  result: CampaignResult,
  runs: number,
): string | null {
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

function exercisedIn({ invariants }: CampaignClaim, { exercised }: CampaignResult): number {
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
