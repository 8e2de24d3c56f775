// Wires `verify`: the claims of the register, judged under the policies on the targets that are ours.
import { claims } from "../model/claims.ts";
import type { Policy, PolicyName } from "../model/policy.ts";
import type { ScenarioProgress } from "../properties/exhaustive/judge-exhaustively.ts";
import { gatewayRunner } from "../properties/gateway/gateway-runner.ts";
import { judgeClaims, type Runners, type VerifyOptions } from "../properties/verify.ts";
import type { VerifyInvocation } from "./command-line.ts";
import {
  eventualRunnersOf,
  eventualTargets,
  noKvRuntime,
  startKvRuntime,
  stopKvRuntime,
} from "./eventual-runners.ts";
import { judgeInProcess } from "./exhaustive-process.ts";
import { type Judged, judgeAndReport, type JudgingContext } from "./judging.ts";
import {
  rateLimiterRunnersOf,
  rateLimiterTargets,
  startRateLimiters,
} from "./rate-limiter-runners.ts";
import type { Refusal } from "./refusal.ts";
import { builtInTargets, runnersOf, startGateway, startRuntime, stopStarted } from "./runners.ts";
import type { Terminal } from "./terminal.ts";

export async function verify(invocation: VerifyInvocation, terminal: Terminal): Promise<number> {
  return judgeAndReport(invocation, null, terminal, (context) => judge(invocation, context));
}

async function judge(
  invocation: VerifyInvocation,
  context: JudgingContext,
): Promise<Judged | Refusal> {
  const { claimIds } = invocation;
  const levels = new Set(
    claims.filter(({ id }) => claimIds?.includes(id) ?? true).map(({ level }) => level),
  );
  const none = { kind: "started", processes: [] } as const;
  const [stores, gateway, limiters, kv] = await Promise.all([
    levels.has("store") ? startRuntime() : none,
    levels.has("gateway") ? startGateway(levels.has("store") ? 1 : undefined) : none,
    levels.has("rate-limit") ? startRateLimiters() : none,
    levels.has("eventual-store") ? startKvRuntime() : noKvRuntime,
  ]);
  try {
    if (stores.kind === "refused") return stores;
    if (gateway.kind === "refused") return gateway;
    if (limiters.kind === "refused") return limiters;
    if (kv.kind === "refused") return kv;
    const runners = {
      stores: (policy: Policy) => runnersOf(policy, builtInTargets, stores.processes),
      eventualStores: (policy: Policy) => eventualRunnersOf(policy, eventualTargets, kv),
      gateway: (policy: Policy) => [gatewayRunner(gateway.processes, { policy })],
      rateLimiters: (policy: Policy) =>
        rateLimiterRunnersOf(policy, rateLimiterTargets, limiters.processes),
    };
    return await judgeOn(runners, invocation, context);
  } finally {
    await Promise.all([...[stores, gateway, limiters].map(stopStarted), stopKvRuntime(kv)]);
  }
}

async function judgeOn(
  runners: Runners,
  invocation: VerifyInvocation,
  { seed, signal, onProgress }: JudgingContext,
): Promise<Judged> {
  const progress = combineProgress(onProgress);
  const { policies, claimIds, runs, budgetMs } = invocation;
  const outcome = await judgeClaims(runners, {
    policies,
    claimIds,
    runs,
    budgetMs,
    seed,
    signal,
    searchUnder: searchUnder(invocation, signal, progress.onSearch),
    onProgress: progress.onCampaign,
  });
  return { kind: "judged", ...outcome };
}

/** One bar for both: it counts histories, and tells of the search beside them. */
function combineProgress(onProgress: JudgingContext["onProgress"]) {
  let campaign = { done: 0, total: 1, label: "exhaustive search" };
  let search = "";
  const show = (): void => {
    const label = search === "" ? campaign.label : `${campaign.label} · ${search}`;
    onProgress(campaign.done, campaign.total, label);
  };
  return {
    onCampaign: (done: number, total: number, label: string): void => {
      campaign = { done, total, label };
      show();
    },
    onSearch: (progress: ScenarioProgress): void => {
      const { scenario, states, queueLength, statesPerSecond } = progress;
      const [found, left, rate] = [states, queueLength, Math.round(statesPerSecond)].map((count) =>
        count.toLocaleString("en-US"),
      );
      search = `${scenario}: ${found} states, ${left} queued, ${rate}/s`;
      show();
    },
  };
}

/** Seconds that the searches of one policy may take, by level. */
const mostSeconds = { quick: 300, deep: 1800 } as const;

function searchUnder(
  { exhaustive, maxStates, maxMemoryMebibytes, budgetMs }: VerifyInvocation,
  signal: AbortSignal,
  onSearch: (progress: ScenarioProgress) => void,
): VerifyOptions["searchUnder"] {
  if (exhaustive === "off") return null;
  const endsAtMs = performance.now() + (budgetMs ?? Infinity);
  return (policy: PolicyName) => {
    const leftSeconds = Math.max(0.001, (endsAtMs - performance.now()) / 1000);
    const job = {
      policy,
      level: exhaustive,
      maxSeconds: Math.min(mostSeconds[exhaustive], leftSeconds),
      ...(maxStates === null ? {} : { maxStates }),
      ...(maxMemoryMebibytes === null ? {} : { maxBytes: maxMemoryMebibytes * 2 ** 20 }),
    };
    return judgeInProcess(job, signal, onSearch);
  };
}
