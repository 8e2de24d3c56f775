// Wires `rerun`: a saved counterexample runs again on the target that it names.
import { dirname, resolve } from "node:path";
import { policies, type Policy } from "../model/policy.ts";
import type { GatewayHistory } from "../properties/gateway/gateway-history.ts";
import type { GatewayPlan } from "../properties/gateway/gateway-plan.ts";
import { gatewayRunner } from "../properties/gateway/gateway-runner.ts";
import type { History } from "../properties/history.ts";
import { inProcessRunner } from "../properties/in-process-runner.ts";
import type { Judgement } from "../properties/judge.ts";
import type { Plan } from "../properties/plan.ts";
import type { PlanRunner } from "../properties/plan-runner.ts";
import type { RateLimitHistory } from "../properties/rate-limit/rate-limit-history.ts";
import type { RateLimitPlan } from "../properties/rate-limit/rate-limit-plan.ts";
import type { CounterexampleStep, WitnessPlan } from "../properties/results.ts";
import { tellGatewayStory } from "../reports/gateway-story.ts";
import { tellRateLimitStory } from "../reports/rate-limit-story.ts";
import { visibleLine } from "../reports/show-text.ts";
import { type Story, tellStory } from "../reports/story.ts";
import { storyText } from "../reports/story-text.ts";
import type { RerunInvocation } from "./command-line.ts";
import {
  type EventualTarget,
  eventualRunnersOf,
  eventualTargets,
  isEventualTarget,
  noKvRuntime,
  startKvRuntime,
  stopKvRuntime,
} from "./eventual-runners.ts";
import { refused } from "./judging.ts";
import { loadTarget } from "./load-target.ts";
import { shown } from "./option-values.ts";
import { readCounterexample, type SavedCounterexample } from "./read-counterexample.ts";
import {
  rateLimiterRunnersOf,
  rateLimiterTargets,
  startRateLimiters,
} from "./rate-limiter-runners.ts";
import { refuse, type Refusal } from "./refusal.ts";
import { builtInTargets, runnersOf, startGateway, startRuntime, stopRuntime } from "./runners.ts";
import type { Terminal } from "./terminal.ts";

export async function rerun(invocation: RerunInvocation, terminal: Terminal): Promise<number> {
  const saved = readCounterexample(invocation.file, terminal.cwd);
  if (saved.kind === "refused") return refused(terminal, saved);
  const { plan } = saved;
  if (!("kind" in plan)) {
    const found = await findTarget(saved, invocation, terminal);
    return rerunOn(found, saved, plan, tellStory, terminal);
  }
  switch (plan.kind) {
    case "gateway":
      return rerunOn(await findGateway(saved), saved, plan, tellGatewayStory, terminal);
    case "rate-limit":
      return rerunOn(await findRateLimiter(saved), saved, plan, tellRateLimitStory, terminal);
    case "exhaustive":
      return rerunOnModel(saved, plan, terminal);
  }
}

interface FoundTarget<SomePlan = Plan, SomeHistory = History> {
  readonly kind: "found";
  readonly runner: PlanRunner<SomePlan, SomeHistory>;
  close(): Promise<void>;
}

/** Runs the plan once more and says whether it breaks the same; the exit status. */
async function rerunOn<SomePlan, SomeHistory>(
  found: FoundTarget<SomePlan, SomeHistory> | Refusal,
  saved: SavedCounterexample,
  plan: SomePlan,
  tell: (history: SomeHistory, plan: SomePlan) => Story,
  terminal: Terminal,
): Promise<number> {
  if (found.kind === "refused") return refused(terminal, found);
  try {
    const { history, judgement } = await found.runner.runPlan(plan);
    return report(saved, tell(history, plan).steps, judgement, terminal);
  } finally {
    await found.close();
  }
}

async function findTarget(
  saved: SavedCounterexample,
  { targetFile }: RerunInvocation,
  terminal: Terminal,
): Promise<FoundTarget | Refusal> {
  if (saved.targetFile !== null || targetFile !== null || saved.policy === "contract") {
    return findOwnTarget(saved, targetFile, terminal);
  }
  const ours = [...builtInTargets, ...eventualTargets];
  const name = ours.find((target) => target === saved.target);
  if (name === undefined) {
    return refuse(
      `the counterexample names a target that is not ours: target=${shown(saved.target)}; give its module with --target FILE`,
    );
  }
  const policy = policyOf(saved);
  if ("kind" in policy) return policy;
  if (isEventualTarget(name)) return findEventualTarget(name, policy);
  const runtime = name === "durable-object" ? await startRuntime() : null;
  if (runtime?.kind === "refused") return runtime;
  const processes = runtime?.processes ?? [];
  const [runner] = runnersOf(policy, [name], processes);
  if (runner === undefined) throw new Error(`no runner for target=${name}`);
  return { kind: "found", runner, close: () => stopRuntime(processes) };
}

async function findEventualTarget(
  name: EventualTarget,
  policy: Policy,
): Promise<FoundTarget | Refusal> {
  const runtime = name === "kv" ? await startKvRuntime() : noKvRuntime;
  if (runtime.kind === "refused") return runtime;
  const [runner] = eventualRunnersOf(policy, [name], runtime);
  if (runner === undefined) throw new Error(`no runner for target=${name}`);
  return { kind: "found", runner, close: () => stopKvRuntime(runtime) };
}

async function findOwnTarget(
  saved: SavedCounterexample,
  targetFile: string | null,
  terminal: Terminal,
): Promise<FoundTarget | Refusal> {
  const savedFile =
    saved.targetFile === null ? null : resolve(dirname(saved.file), saved.targetFile);
  const file = targetFile ?? savedFile;
  if (file === null) {
    return refuse(
      `the counterexample does not say where its target is: target=${shown(saved.target)}; give its module with --target FILE`,
    );
  }
  const loaded = await loadTarget(file, terminal.cwd);
  if (loaded.kind === "refused") return loaded;
  const runner = inProcessRunner(loaded.target);
  return { kind: "found", runner, close: () => runner.close() };
}

function policyOf(saved: SavedCounterexample): Policy | Refusal {
  const policy = Object.values(policies).find((known) => known.name === saved.policy);
  return (
    policy ??
    refuse(
      `the counterexample names an unknown policy: policy=${shown(saved.policy)}; known are ${Object.keys(policies).join(", ")}`,
    )
  );
}

/** The whole gateway, on the real runtime. */
async function findGateway(
  saved: SavedCounterexample,
): Promise<FoundTarget<GatewayPlan, GatewayHistory> | Refusal> {
  if (saved.target !== "gateway") return otherTarget(saved, "the gateway");
  const policy = policyOf(saved);
  if ("kind" in policy) return policy;
  const gateway = await startGateway(1);
  if (gateway.kind === "refused") return gateway;
  const runner = gatewayRunner(gateway.processes, { policy });
  return { kind: "found", runner, close: () => stopRuntime(gateway.processes) };
}

async function findRateLimiter(
  saved: SavedCounterexample,
): Promise<FoundTarget<RateLimitPlan, RateLimitHistory> | Refusal> {
  const name = rateLimiterTargets.find((target) => target === saved.target);
  if (name === undefined) return otherTarget(saved, "the rate limiter");
  const policy = policyOf(saved);
  if ("kind" in policy) return policy;
  const runtime = name === "rate-limiter" ? await startRateLimiters() : null;
  if (runtime?.kind === "refused") return runtime;
  const processes = runtime?.processes ?? [];
  const [runner] = rateLimiterRunnersOf(policy, [name], processes);
  if (runner === undefined) throw new Error(`no runner for target=${name}`);
  return { kind: "found", runner, close: () => stopRuntime(processes) };
}

function otherTarget({ target }: SavedCounterexample, own: string): Refusal {
  return refuse(
    `the counterexample is of ${own} and names another target: target=${shown(target)}; write it anew with verify`,
  );
}

/** A witness of the exhaustive search: the same actions on the system as it is compiled now. */
async function rerunOnModel(
  saved: SavedCounterexample,
  plan: WitnessPlan,
  terminal: Terminal,
): Promise<number> {
  const { rerunWitness } = await import("../properties/exhaustive/rerun-witness.ts");
  const again = rerunWitness(saved.policy, saved.invariant, plan);
  if (again.kind === "unknown-scenario") {
    return refused(
      terminal,
      refuse(
        `the counterexample names a search that is not ours: scenario=${shown(plan.scenario)}, policy=${shown(saved.policy)}; known are ${again.known.join(", ") || "none"}`,
      ),
    );
  }
  terminal.stdout.write(storyText(again.steps, "tick"));
  const place = `${saved.claim} under ${saved.policy} on the model`;
  const text =
    again.kind === "reproduced"
      ? `reproduced: ${place}, ${saved.invariant} broke after ${again.steps.length} steps.`
      : `not reproduced: ${place}, ${again.because}`;
  terminal.stdout.write(`${visibleLine(text)}\n`);
  return again.kind === "reproduced" ? 0 : 1;
}

function report(
  saved: SavedCounterexample,
  steps: readonly CounterexampleStep[],
  judgement: Judgement,
  terminal: Terminal,
): number {
  terminal.stdout.write(storyText(steps));
  const violation = judgement.violations.find(({ invariant }) => invariant === saved.invariant);
  const place = `${saved.claim} under ${saved.policy} on ${saved.target}`;
  if (violation !== undefined) {
    const text = `reproduced: ${place}, ${saved.invariant} broke. ${violation.explanation}`;
    terminal.stdout.write(`${visibleLine(text)}\n`);
    return 0;
  }
  const others = judgement.violations.map(({ invariant }) => invariant);
  const instead = others.length === 0 ? "" : `; it broke ${[...new Set(others)].join(", ")}`;
  terminal.stdout.write(
    `${visibleLine(`not reproduced: ${place}, ${saved.invariant} did not break${instead}`)}\n`,
  );
  return 1;
}
