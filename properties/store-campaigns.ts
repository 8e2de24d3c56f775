// Runs the campaigns over the stores: one a policy and target, each found plan a hint to the next.
import { policies, type PolicyName } from "../model/policy.ts";
import { runCampaign } from "./campaign.ts";
import type { CampaignGroup } from "./campaign-groups.ts";
import type { Plan } from "./plan.ts";
import type { CampaignResult } from "./results.ts";

export interface CampaignsOptions {
  readonly policies: readonly PolicyName[];
  /** Histories for each policy (on each target). */
  readonly runsUnder: (policy: PolicyName) => number;
  readonly seed: number;
  /** Real time that these campaigns may take together; null: as long as they need. */
  readonly budgetMs: number | null;
  readonly signal: AbortSignal;
  /** `done` counts over all campaigns. */
  readonly onProgress: (done: number, label: string) => void;
}

export interface StoreCampaign {
  readonly policy: PolicyName;
  readonly result: CampaignResult;
  readonly group: CampaignGroup;
}

/** One campaign a policy and target, of each group that has claims to judge. */
export async function* storeCampaigns(
  groups: readonly CampaignGroup[],
  options: CampaignsOptions,
): AsyncGenerator<StoreCampaign> {
  const startedAtMs = performance.now();
  const pairs = campaignsOf(groups, options);
  const hints = new Map<string, Map<string, Plan>>();
  let before = 0;
  for (const [index, { policy, runner, group }] of pairs.entries()) {
    const along = `${group.hintsAlong} ${group.hintsAlong === "policy" ? policy : runner.name}`;
    const known = hints.get(along) ?? new Map<string, Plan>();
    hints.set(along, known);
    const runs = options.runsUnder(policy);
    const started = before;
    const result = await runCampaign(runner, {
      seed: options.seed,
      runs,
      plans: group.plansUnder(policies[policy]),
      signal: options.signal,
      invariants: new Set(group.claims.flatMap(({ invariants }) => invariants)),
      hints: known,
      ...endOfShare(options, startedAtMs, pairs.length - index),
      onProgress: (done) => options.onProgress(started + done, `${policy} · ${runner.name}`),
    });
    before += runs;
    for (const { invariant, plan } of result.findings) known.set(invariant, plan);
    yield { policy, result, group };
  }
}

/** The campaigns that there will be, in their order. */
export function campaignsOf(
  groups: readonly CampaignGroup[],
  { policies: names }: Pick<CampaignsOptions, "policies">,
) {
  return groups.flatMap((group) =>
    (group.claims.length === 0 ? [] : names).flatMap((policy) =>
      group.runnersOf(policies[policy]).map((runner) => ({ policy, runner, group })),
    ),
  );
}

/** What is left of the budget is shared evenly by the campaigns that are left. */
export function endOfShare(
  { budgetMs }: Pick<CampaignsOptions, "budgetMs">,
  startedAtMs: number,
  campaignsLeft: number,
): { readonly endsAtMs?: number } {
  if (budgetMs === null) return {};
  const now = performance.now();
  return { endsAtMs: now + (startedAtMs + budgetMs - now) / campaignsLeft };
}
