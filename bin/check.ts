// Wires `check`: a store of the user's own, loaded from its module and judged by the contract.
import { claims } from "../model/claims.ts";
import { checkTarget, defaultCheckRuns } from "../properties/check.ts";
import type { CheckInvocation } from "./command-line.ts";
import { type Judged, judgeAndReport, type JudgingContext, refused } from "./judging.ts";
import { loadTarget, type LoadedTarget } from "./load-target.ts";
import { tell, type Terminal } from "./terminal.ts";
import { describeError } from "./refusal.ts";

export async function check(invocation: CheckInvocation, terminal: Terminal): Promise<number> {
  const strays = catchStrays();
  try {
    const loaded = await loadTarget(invocation.targetFile, terminal.cwd);
    if (loaded.kind === "refused") return refused(terminal, loaded);
    const module = { path: loaded.path, given: invocation.targetFile };
    const status = await judgeAndReport(invocation, module, terminal, (context) =>
      judge(invocation, loaded, context),
    );
    const [stray] = strays.errors;
    if (stray === undefined) return status;
    tell(
      terminal,
      `latchkey: the target left an error that nobody caught: error=${describeError(stray)}, times=${strays.errors.length}; await or catch each promise of the adapter`,
    );
    return status === 0 ? 1 : status;
  } finally {
    strays.release();
  }
}

async function judge(
  { claimIds, runs, budgetMs }: CheckInvocation,
  { target }: LoadedTarget,
  context: JudgingContext,
): Promise<Judged> {
  const { results, findings } = await checkTarget(target, {
    invariants: claimIds === null ? null : invariantsOf(claimIds),
    runs: runs ?? defaultCheckRuns,
    budgetMs,
    ...context,
  });
  const named = findings.map((finding) => ({
    claim: finding.invariant,
    policy: "contract",
    target: target.name,
    finding,
  }));
  const others = { gatewayFindings: [], rateLimitFindings: [], witnesses: [] };
  return { kind: "judged", results, findings: named, ...others };
}

/** Each is an invariant, or a claim that stands for its invariants. */
function invariantsOf(ids: readonly string[]): readonly string[] {
  return ids.flatMap((id): readonly string[] => {
    const claim = claims.find((known) => known.id === id);
    return claim?.level === "store" ? claim.invariants : [id];
  });
}

/** Errors that the target lets escape from promises and timers; they end nothing here. */
function catchStrays() {
  const errors: unknown[] = [];
  const keep = (error: unknown) => void errors.push(error);
  process.on("unhandledRejection", keep);
  process.on("uncaughtException", keep);
  return {
    errors,
    release: () => {
      process.off("unhandledRejection", keep);
      process.off("uncaughtException", keep);
    },
  };
}
