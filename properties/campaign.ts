// Runs many random plans on one target and tells what broke, what was exercised, what was seen.
import fc from "fast-check";
import { minimise } from "./minimise.ts";
import type { Plan } from "./plan.ts";
import type { JudgedHistory, PlanRunner, PlanVerdict } from "./plan-runner.ts";
import type { CampaignResult, Finding } from "./results.ts";

export interface CampaignOptions {
  /** Seed of fast-check, a 32-bit integer. */
  readonly seed: number;
  readonly runs: number;
  readonly plans: fc.Arbitrary<Plan>;
  readonly signal?: AbortSignal;
  /** Real time, as of `performance.now()`, after which no further batch starts. */
  readonly endsAtMs?: number;
  readonly onProgress?: (done: number) => void;
  /** Only these invariants are shrunk and reported; all unless told. */
  readonly invariants?: ReadonlySet<string>;
  /** Minimal plans of the same invariants on another target, tried before shrinking anew. */
  readonly hints?: ReadonlyMap<string, Plan>;
  /** Runs the plans of the search for a minimal one; the runner itself unless told. */
  readonly shrinkRunner?: PlanRunner;
}

/** A campaign is repeatable: the same seed, runs and target give the same result. */
export async function runCampaign(
  runner: PlanRunner,
  options: CampaignOptions,
): Promise<CampaignResult> {
  const tally = new Tally();
  const failing = new Map<string, FailingPlan>();
  let stopped: CampaignResult["stopped"] = null;
  for (const batch of batches(options)) {
    stopped = reasonToStop(options);
    if (stopped !== null) break;
    const verdicts = await runner.judgePlans(batch.plans);
    verdicts.forEach((verdict, index) => {
      tally.add(verdict);
      for (const { invariant } of verdict.violations) {
        const plan = batch.plans[index];
        if (plan === undefined || failing.has(invariant)) continue;
        const path = String(batch.start + index);
        failing.set(invariant, { plan, seed: batch.seed, path, foundAfter: tally.histories });
      }
    });
    options.onProgress?.(tally.histories);
    if (verdicts.length < batch.plans.length) break;
  }
  const findings: Finding[] = [];
  for (const [invariant, found] of failing) {
    if (options.invariants?.has(invariant) === false) continue;
    findings.push(await shrink(runner, options, invariant, found));
  }
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

interface Batch {
  readonly seed: number;
  /** The place of the first plan in the sample of its seed: fast-check's path. */
  readonly start: number;
  readonly plans: readonly Plan[];
}

interface FailingPlan {
  readonly plan: Plan;
  readonly seed: number;
  readonly path: string;
  readonly foundAfter: number;
}

const sampleSize = 1000;
const batchSize = 200;

/** Samples of a thousand plans, the first with the seed itself, handed out in batches. */
function* batches({ seed, runs, plans }: CampaignOptions): Generator<Batch> {
  for (let sample = 0; sample * sampleSize < runs; sample += 1) {
    const sampleSeed = (seed ^ Math.imul(sample, 0x9e3779b9)) | 0;
    const numRuns = Math.min(sampleSize, runs - sample * sampleSize);
    const drawn = fc.sample(plans, { seed: sampleSeed, numRuns });
    for (let start = 0; start < drawn.length; start += batchSize) {
      yield { seed: sampleSeed, start, plans: drawn.slice(start, start + batchSize) };
    }
  }
}

function reasonToStop({ signal, endsAtMs }: CampaignOptions): CampaignResult["stopped"] {
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

async function shrink(
  runner: PlanRunner,
  options: CampaignOptions,
  invariant: string,
  found: FailingPlan,
): Promise<Finding> {
  const { seed, path, foundAfter } = found;
  const shrinker = options.shrinkRunner ?? runner;
  const firstFailing = async (plans: readonly Plan[]): Promise<number> => {
    for (let start = 0; start < plans.length;) {
      // A target fault may end a batch early; what was not run is run next.
      const verdicts = await shrinker.judgePlans(plans.slice(start));
      const index = verdicts.findIndex((verdict) => breaks(verdict, invariant));
      if (index >= 0) return start + index;
      start += Math.max(1, verdicts.length);
    }
    return -1;
  };
  const hint = options.hints?.get(invariant);
  const start = hint !== undefined && (await firstFailing([hint])) === 0 ? hint : found.plan;
  const { plan, minimal } = await minimise(start, firstFailing);
  for (const [candidate, isMinimal] of [
    [plan, minimal],
    [found.plan, false],
  ] as const) {
    const judged = await runner.runPlan(candidate);
    const violation = judged.judgement.violations.find((broken) => broken.invariant === invariant);
    if (violation !== undefined) {
      const { history } = judged;
      return {
        invariant,
        seed,
        path,
        plan: candidate,
        history,
        violation,
        minimal: isMinimal,
        foundAfter,
      };
    }
  }
  const { history } = await runner.runPlan(found.plan);
  return {
    invariant,
    seed,
    path,
    plan: found.plan,
    history,
    violation: lost(invariant),
    minimal: false,
    foundAfter,
  };
}

function breaks(verdict: PlanVerdict, invariant: string): boolean {
  return verdict.violations.some((violation) => violation.invariant === invariant);
}

/** The target broke the invariant once and not when the same plan ran again. */
function lost(invariant: string): JudgedHistory["judgement"]["violations"][number] {
  return {
    invariant,
    explanation:
      "The plan broke this invariant once and did not when it ran again: the target is not deterministic under one schedule.",
    events: [],
  };
}
