// The harness Worker of the rate limiter: it has several isolates ask, judges each run, and answers Node.
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import { HarnessLimiter, laneOf } from "./harness-limiter.ts";
import type Isolate from "./isolate-worker.ts";
import type { IsolateReply } from "./isolate-worker.ts";
import { judgeRateLimit, rateLimitVerdictOf } from "./judge-rate-limit.ts";
import type { LimiterChoice, LimiterHarnessCalls } from "./limiter-protocol.ts";
import type { RateLimitHistory } from "./rate-limit-history.ts";
import { type AskStep, type RateLimitPlan, tenantCount } from "./rate-limit-plan.ts";
import { type PlanLimiter, runRateLimitPlan } from "./run-rate-limit-plan.ts";

export { HarnessLimiter };

interface HarnessEnv {
  readonly LIMITER: DurableObjectNamespace<HarnessLimiter>;
  readonly ISOLATE_0: Service<Isolate>;
  readonly ISOLATE_1: Service<Isolate>;
  readonly ISOLATE_2: Service<Isolate>;
}

type Path = keyof LimiterHarnessCalls;
type Handlers = {
  readonly [P in Path]: (
    request: LimiterHarnessCalls[P]["request"],
    env: HarnessEnv,
  ) => Promise<LimiterHarnessCalls[P]["answer"]>;
};

export default {
  async fetch(request: Request, env: HarnessEnv): Promise<Response> {
    const { pathname } = new URL(request.url);
    try {
      const handler = handlers[pathname as Path] as Handlers[Path] | undefined;
      if (handler === undefined) return new Response(`no such path: ${pathname}`, { status: 404 });
      return Response.json(await handler(await request.json(), env));
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return new Response(text, { status: 500 });
    }
  },
};

const handlers: Handlers = {
  "/limiter/judge": ({ limiter, plans }, env) => judgePlans(env, limiter, plans),
  "/limiter/run": ({ limiter, plan }, env) => runAndJudge(env, limiter, plan),
};

/** Several runs at once, each on objects of its own: while one waits for its storage another goes on. */
async function judgePlans(
  env: HarnessEnv,
  choice: LimiterChoice,
  plans: readonly RateLimitPlan[],
): Promise<PlanVerdict[]> {
  const verdicts: PlanVerdict[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < plans.length; index = next++) {
      const plan = plans[index];
      if (plan === undefined) return;
      verdicts[index] = rateLimitVerdictOf(await runAndJudge(env, choice, plan));
      if (index % plansPerPause === 0) await breathe();
    }
  };
  await Promise.all(Array.from({ length: runsAtOnce }, work));
  return verdicts;
}

const runsAtOnce = 32;

/** A run that fails keeps its objects: nobody knows what is in them. */
async function runAndJudge(
  env: HarnessEnv,
  choice: LimiterChoice,
  plan: RateLimitPlan,
): Promise<JudgedHistory<RateLimitHistory>> {
  const names = idle.pop() ?? newNames();
  const used = names.slice(0, tenantsOf(plan));
  const limiter = await freshLimiter(env, choice, used);
  const history = await runRateLimitPlan(plan, choice.algorithm, limiter);
  idle.push(names);
  return { history, judgement: judgeRateLimit(history) };
}

/** How many tenants a plan needs: up to the last that asks. */
function tenantsOf({ steps }: RateLimitPlan): number {
  return Math.max(1, ...steps.map((step) => (step.kind === "ask" ? step.tenant + 1 : 0)));
}

/** Names of standing objects, one a tenant, that no run uses. */
const idle: (readonly string[])[] = [];
let taken = 0;

function newNames(): readonly string[] {
  const lane = taken++;
  return Array.from({ length: tenantCount }, (_, tenant) => `lane ${lane} tenant ${tenant}`);
}

/** The standing objects of all tenants, emptied. */
async function freshLimiter(
  env: HarnessEnv,
  { mutant }: LimiterChoice,
  names: readonly string[],
): Promise<PlanLimiter> {
  const isolates = [env.ISOLATE_0, env.ISOLATE_1, env.ISOLATE_2];
  // A stub dies with its object; a fresh one works at once.
  const ofAll = <Result>(call: (stub: DurableObjectStub<HarnessLimiter>) => Promise<Result>) =>
    Promise.all(names.map((name) => call(env.LIMITER.getByName(name))));
  for (const name of names) laneOf(name).mutant = mutant;
  await ofAll((stub) => stub.reset());
  return {
    async ask(wave, limit) {
      const replies = await Promise.all(
        isolates.map((isolate, index) => {
          const sent = wave.filter((step) => step.isolate === index);
          return sent.length === 0
            ? []
            : isolate.ask(
                sent.map(({ tenant }) => nameOf(names, tenant)),
                limit,
              );
        }),
      );
      return inOrderOf(wave, replies);
    },
    pass: (ms) => ofAll((stub) => stub.pass(ms)),
    oversleep(ms) {
      for (const name of names) laneOf(name).nowMs += ms;
    },
    crash: async () => void (await ofAll(crash)),
  };
}

async function crash(stub: DurableObjectStub<HarnessLimiter>): Promise<void> {
  try {
    await stub.crash();
  } catch (error) {
    if (!String(error).includes("crash")) throw error;
  }
}

function nameOf(names: readonly string[], tenant: number): string {
  const name = names[tenant];
  if (name === undefined) throw new Error(`no such tenant: tenant=${tenant}`);
  return name;
}
/** Each isolate's replies are in the order of its own requests. */
function inOrderOf(wave: readonly AskStep[], replies: readonly (readonly IsolateReply[])[]) {
  const next = replies.map(() => 0);
  return wave.map(({ isolate }) => {
    const place = next[isolate] ?? 0;
    next[isolate] = place + 1;
    const reply = replies[isolate]?.[place];
    if (reply === undefined) throw new Error(`no reply: isolate=${isolate} request=${place}`);
    if (reply.outcome === "invalid") throw new Error("the limiter takes the plan's limit for none");
    return reply;
  });
}

/** A tight loop of calls starves workerd's event loop: timers and new requests wait for its pauses. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** About 200 calls. */
const plansPerPause = 10;
