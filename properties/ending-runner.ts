// A runner that ends a batch of plans where it has what it looks for.
import type { PlanRunner, PlanVerdict } from "./plan-runner.ts";

/**
 * The same runner, but the first plan that breaks `invariant` is the last of its batch: a campaign
 * over it ends with its first finding, and the search for a minimal plan runs nothing in vain.
 */
export function endingRunner(runner: PlanRunner, invariant: string): PlanRunner {
  const breaks = ({ violations }: PlanVerdict): boolean =>
    violations.some((violation) => violation.invariant === invariant);
  return {
    name: runner.name,
    runPlan: (plan) => runner.runPlan(plan),
    close: () => runner.close(),
    judgePlans: async (plans) => {
      const verdicts: PlanVerdict[] = [];
      for (let start = 0; start < plans.length; start += plansAtOnce) {
        const asked = plans.slice(start, start + plansAtOnce);
        const answered = await runner.judgePlans(asked);
        const found = answered.findIndex(breaks);
        verdicts.push(...(found < 0 ? answered : answered.slice(0, found + 1)));
        if (found >= 0 || answered.length < asked.length) break;
      }
      return verdicts;
    },
  };
}

/** What is run in vain after the finding is less than this. */
const plansAtOnce = 4;
