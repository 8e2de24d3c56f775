// Judges the claims of the register: each under each policy, on each of our targets.
import { type Claim, claims } from "../model/claims.ts";
import type { Policy, PolicyName } from "../model/policy.ts";
import {
  breaksClaim,
  campaignRow,
  type CampaignBounds,
  type RandomlyJudged,
} from "./campaign-rows.ts";
import { eventualStores, type RunnersOf, serialStores } from "./campaign-groups.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import { crossChecked, type Searches, withSearches } from "./exhaustive-rows.ts";
import { defaultGatewayRuns, gatewayCampaigns } from "./gateway/gateway-campaigns.ts";
import type { GatewayHistory } from "./gateway/gateway-history.ts";
import type { GatewayPlan } from "./gateway/gateway-plan.ts";
import type { GatewayRunner } from "./gateway/gateway-runner.ts";
import { gatewaySituationNames } from "./gateway/gateway-situations.ts";
import type { History } from "./history.ts";
import type { Plan } from "./plan.ts";
import type { CampaignResult, ClaimResult, Finding, Results } from "./results.ts";
import { situationNames } from "./situations.ts";
import { campaignsOf, type CampaignsOptions, storeCampaigns } from "./store-campaigns.ts";

export interface VerifyOptions {
  readonly policies: readonly PolicyName[];
  /** Null: the whole register. */
  readonly claimIds: readonly string[] | null;
  /** Histories for each policy on each target; null: each target's own default. */
  readonly runs: number | null;
  readonly seed: number;
  /** Real time that the campaigns may take together; null: as long as they need. */
  readonly budgetMs: number | null;
  readonly signal: AbortSignal;
  /** Searches the system under a policy; null: the claims of the whole system are not judged. */
  readonly searchUnder: ((policy: PolicyName) => Promise<readonly ExhaustiveVerdict[]>) | null;
  readonly onProgress: (done: number, total: number, label: string) => void;
}

/** What the claims are judged on; the gateway runs beside the stores. */
export interface Runners {
  readonly stores: RunnersOf;
  /** The targets whose stores have no serial point. */
  readonly eventualStores: RunnersOf;
  readonly gateway: (policy: Policy) => GatewayRunner;
}

export interface ClaimFinding<SomePlan = Plan, SomeHistory = History> {
  readonly claim: string;
  readonly policy: string;
  readonly target: string;
  readonly finding: Finding<SomePlan, SomeHistory>;
}

export type GatewayFinding = ClaimFinding<GatewayPlan, GatewayHistory>;

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
  readonly gatewayFindings: readonly GatewayFinding[];
  readonly witnesses: readonly ClaimWitness[];
}

/** For each policy on each store: about a minute on two cores, with everything beside it. */
const defaultStoreRuns = 3000;

export async function judgeClaims(
  runners: Runners,
  options: VerifyOptions,
): Promise<VerifyOutcome> {
  const startedAtMs = performance.now();
  const judged = claims.filter(({ id }) => options.claimIds?.includes(id) ?? true);
  const progress = addProgress(options);
  const [searches, stores, gateway] = await Promise.all([
    startSearches(judged, options),
    judgeStores(runners, judged, options, progress()),
    judgeGatewayClaims(runners, judged, options, progress()),
  ]);
  const searched = withSearches([...stores.rows, ...gateway.rows], judged, searches, options);
  return {
    results: {
      schema: "latchkey.results/1",
      seed: options.seed,
      durationMs: Math.round(performance.now() - startedAtMs),
      claims: [...crossChecked(searched.rows), ...judged.flatMap(unbuiltRow)],
      violations: [],
    },
    findings: stores.findings,
    gatewayFindings: gateway.findings,
    witnesses: searched.witnesses,
  };
}

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

/** Rows and findings of one kind of target. */
interface Judged<SomePlan, SomeHistory> {
  readonly rows: readonly ClaimResult[];
  readonly findings: readonly ClaimFinding<SomePlan, SomeHistory>[];
}

type Report = CampaignsOptions["onProgress"];
type ReportOf = (total: number) => Report;

async function judgeStores(
  runners: Runners,
  judged: readonly Claim[],
  options: VerifyOptions,
  report: ReportOf,
): Promise<Judged<Plan, History>> {
  const runs = options.runs ?? defaultStoreRuns;
  const groups = [
    serialStores(
      judged.filter((claim) => claim.level === "store"),
      runners.stores,
    ),
    eventualStores(
      judged.filter((claim) => claim.level === "eventual-store"),
      runners.eventualStores,
    ),
  ];
  const campaigns = storeCampaigns(groups, {
    ...campaignsOptions(options, () => runs),
    onProgress: report(campaignsOf(groups, options).length * runs),
  });
  const collected = new Collected<Plan, History>();
  const bounds = { runs, seed: options.seed, situations: situationNames };
  for await (const { policy, result, group } of campaigns) {
    collected.add(group.claims, policy, result, bounds);
  }
  return collected;
}

async function judgeGatewayClaims(
  { gateway }: Runners,
  judged: readonly Claim[],
  options: VerifyOptions,
  report: ReportOf,
): Promise<Judged<GatewayPlan, GatewayHistory>> {
  const collected = new Collected<GatewayPlan, GatewayHistory>();
  const gatewayClaims = judged.filter((claim) => claim.level === "gateway");
  if (gatewayClaims.length === 0) return collected;
  const runsUnder = (policy: PolicyName) => options.runs ?? defaultGatewayRuns[policy];
  const total = options.policies.map(runsUnder).reduce((sum, runs) => sum + runs, 0);
  const campaigns = gatewayCampaigns(gateway, {
    ...campaignsOptions(options, runsUnder),
    invariants: new Set(gatewayClaims.flatMap(({ invariants }) => invariants)),
    onProgress: report(total),
  });
  const bounds = { seed: options.seed, situations: gatewaySituationNames };
  for await (const { policy, result } of campaigns) {
    collected.add(gatewayClaims, policy, result, { ...bounds, runs: runsUnder(policy) });
  }
  return collected;
}

function campaignsOptions(
  { policies, seed, budgetMs, signal }: VerifyOptions,
  runsUnder: (policy: PolicyName) => number,
): Omit<CampaignsOptions, "onProgress"> {
  return { policies, seed, budgetMs, signal, runsUnder };
}

class Collected<SomePlan, SomeHistory> implements Judged<SomePlan, SomeHistory> {
  readonly rows: ClaimResult[] = [];
  readonly findings: ClaimFinding<SomePlan, SomeHistory>[] = [];

  /** A row for each of the claims that this campaign judged. */
  add(
    judged: readonly RandomlyJudged[],
    policy: PolicyName,
    result: CampaignResult<SomePlan, SomeHistory>,
    bounds: CampaignBounds,
  ): void {
    for (const claim of judged) {
      this.rows.push(campaignRow(claim, policy, result, bounds));
      const finding = result.findings.find(({ invariant }) => breaksClaim(claim, invariant));
      if (finding === undefined) continue;
      this.findings.push({ claim: claim.id, policy, target: result.target, finding });
    }
  }
}

/** Campaigns run beside each other and count together; the label is of the one that moved last. */
function addProgress({ onProgress }: Pick<VerifyOptions, "onProgress">): () => ReportOf {
  const parts: { done: number; total: number }[] = [];
  const sum = (name: "done" | "total") => parts.reduce((all, part) => all + part[name], 0);
  return () => (total) => {
    const part = { done: 0, total };
    parts.push(part);
    return (done, label) => {
      part.done = done;
      onProgress(sum("done"), sum("total"), label);
    };
  };
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
