// The harness Worker of the rate limiter: it has several isolates ask, judges each run, and answers Node.
import type { AdmissionReply, RateLimit } from "../../impl/rate-limit.ts";
import { judgeEach, serve } from "../harness-serving.ts";
import type { JudgedHistory } from "../plan-runner.ts";
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

export default serve<LimiterHarnessCalls, HarnessEnv>({
  "/limiter/judge": async ({ limiter, plans }, env) => {
    const connected = await connect(env);
    return judgeEach(plans, plansPerPause, async (plan) =>
      rateLimitVerdictOf(await runAndJudge(connected, limiter, plan)),
    );
  },
  "/limiter/run": async ({ limiter, plan }, env) => runAndJudge(await connect(env), limiter, plan),
});

/** What one request of Node's runs its plans with: stubs belong to the request that made them. */
interface Connected {
  readonly isolates: readonly Awaited<ReturnType<Service<Isolate>["open"]>>[];
  readonly limiters: DurableObjectNamespace<HarnessLimiter>;
}

async function connect(env: HarnessEnv): Promise<Connected> {
  const isolates = [env.ISOLATE_0, env.ISOLATE_1, env.ISOLATE_2].map((isolate) => isolate.open());
  return { isolates: await Promise.all(isolates), limiters: env.LIMITER };
}

/** A run that fails keeps its objects: nobody knows what is in them. */
async function runAndJudge(
  connected: Connected,
  choice: LimiterChoice,
  plan: RateLimitPlan,
): Promise<JudgedHistory<RateLimitHistory>> {
  const lane = idle.pop() ?? newLane();
  const limiter = new LaneLimiter(connected, lane.slice(0, tenantsOf(plan)));
  await limiter.reset(choice);
  const history = await runRateLimitPlan(plan, choice.algorithm, limiter);
  idle.push(lane);
  return { history, judgement: judgeRateLimit(history) };
}

/** How many tenants a plan needs: up to the last that asks. */
function tenantsOf({ steps }: RateLimitPlan): number {
  return Math.max(1, ...steps.map((step) => (step.kind === "ask" ? step.tenant + 1 : 0)));
}

/** Names of standing objects, one a tenant, that no run uses. */
const idle: (readonly string[])[] = [];
let lanes = 0;

function newLane(): readonly string[] {
  lanes += 1;
  return Array.from({ length: tenantCount }, (_, tenant) => `lane ${lanes} tenant ${tenant}`);
}

/** The standing objects of a plan's tenants. */
class LaneLimiter implements PlanLimiter {
  readonly #connected: Connected;
  readonly #names: readonly string[];
  #stubs: readonly DurableObjectStub<HarnessLimiter>[];

  constructor(connected: Connected, names: readonly string[]) {
    this.#connected = connected;
    this.#names = names;
    this.#stubs = names.map((name) => connected.limiters.getByName(name));
  }

  async reset({ mutant }: LimiterChoice): Promise<void> {
    for (const name of this.#names) laneOf(name).mutant = mutant;
    await Promise.all(this.#stubs.map((stub) => stub.reset()));
  }

  async ask(wave: readonly AskStep[], limit: RateLimit): Promise<readonly AdmissionReply[]> {
    const replies = await Promise.all(
      this.#connected.isolates.map(async (isolate, index) => {
        const names = wave
          .filter((step) => step.isolate === index)
          .map(({ tenant }) => this.#nameOf(tenant));
        return names.length === 0 ? [] : isolate.ask(names, limit);
      }),
    );
    return inOrderOf(wave, replies);
  }

  pass(ms: number): Promise<readonly number[]> {
    return Promise.all(this.#stubs.map((stub) => stub.pass(ms)));
  }

  oversleep(ms: number): void {
    for (const name of this.#names) laneOf(name).nowMs += ms;
  }

  async crash(): Promise<void> {
    const { isolates, limiters } = this.#connected;
    await Promise.all(this.#stubs.map(crash));
    await Promise.all(isolates.map((isolate) => isolate.forget()));
    this.#stubs = this.#names.map((name) => limiters.getByName(name));
  }

  #nameOf(tenant: number): string {
    const name = this.#names[tenant];
    if (name === undefined) throw new Error(`no such tenant: tenant=${tenant}`);
    return name;
  }
}

async function crash(stub: DurableObjectStub<HarnessLimiter>): Promise<void> {
  try {
    await stub.crash();
  } catch (error) {
    if (!String(error).includes("crash")) throw error;
  }
}

/** Each isolate's replies are in the order of its own requests. */
function inOrderOf(
  wave: readonly AskStep[],
  replies: readonly (readonly IsolateReply[])[],
): readonly AdmissionReply[] {
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

/** About 200 calls. */
const plansPerPause = 10;
