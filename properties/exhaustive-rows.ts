// How what the exhaustive search says becomes rows of the results, and what happens where methods disagree.
import type { SystemClaim } from "../model/claims.ts";
import type { PolicyName } from "../model/policy.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import type { ClaimResult, MethodResult, Verdict } from "./results.ts";

/** A claim of the whole system, judged on the model by the search alone. */
export function searchedRow(
  { id, statement, source, expected }: SystemClaim,
  policy: PolicyName,
  found: ExhaustiveVerdict | undefined,
  isCancelled = false,
): ClaimResult {
  return {
    id,
    statement,
    source,
    policy,
    target: "model",
    verdict: found?.verdict ?? "inconclusive",
    expected: expected[policy],
    reason: found === undefined ? unsearched(isCancelled) : found.reason,
    methods: found === undefined ? [] : methodsOf(found),
    counterexample: null,
  };
}

/**
 * A row that random histories have judged, with the search beside them. What one method refutes is
 * refuted, and where the other says that it holds the row says that they disagree.
 */
export function judgedTogether(row: ClaimResult, found: ExhaustiveVerdict): ClaimResult {
  const methods = [...row.methods, ...methodsOf(found)];
  const verdicts = new Set<Verdict>([row.verdict, found.verdict]);
  if (verdicts.has("refuted") && verdicts.has("holds")) {
    const reason = `methods disagree: random says ${row.verdict}, exhaustive says ${found.verdict}`;
    return { ...row, verdict: "refuted", reason, methods };
  }
  if (verdicts.has("refuted")) return { ...row, verdict: "refuted", reason: null, methods };
  if (verdicts.has("holds")) return { ...row, verdict: "holds", reason: null, methods };
  return { ...row, methods };
}

function unsearched(isCancelled: boolean): string {
  return isCancelled
    ? "cancelled before it was searched"
    : "no search under this policy watches it";
}

function methodsOf(found: ExhaustiveVerdict): readonly MethodResult[] {
  return found.searches.map(({ scenario, verdict, bounds, evidence }) => ({
    verdict,
    kind: "exhaustive",
    bounds: { scenario, ...bounds },
    evidence,
  }));
}
