// The harness Worker over Workers KV: it runs and judges plans on the binding itself, and answers Node.
import type { Policy } from "../../model/policy.ts";
import { judgeEach, serve } from "../harness-serving.ts";
import { judgeUnder } from "../judge-under.ts";
import type { Plan } from "../plan.ts";
import type { JudgedHistory } from "../plan-runner.ts";
import { verdictOf } from "../plan-runner.ts";
import { runPlan } from "../run-plan.ts";
import { installSchedulePoints, type SchedulePoints } from "../schedule-points.ts";
import type { StoreTarget } from "../target.ts";
import type { KvHarnessCalls } from "./kv-protocol.ts";
import { kvCapabilities, KvSession } from "./kv-session.ts";

interface HarnessEnv {
  readonly RECORDS: KVNamespace;
}

export default serve<KvHarnessCalls, HarnessEnv>({
  "/judge": ({ policy, plans }, { RECORDS }) =>
    judgeEach(plans, plansPerPause, async (plan) =>
      verdictOf(await runAndJudge(RECORDS, policy, plan)),
    ),
  "/run": ({ policy, plan }, { RECORDS }) => runAndJudge(RECORDS, policy, plan),
});

async function runAndJudge(
  records: KVNamespace,
  policy: Policy,
  plan: Plan,
): Promise<JudgedHistory> {
  const calls = new CallsUnderWay();
  const history = await runPlan(kvTarget(records, policy, calls), plan, {
    rules: policy,
    installSchedulePoints: () => pointsBeside(calls),
  });
  return { history, judgement: judgeUnder(policy, history) };
}

/** The kv target as it is seen from inside workerd: every location is this one. */
function kvTarget(records: KVNamespace, policy: Policy, calls: CallsUnderWay): StoreTarget {
  return {
    name: "kv",
    capabilities: kvCapabilities(policy),
    open: async (options) =>
      new KvSession(policy, options, () => ({
        seenBy: () => records,
        centre: records,
        send: (call) => calls.send(call),
        prefix: `${sessions++}/`,
      })),
  };
}

let sessions = 0;

/** Calls to KV take real time: while one is under way nothing else may be chosen. */
class CallsUnderWay {
  count = 0;

  async send<Value>(call: () => Promise<Value>): Promise<Value> {
    // Looked up now, not at start: a run replaces the timer by a schedule point.
    await new Promise<void>((resolve) => globalThis.setTimeout(resolve, 1));
    this.count += 1;
    try {
      return await call();
    } finally {
      this.count -= 1;
    }
  }
}

/**
 * Schedule points that count as parked only while no call is under way: the run waits for each
 * answer of KV, however long it takes, before it opens the next point. So the plan alone says in
 * which order KV is called, and no speed does.
 */
function pointsBeside(calls: CallsUnderWay): SchedulePoints {
  const points = installSchedulePoints();
  const parked = points.parked.bind(points);
  points.parked = () => (calls.count > 0 ? 0 : parked());
  return points;
}

/** About 60 calls. */
const plansPerPause = 4;
