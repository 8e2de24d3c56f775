// The harness Worker over Workers KV: it runs and judges plans on the binding itself, and answers Node.
import type { Policy } from "../../model/policy.ts";
import { judgeUnder } from "../judge-under.ts";
import type { Plan } from "../plan.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import { verdictOf } from "../plan-runner.ts";
import { runPlan } from "../run-plan.ts";
import { installSchedulePoints, realTimers, type SchedulePoints } from "../schedule-points.ts";
import type { StoreTarget } from "../target.ts";
import type { KvHarnessCalls } from "./kv-protocol.ts";
import { kvCapabilities, KvSession } from "./kv-session.ts";

interface HarnessEnv {
  readonly RECORDS: KVNamespace;
}

type Path = keyof KvHarnessCalls;
type Handlers = {
  readonly [P in Path]: (
    request: KvHarnessCalls[P]["request"],
    records: KVNamespace,
  ) => Promise<KvHarnessCalls[P]["answer"]>;
};

export default {
  async fetch(request: Request, env: HarnessEnv): Promise<Response> {
    const { pathname } = new URL(request.url);
    try {
      const handler = handlers[pathname as Path] as Handlers[Path] | undefined;
      if (handler === undefined) return new Response(`no such path: ${pathname}`, { status: 404 });
      return Response.json(await handler(await request.json(), env.RECORDS));
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return new Response(text, { status: 500 });
    }
  },
};

const handlers: Handlers = {
  "/judge": ({ policy, plans }, records) => judgePlans(records, policy, plans),
  "/run": ({ policy, plan }, records) => alone(() => runAndJudge(records, policy, plan)),
};

async function judgePlans(
  records: KVNamespace,
  policy: Policy,
  plans: readonly Plan[],
): Promise<PlanVerdict[]> {
  const verdicts: PlanVerdict[] = [];
  for (const plan of plans) {
    const verdict = verdictOf(await alone(() => runAndJudge(records, policy, plan)));
    verdicts.push(verdict);
    // A target that hangs takes its whole answer bound each time; the rest is not run.
    if (verdict.violations.some(({ invariant }) => invariant === "target-fault")) break;
    if (verdicts.length % plansPerPause === 0) await breathe();
  }
  return verdicts;
}

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

/** Runs replace the timers of the whole isolate: one at a time, whatever requests come. */
async function alone<Result>(run: () => Promise<Result>): Promise<Result> {
  const before = last;
  let done = (): void => {};
  last = new Promise((resolve) => (done = resolve));
  await before;
  try {
    return await run();
  } finally {
    done();
  }
}

let last: Promise<void> = Promise.resolve();

/** Timers and new requests wait for the pauses of a loop of calls. */
function breathe(): Promise<void> {
  return new Promise((resolve) => realTimers.setTimeout(() => resolve(), 0));
}

/** About 60 calls. */
const plansPerPause = 4;
