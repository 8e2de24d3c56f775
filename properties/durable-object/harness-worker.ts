// The harness Worker: it runs and judges plans beside the objects, and answers Node with verdicts.
import { judgeUnder } from "../judge-under.ts";
import { breathe, serve } from "../harness-serving.ts";
import type { History } from "../history.ts";
import type { Plan } from "../plan.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import { verdictOf } from "../plan-runner.ts";
import { runPlan } from "../run-plan.ts";
import { installSchedulePoints } from "../schedule-points.ts";
import { HarnessStore } from "./harness-store.ts";
import { LaneSession, LaneTarget } from "./lane-session.ts";
import type { Namespace } from "./lane-session.ts";
import { takeLane } from "./lanes.ts";
import type {
  HarnessCalls,
  RateCall,
  SessionAnswer,
  SessionCall,
  StoreChoice,
} from "./protocol.ts";

export { HarnessStore };

interface HarnessEnv {
  readonly STORE: Namespace;
}

export default serve<HarnessCalls, HarnessEnv>({
  "/judge": ({ store, plans }, { STORE }) => judgePlans(STORE, kept(store), plans),
  "/run": async ({ store, plan }, { STORE }) =>
    judged(kept(store), await run(new LaneTarget(STORE, kept(store)), kept(store), plan)),
  "/open": async ({ store, options }, { STORE }) => {
    const session = sessions.length;
    sessions.push(await LaneSession.open(STORE, store, options));
    return { session };
  },
  "/session": ({ session, call }, { STORE }) => callSession(STORE, session, call),
  "/rate": async ({ store, call, calls }, { STORE }) => ({
    callsPerSecond: await rateOf(STORE.getByName(takeLane(store).name), call, calls),
  }),
});

const sessions: LaneSession[] = [];

/**
 * Plans run in batches and each batch is judged in one go: judging between two runs finds the
 * processor's caches full of the runtime, and takes more than twice as long.
 */
async function judgePlans(
  namespace: Namespace,
  store: StoreChoice,
  plans: readonly Plan[],
): Promise<PlanVerdict[]> {
  const target = new LaneTarget(namespace, store);
  const verdicts: PlanVerdict[] = [];
  for (let start = 0; start < plans.length; start += plansPerBatch) {
    const histories: History[] = [];
    for (const plan of plans.slice(start, start + plansPerBatch)) {
      histories.push(await run(target, store, plan));
      // A target that hangs takes its whole answer bound each time; the rest is not run.
      if (hasTargetFault(histories.at(-1))) break;
    }
    for (const history of histories) verdicts.push(verdictOf(judged(store, history)));
    if (hasTargetFault(histories.at(-1))) break;
    await breathe();
  }
  return verdicts;
}

function hasTargetFault(history: History | undefined): boolean {
  return history?.events.at(-1)?.kind === "target-fault";
}

function run(target: LaneTarget, { policy, mutant }: StoreChoice, plan: Plan): Promise<History> {
  return runPlan(target, plan, {
    rules: policy,
    installSchedulePoints: () =>
      installSchedulePoints([globalThis], {
        fireThere: (fire) => target.fireThere(fire),
        lookEveryMs: mutant === null ? rareLookMs : oftenLookMs,
      }),
  });
}

function judged({ policy }: StoreChoice, history: History): JudgedHistory {
  return { history, judgement: judgeUnder(policy, history) };
}

/** What ships sets no timers; a run that waits for one all the same must not take long to see it. */
const rareLookMs = 50;
const oftenLookMs = 1;

/** One object for equal choices, whichever request brought it: tables are remembered by policy. */
function kept(store: StoreChoice): StoreChoice {
  const text = JSON.stringify(store);
  const known = choices.get(text) ?? store;
  choices.set(text, known);
  return known;
}

const choices = new Map<string, StoreChoice>();

/** About 350 calls, a twentieth of a second: each pause is an idle millisecond. */
const plansPerBatch = 25;

async function callSession(
  namespace: Namespace,
  number: number,
  call: SessionCall,
): Promise<SessionAnswer> {
  const session = sessions[number];
  if (session === undefined) throw new Error(`no such session: session=${number}`);
  session.connect(namespace);
  try {
    return { answered: await invoke(session, call) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { rejected: { name, message } };
  }
}

async function invoke(
  session: LaneSession,
  call: SessionCall,
): Promise<Extract<SessionAnswer, { readonly answered: unknown }>["answered"]> {
  switch (call.call) {
    case "reserve":
      return session.reserve(call.key, call);
    case "commit":
      return session.commit(call.key, call);
    case "release":
      return session.release(call.key, call);
    case "advance":
      await session.advance(call.ms);
      return null;
    case "crash":
      await session.crash();
      return null;
    case "size":
      return session.size();
    case "close":
      await session.close();
      return null;
  }
}

/** How many calls a second the object answers, one after another, without plan or history. */
async function rateOf(
  stub: DurableObjectStub<HarnessStore>,
  call: RateCall,
  calls: number,
): Promise<number> {
  const times = { deadlineMs: 50, pendingMs: 100, retentionMs: 100 };
  await stub.reset();
  const startMs = performance.now();
  for (let index = 0; index < calls; index++) {
    if (call === "no-op") await stub.noOp();
    else await stub.reserve({ key: `k${index % 50}`, token: `t${index}`, fingerprint: "f", times });
    // workerd's clock stands still while nothing happens outside.
    if (index % 60 === 59) await breathe();
  }
  await breathe();
  return calls / ((performance.now() - startMs) / 1000);
}
