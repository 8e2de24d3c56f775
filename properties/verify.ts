// Judges the claims of the register: each under each policy, on each of our targets.
import { type Claim, claims } from "../model/claims.ts";
import type { PolicyName } from "../model/policy.ts";
import {
  breaksClaim,
  campaignRow,
  type CampaignBounds,
  type RandomlyJudged,
} from "./campaign-rows.ts";
import {
  type CampaignGroup,
  eventualStores,
  type RunnersOf,
  serialStores,
} from "./campaign-groups.ts";
import { campaignsOf, type CampaignsOptions, runCampaigns } from "./campaigns.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import { crossChecked, type Searches, withSearches } from "./exhaustive-rows.ts";
import { wholeGateway } from "./gateway/gateway-campaigns.ts";
import type { GatewayHistory } from "./gateway/gateway-history.ts";
import type { GatewayPlan } from "./gateway/gateway-plan.ts";
import type { History } from "./history.ts";
import type { Plan } from "./plan.ts";
import { rateLimiters } from "./rate-limit/limiter-campaigns.ts";
import type { RateLimitHistory } from "./rate-limit/rate-limit-history.ts";
import type { RateLimitPlan } from "./rate-limit/rate-limit-plan.ts";
import type { CampaignResult, ClaimResult, Finding, Results } from "./results.ts";
import type { Stepwise } from "./shrink.ts";

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

/** What the claims are judged on; gateway and rate limiters run beside the stores. */
export interface Runners {
  readonly stores: RunnersOf;
  /** The targets whose stores have no serial point. */
  readonly eventualStores: RunnersOf;
  readonly gateway: RunnersOf<GatewayPlan, GatewayHistory>;
  readonly rateLimiters: RunnersOf<RateLimitPlan, RateLimitHistory>;
}

export interface ClaimFinding<SomePlan = Plan, SomeHistory = History> {
  readonly claim: string;
  readonly policy: string;
  readonly target: string;
  readonly finding: Finding<SomePlan, SomeHistory>;
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
  readonly gatewayFindings: readonly ClaimFinding<GatewayPlan, GatewayHistory>[];
  readonly rateLimitFindings: readonly ClaimFinding<RateLimitPlan, RateLimitHistory>[];
  readonly witnesses: readonly ClaimWitness[];
}

export async function judgeClaims(
  runners: Runners,
  options: VerifyOptions,
): Promise<VerifyOutcome> {
  const startedAtMs = performance.now();
  const judged = claims.filter(({ id }) => options.claimIds?.includes(id) ?? true);
  const progress = addProgress(options);
  const storeGroups = [
    serialStores(atLevel(judged, "store"), runners.stores),
    eventualStores(atLevel(judged, "eventual-store"), runners.eventualStores),
  ];
  const gatewayGroup = wholeGateway(atLevel(judged, "gateway"), runners.gateway);
  const limiterGroup = rateLimiters(atLevel(judged, "rate-limit"), runners.rateLimiters);
  const [searches, stores, gateway, limiters] = await Promise.all([
    startSearches(judged, options),
    judgeGroups(storeGroups, options, progress()),
    judgeGroups([gatewayGroup], options, progress()),
    judgeGroups([limiterGroup], options, progress()),
  ]);
  const rows = [...stores.rows, ...gateway.rows, ...limiters.rows];
  const searched = withSearches(rows, judged, searches, options);
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
    rateLimitFindings: limiters.findings,
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

async function judgeGroups<SomePlan extends Stepwise, SomeHistory>(
  groups: readonly CampaignGroup<SomePlan, SomeHistory>[],
  { policies, runs, seed, budgetMs, signal }: VerifyOptions,
  report: ReportOf,
): Promise<Judged<SomePlan, SomeHistory>> {
  const planned = campaignsOf(groups, policies, runs);
  const onProgress = report(planned.reduce((sum, campaign) => sum + campaign.runs, 0));
  const collected = new Collected<SomePlan, SomeHistory>();
  const campaigns = runCampaigns(planned, { seed, budgetMs, signal, onProgress });
  for await (const { group, policy, result, ...campaign } of campaigns) {
    const { claims: judged, situations } = group;
    collected.add(judged, policy, result, { runs: campaign.runs, seed, situations });
  }
  return collected;
}

function atLevel<Level extends Claim["level"]>(
  judged: readonly Claim[],
  level: Level,
): readonly Extract<Claim, { readonly level: Level }>[] {
  return judged.filter(
    (claim): claim is Extract<Claim, { readonly level: Level }> => claim.level === level,
  );
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
