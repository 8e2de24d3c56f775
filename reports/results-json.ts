// Decides what `--json` and `results.json` say: schema `latchkey.results/1`, members in a fixed order.
import type { ClaimResult, Results, ViolationResult } from "../properties/results.ts";

/** The text of the file; lone surrogates are written as escapes, so that it is valid UTF-8. */
export function resultsJson(results: Results): string {
  const { schema, seed, durationMs, claims, violations } = results;
  const ordered = {
    schema,
    seed,
    durationMs,
    claims: claims.map(orderedClaim),
    violations: violations.map(orderedViolation),
  };
  return `${JSON.stringify(ordered, null, 2)}\n`;
}

function orderedClaim(claim: ClaimResult): ClaimResult {
  const { id, statement, source, policy, target, verdict, expected, reason, methods } = claim;
  const { counterexample } = claim;
  return {
    id,
    statement,
    source,
    policy,
    target,
    verdict,
    expected,
    reason,
    methods,
    counterexample,
  };
}

function orderedViolation(violation: ViolationResult): ViolationResult {
  const { invariant, statement, target, explanation, foundAfter, counterexample } = violation;
  return { invariant, statement, target, explanation, foundAfter, counterexample };
}
