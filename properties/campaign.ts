// Runs many random plans on one target and tells what broke, what was exercised, what was seen.
import fc from "fast-check";
import { type PlanShape, storePlanShape } from "./minimise.ts";
import type { Plan } from "./plan.ts";
import type { History } from "./history.ts";
import type { PlanRunner, PlanVerdict } from "./plan-runner.ts";
import type { CampaignResult } from "./results.ts";
import { type FailingPlan, shrinkAll, type Stepwise } from "./shrink.ts";

export interface CampaignOptions<SomePlan = Plan, SomeHistory = History> {
  /** Seed of fast-check, a 32-bit integer. */
  readonly seed: number;
  readonly runs: number;
  readonly plans: fc.Arbitrary<SomePlan>;
  readonly signal?: AbortSignal;
  /** Real time, as of `performance.now()`, after which no further batch starts. */
  readonly endsAtMs?: number;
  readonly onProgress?: (done: number) => void;
  /** Only these invariants are shrunk and reported; all unless told. */
  readonly invariants?: ReadonlySet<string>;
  /** Minimal plans of the same invariants on another target, tried before shrinking anew. */
  readonly hints?: ReadonlyMap<string, SomePlan>;
  /** Runs the plans of the search for a minimal one; the runner itself unless told. */
  readonly shrinkRunner?: PlanRunner<SomePlan, SomeHistory>;
}

/** A campaign is repeatable: the same seed, runs and target give the same result. */
export function runCampaign(runner: PlanRunner, options: CampaignOptions): Promise<CampaignResult> {
  return runCampaignOf(storePlanShape, runner, options);
}

/** The same over plans of any kind; the shape says how they shrink. */
export async function runCampaignOf<SomePlan extends Stepwise, SomeHistory>(
  shape: PlanShape<SomePlan>,
  runner: PlanRunner<SomePlan, SomeHistory>,
  options: CampaignOptions<SomePlan, SomeHistory>,
): Promise<CampaignResult<SomePlan, SomeHistory>> {
  const tally = new Tally();
  const failing = new Map<string, FailingPlan<SomePlan>>();
  let stopped: CampaignResult["stopped"] = null;
  for (const batch of batches(options)) {
    stopped = reasonToStop(options);
    if (stopped !== null) break;
    const verdicts = await runner.judgePlans(batch.plans);
    for (const [index, verdict] of verdicts.entries()) {
      tally.add(verdict);
      noteFailing(failing, batch, index, verdict, tally.histories);
    }
    options.onProgress?.(tally.histories);
    if (verdicts.length < batch.plans.length) break;
  }
  const wanted = [...failing].filter(([name]) => options.invariants?.has(name) ?? true);
  const findings = await shrinkAll(shape, runner, wanted, options);
  const { histories, operations, undecided } = tally;
  return {
    target: runner.name,
    seed: options.seed,
    histories,
    operations,
    undecided,
    sometimes: Object.fromEntries(tally.situations),
    exercised: Object.fromEntries(tally.exercised),
    findings,
    stopped,
  };
}

/** Keeps the first failing plan of each invariant. */
function noteFailing<SomePlan>(
  failing: Map<string, FailingPlan<SomePlan>>,
  { plans, seed, start }: Batch<SomePlan>,
  index: number,
  { violations }: PlanVerdict,
  foundAfter: number,
): void {
  const plan = plans[index];
  if (plan === undefined) return;
  for (const { invariant } of violations) {
    if (failing.has(invariant)) continue;
    failing.set(invariant, { plan, seed, path: String(start + index), foundAfter });
  }
}

interface Batch<SomePlan> {
  readonly seed: number;
  /** The place of the first plan in the sample of its seed: fast-check's path. */
  readonly start: number;
  readonly plans: readonly SomePlan[];
}

const sampleSize = 1000;
const batchSize = 200;

/** Samples of a thousand plans, the first with the seed itself, handed out in batches. */
function* batches<SomePlan>({
  seed,
  runs,
  plans,
}: Pick<CampaignOptions<SomePlan>, "seed" | "runs" | "plans">): Generator<Batch<SomePlan>> {
  for (let sample = 0; sample * sampleSize < runs; sample += 1) {
    const sampleSeed = (seed ^ Math.imul(sample, 0x9e3779b9)) | 0;
    const numRuns = Math.min(sampleSize, runs - sample * sampleSize);
    const drawn = fc.sample(plans, { seed: sampleSeed, numRuns });
    for (let start = 0; start < drawn.length; start += batchSize) {
      yield { seed: sampleSeed, start, plans: drawn.slice(start, start + batchSize) };
    }
  }
}

function reasonToStop({
  signal,
  endsAtMs,
}: Pick<CampaignOptions, "signal" | "endsAtMs">): CampaignResult["stopped"] {
  if (signal?.aborted === true) return "cancelled";
  return endsAtMs !== undefined && performance.now() >= endsAtMs ? "budget" : null;
}

class Tally {
  histories = 0;
  operations = 0;
  undecided = 0;
  readonly situations = new Map<string, number>();
  readonly exercised = new Map<string, number>();

  add(verdict: PlanVerdict): void {
    this.histories += 1;
    this.operations += verdict.operations;
    if (!verdict.decided) this.undecided += 1;
    for (const name of verdict.situations) count(this.situations, name);
    for (const name of verdict.exercised) count(this.exercised, name);
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
