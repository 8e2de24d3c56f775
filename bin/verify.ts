// Wires `verify`: the claims of the register, judged under the policies on the targets that are ours.
import { claims } from "../model/claims.ts";
import { defaultRuns, judgeClaims } from "../properties/verify.ts";
import type { VerifyInvocation } from "./command-line.ts";
import { type Judged, judgeAndReport, type JudgingContext } from "./judging.ts";
import type { Refusal } from "./refusal.ts";
import { builtInTargets, runnersOf, startRuntime, stopRuntime } from "./runners.ts";
import type { Terminal } from "./terminal.ts";

export async function verify(invocation: VerifyInvocation, terminal: Terminal): Promise<number> {
  return judgeAndReport(invocation, null, terminal, (context) => judge(invocation, context));
}

async function judge(
  { policies, claimIds, runs, budgetMs }: VerifyInvocation,
  context: JudgingContext,
): Promise<Judged | Refusal> {
  const needsRuntime = claims.some(
    ({ id, level }) => level === "store" && (claimIds?.includes(id) ?? true),
  );
  const runtime = needsRuntime
    ? await startRuntime()
    : ({ kind: "started", processes: [] } as const);
  if (runtime.kind === "refused") return runtime;
  try {
    const { results, findings } = await judgeClaims(
      (policy) => runnersOf(policy, builtInTargets, runtime.processes),
      { policies, claimIds, runs: runs ?? defaultRuns, budgetMs, ...context },
    );
    return { kind: "judged", results, findings };
  } finally {
    await stopRuntime(runtime.processes);
  }
}
