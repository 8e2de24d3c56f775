// Runs plans on a target in this very process, one after another.
import type { Policy } from "../model/policy.ts";
import { judgeUnder } from "./judge-under.ts";
import { installNodeSchedulePoints } from "./node-schedule-points.ts";
import type { Plan } from "./plan.ts";
import { type JudgedHistory, type PlanRunner, verdictOf } from "./plan-runner.ts";
import { runPlan } from "./run-plan.ts";
import type { StoreTarget } from "./target.ts";

export interface InProcessOptions {
  /** The policy under which attempts act and answers are judged; null: the contract. */
  readonly policy?: Policy | null;
  /** How long an operation may take in real time before that is a fault of the target. */
  readonly answerBoundMs?: number;
}

/** A runner for a target whose module is loaded here: the model, the memory store, a user's own. */
export function inProcessRunner(
  target: StoreTarget,
  { policy = null, answerBoundMs }: InProcessOptions = {},
): PlanRunner {
  const run = async (plan: Plan): Promise<JudgedHistory> => {
    const history = await runPlan(target, plan, {
      ...(policy === null ? {} : { rules: policy }),
      ...(answerBoundMs === undefined ? {} : { answerBoundMs }),
      installSchedulePoints: installNodeSchedulePoints,
    });
    return { history, judgement: judgeUnder(policy, history) };
  };
  return {
    name: target.name,
    judgePlans: async (plans) => {
      const verdicts = [];
      for (const plan of plans) {
        const verdict = verdictOf(await run(plan));
        verdicts.push(verdict);
        // A target that hangs takes its whole answer bound each time; the rest is not run.
        if (verdict.violations.some(({ invariant }) => invariant === "target-fault")) break;
      }
      return verdicts;
    },
    runPlan: run,
    close: async () => {},
  };
}
