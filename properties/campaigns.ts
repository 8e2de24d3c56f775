// Runs the campaigns of one kind of plan: one a policy and target, each found plan a hint to the next.
import { policies, type PolicyName } from "../model/policy.ts";
import { runCampaignOf } from "./campaign.ts";
import type { CampaignGroup } from "./campaign-groups.ts";
import type { PlanRunner } from "./plan-runner.ts";
import type { CampaignResult } from "./results.ts";
import type { Stepwise } from "./shrink.ts";

export interface CampaignsOptions {
  readonly seed: number;
  /** Real time that these campaigns may take together; null: as long as they need. */
  readonly budgetMs: number | null;
  readonly signal: AbortSignal;
  /** `done` counts over all campaigns. */
  readonly onProgress: (done: number, label: string) => void;
}

export interface PlannedCampaign<SomePlan, SomeHistory> {
  readonly group: CampaignGroup<SomePlan, SomeHistory>;
  readonly policy: PolicyName;
  readonly runner: PlanRunner<SomePlan, SomeHistory>;
  /** How many histories it is to have. */
  readonly runs: number;
}

export interface FinishedCampaign<SomePlan, SomeHistory> extends PlannedCampaign<
  SomePlan,
  SomeHistory
> {
  readonly result: CampaignResult<SomePlan, SomeHistory>;
}

/** The campaigns that there will be, in their order: of each group that has claims to judge. */
export function campaignsOf<SomePlan, SomeHistory>(
  groups: readonly CampaignGroup<SomePlan, SomeHistory>[],
  names: readonly PolicyName[],
  runs: number | null,
): readonly PlannedCampaign<SomePlan, SomeHistory>[] {
  return groups.flatMap((group) =>
    (group.claims.length === 0 ? [] : names).flatMap((policy) =>
      group
        .runnersOf(policies[policy])
        .map((runner) => ({ group, policy, runner, runs: runs ?? group.defaultRuns[policy] })),
    ),
  );
}

export async function* runCampaigns<SomePlan extends Stepwise, SomeHistory>(
  planned: readonly PlannedCampaign<SomePlan, SomeHistory>[],
  options: CampaignsOptions,
): AsyncGenerator<FinishedCampaign<SomePlan, SomeHistory>> {
  const startedAtMs = performance.now();
  const hints = new Map<string, Map<string, SomePlan>>();
  let before = 0;
  for (const [index, campaign] of planned.entries()) {
    const { group, policy, runner, runs } = campaign;
    const along = `${group.hintsAlong} ${group.hintsAlong === "policy" ? policy : runner.name}`;
    const known = hints.get(along) ?? new Map<string, SomePlan>();
    hints.set(along, known);
    const started = before;
    const result = await runCampaignOf(group.shape, runner, {
      seed: options.seed,
      runs,
      plans: group.plansUnder(policies[policy]),
      signal: options.signal,
      invariants: new Set(group.claims.flatMap(({ invariants }) => invariants)),
      hints: known,
      shrinkRunner: group.shrinkRunnerOf?.(runner) ?? runner,
      ...endOfShare(options, startedAtMs, planned.length - index),
      onProgress: (done) => options.onProgress(started + done, `${policy} · ${runner.name}`),
    });
    before += runs;
    for (const { invariant, plan } of result.findings) known.set(invariant, plan);
    yield { ...campaign, result };
  }
}

/** What is left of the budget is shared evenly by the campaigns that are left. */
function endOfShare(
  { budgetMs }: Pick<CampaignsOptions, "budgetMs">,
  startedAtMs: number,
  campaignsLeft: number,
): { readonly endsAtMs?: number } {
  if (budgetMs === null) return {};
  const now = performance.now();
  return { endsAtMs: now + (startedAtMs + budgetMs - now) / campaignsLeft };
}
