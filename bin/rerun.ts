// Wires `rerun`: a saved counterexample runs again on the target that it names.
import { dirname, resolve } from "node:path";
import { policies, type Policy } from "../model/policy.ts";
import { gatewayRunner } from "../properties/gateway/gateway-runner.ts";
import { inProcessRunner } from "../properties/in-process-runner.ts";
import type { Judgement } from "../properties/judge.ts";
import type { PlanRunner } from "../properties/plan-runner.ts";
import type { CounterexampleStep, WitnessPlan } from "../properties/results.ts";
import type { SavedGatewayPlan } from "../reports/gateway-counterexample.ts";
import { tellGatewayStory } from "../reports/gateway-story.ts";
import { visibleLine } from "../reports/show-text.ts";
import { tellStory } from "../reports/story.ts";
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
import { refuse, type Refusal } from "./refusal.ts";
import { builtInTargets, runnersOf, startGateway, startRuntime, stopRuntime } from "./runners.ts";
import type { Terminal } from "./terminal.ts";

export async function rerun(invocation: RerunInvocation, terminal: Terminal): Promise<number> {
  const saved = readCounterexample(invocation.file, terminal.cwd);
  if (saved.kind === "refused") return refused(terminal, saved);
  const { plan } = saved;
  if ("kind" in plan) {
    return plan.kind === "gateway"
      ? rerunOnGateway(saved, plan, terminal)
      : rerunOnModel(saved, plan, terminal);
  }
  const found = await findTarget(saved, invocation, terminal);
  if (found.kind === "refused") return refused(terminal, found);
  try {
    const { history, judgement } = await found.runner.runPlan(plan);
    return report(saved, tellStory(history, plan).steps, judgement, terminal);
  } finally {
    await found.close();
  }
}

interface FoundTarget {
  readonly kind: "found";
  readonly runner: PlanRunner;
  close(): Promise<void>;
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

/** A plan of the whole gateway, on the real runtime. */
async function rerunOnGateway(
  saved: SavedCounterexample,
  plan: SavedGatewayPlan,
  terminal: Terminal,
): Promise<number> {
  if (saved.target !== "gateway") {
    return refused(
      terminal,
      refuse(
        `the counterexample is of the gateway and names another target: target=${shown(saved.target)}; write it anew with verify`,
      ),
    );
  }
  const policy = policyOf(saved);
  if ("kind" in policy) return refused(terminal, policy);
  const gateway = await startGateway(1);
  if (gateway.kind === "refused") return refused(terminal, gateway);
  try {
    const { history, judgement } = await gatewayRunner(gateway.processes, { policy }).runPlan(plan);
    return report(saved, tellGatewayStory(history, plan).steps, judgement, terminal);
  } finally {
    await stopRuntime(gateway.processes);
  }
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
