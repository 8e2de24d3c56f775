// Makes the first failing plan of each invariant minimal, and tells what it breaks.
import { minimiseBy, type Minimised, type PlanShape } from "./minimise.ts";
import type { PlanRunner, PlanVerdict } from "./plan-runner.ts";
import type { Finding, Violation } from "./results.ts";

export interface FailingPlan<SomePlan> {
  readonly plan: SomePlan;
  readonly seed: number;
  /** fast-check's path to the plan. */
  readonly path: string;
  /** How many histories had run when it failed, from 1. */
  readonly foundAfter: number;
}

export interface ShrinkOptions<SomePlan, SomeHistory> {
  /** Minimal plans of the same invariants on another target, tried before shrinking anew. */
  readonly hints?: ReadonlyMap<string, SomePlan>;
  /** Runs the plans of the search for a minimal one; the runner itself unless told. */
  readonly shrinkRunner?: PlanRunner<SomePlan, SomeHistory>;
  /** Once aborted, plans are no longer shrunk, and their findings are not called minimal. */
  readonly signal?: AbortSignal;
}

/**
 * One finding for each invariant. A minimal plan of one invariant often breaks another as well,
 * and by less: where it does, the search for the other starts again from there.
 */
export async function shrinkAll<SomePlan extends Stepwise, SomeHistory>(
  shape: PlanShape<SomePlan>,
  runner: PlanRunner<SomePlan, SomeHistory>,
  failing: readonly (readonly [invariant: string, FailingPlan<SomePlan>])[],
  options: ShrinkOptions<SomePlan, SomeHistory>,
): Promise<readonly Finding<SomePlan, SomeHistory>[]> {
  const search = new Search(shape, options.shrinkRunner ?? runner, options.signal);
  const least = new Map<string, Minimised<SomePlan>>();
  for (const [invariant, { plan }] of failing) {
    const hint = options.hints?.get(invariant);
    const hinted = hint !== undefined && (await search.fails(hint, invariant));
    least.set(invariant, await search.minimise(hinted ? hint : plan, invariant));
  }
  for (const [invariant, own] of least) {
    for (const [other, { plan }] of least) {
      if (other === invariant || plan.steps.length > own.plan.steps.length) continue;
      if (!(await search.fails(plan, invariant))) continue;
      const better = await search.minimise(plan, invariant);
      const best = least.get(invariant) ?? own;
      if (better.plan.steps.length < best.plan.steps.length) least.set(invariant, better);
    }
  }
  const findings: Finding<SomePlan, SomeHistory>[] = [];
  for (const [invariant, found] of failing) {
    const minimised = least.get(invariant);
    if (minimised !== undefined) findings.push(await confirm(runner, invariant, found, minimised));
  }
  return findings;
}

/** A plan that is carried out step by step: the fewer, the better. */
export interface Stepwise {
  readonly steps: readonly unknown[];
}

class Search<SomePlan, SomeHistory> {
  readonly #shape: PlanShape<SomePlan>;
  readonly #runner: PlanRunner<SomePlan, SomeHistory>;
  readonly #signal: AbortSignal | undefined;

  constructor(
    shape: PlanShape<SomePlan>,
    runner: PlanRunner<SomePlan, SomeHistory>,
    signal: AbortSignal | undefined,
  ) {
    this.#shape = shape;
    this.#runner = runner;
    this.#signal = signal;
  }

  async fails(plan: SomePlan, invariant: string): Promise<boolean> {
    return (await this.#firstFailing([plan], invariant)) === 0;
  }

  async minimise(plan: SomePlan, invariant: string): Promise<Minimised<SomePlan>> {
    const minimised = await minimiseBy(this.#shape, plan, (plans) =>
      this.#firstFailing(plans, invariant),
    );
    return this.#signal?.aborted === true ? { ...minimised, minimal: false } : minimised;
  }

  async #firstFailing(plans: readonly SomePlan[], invariant: string): Promise<number> {
    for (let start = 0; start < plans.length;) {
      if (this.#signal?.aborted === true) return -1;
      // A target fault may end a batch early; what was not run is run next.
      const verdicts = await this.#runner.judgePlans(plans.slice(start));
      const index = verdicts.findIndex((verdict) => breaks(verdict, invariant));
      if (index >= 0) return start + index;
      start += Math.max(1, verdicts.length);
    }
    return -1;
  }
}

/** Runs the minimal plan once more, where the target lives, and keeps its whole history. */
async function confirm<SomePlan, SomeHistory>(
  runner: PlanRunner<SomePlan, SomeHistory>,
  invariant: string,
  found: FailingPlan<SomePlan>,
  { plan: least, minimal }: Minimised<SomePlan>,
): Promise<Finding<SomePlan, SomeHistory>> {
  const { seed, path, foundAfter } = found;
  for (const [plan, isMinimal] of [
    [least, minimal],
    [found.plan, false],
  ] as const) {
    const { history, judgement } = await runner.runPlan(plan);
    const violation = judgement.violations.find((broken) => broken.invariant === invariant);
    if (violation === undefined) continue;
    return { invariant, seed, path, plan, history, violation, minimal: isMinimal, foundAfter };
  }
  const { plan } = found;
  const { history } = await runner.runPlan(plan);
  const violation = notAgain(invariant);
  return { invariant, seed, path, plan, history, violation, minimal: false, foundAfter };
}

function breaks(verdict: PlanVerdict, invariant: string): boolean {
  return verdict.violations.some((violation) => violation.invariant === invariant);
}

/** The target broke the invariant once and not when the same plan ran again. */
function notAgain(invariant: string): Violation {
  return {
    invariant,
    explanation:
      "The plan broke this invariant once and did not when it ran again: the target is not deterministic under one schedule.",
    events: [],
  };
}
