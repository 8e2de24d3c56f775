// Which violations of durability count: those of plans that break nothing else without their crashes.
import type { Plan } from "./plan.ts";
import type { PlanRunner, PlanVerdict } from "./plan-runner.ts";

export interface CrashNeedingRunner extends PlanRunner {
  /** How many plans broke durability and, without their crashes, something all the same. */
  readonly setAside: () => number;
}

/**
 * The same runner, but a plan breaks *durability* only if it needs its crashes for what it breaks.
 * So a campaign looks among all of its plans for one that does, and the search for a minimal plan
 * never leaves those. What is in `symptoms` breaks together with almost anything and excuses nothing.
 */
export function crashNeedingRunner(
  runner: PlanRunner,
  symptoms: ReadonlySet<string>,
): CrashNeedingRunner {
  let setAside = 0;
  const breaksAnyhow = async (plan: Plan): Promise<boolean> => {
    const steps = plan.steps.filter(({ kind }) => kind !== "crash");
    const [verdict] = await runner.judgePlans([{ ...plan, steps }]);
    return verdict?.violations.some(({ invariant }) => !symptoms.has(invariant)) ?? false;
  };
  const checked = async (plan: Plan, verdict: PlanVerdict): Promise<PlanVerdict> => {
    if (!verdict.violations.some(isDurability) || !(await breaksAnyhow(plan))) return verdict;
    setAside += 1;
    const violations = verdict.violations.filter((violation) => !isDurability(violation));
    return { ...verdict, violations };
  };
  return {
    name: runner.name,
    setAside: () => setAside,
    runPlan: (plan) => runner.runPlan(plan),
    close: () => runner.close(),
    judgePlans: async (plans) => {
      const verdicts = await runner.judgePlans(plans);
      const kept: PlanVerdict[] = [];
      for (const [index, verdict] of verdicts.entries()) {
        const plan = plans[index];
        if (plan !== undefined) kept.push(await checked(plan, verdict));
      }
      return kept;
    },
  };
}

function isDurability({ invariant }: { readonly invariant: string }): boolean {
  return invariant === "durability";
}
