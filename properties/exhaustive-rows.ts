// How what the exhaustive search says becomes rows of the results, and what happens where methods disagree.
import type { Claim, GatewayClaim, SystemClaim } from "../model/claims.ts";
import type { PolicyName } from "../model/policy.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import type { ClaimResult, MethodResult, Verdict } from "./results.ts";

export type Searches = ReadonlyMap<PolicyName, readonly ExhaustiveVerdict[]>;

export interface SearchedClaims {
  readonly rows: readonly ClaimResult[];
  readonly witnesses: readonly {
    readonly claim: string;
    readonly policy: string;
    readonly verdict: ExhaustiveVerdict;
  }[];
}

/** Adds what was searched to the rows of the model, and a row for each claim of the system. */
export function withSearches(
  rows: readonly ClaimResult[],
  judged: readonly Claim[],
  searches: Searches,
  options: {
    readonly policies: readonly PolicyName[];
    readonly signal: AbortSignal;
    /** Null: nothing is searched. */
    readonly searchUnder: unknown;
  },
): SearchedClaims {
  const all = [...rows];
  const witnesses: SearchedClaims["witnesses"][number][] = [];
  if (options.searchUnder === null) return { rows: all, witnesses };
  for (const policy of options.policies) {
    for (const claim of judged) {
      if (claim.level === "unbuilt" || claim.exhaustive === null) continue;
      const verdict = searches.get(policy)?.find(({ invariant }) => invariant === claim.exhaustive);
      const isModel = (row: ClaimResult) =>
        row.id === claim.id && row.policy === policy && row.target === "model";
      const place = all.findIndex(isModel);
      const row = all[place];
      if (claim.level === "system" || claim.level === "gateway")
        all.push(searchedRow(claim, policy, verdict, options.signal.aborted));
      else if (row !== undefined && verdict !== undefined)
        all[place] = judgedTogether(row, verdict);
      if (verdict !== undefined && verdict.witness !== null) {
        witnesses.push({ claim: claim.id, policy, verdict });
      }
    }
  }
  return { rows: all, witnesses };
}

/**
 * A claim of the gateway has two rows: the search of the model, and random plans on the runtime.
 * Their bounds differ, and neither covers the other's; where one refutes and the other says that it
 * holds each of the two rows says so and carries both methods, and the suite has failed.
 */
export function crossChecked(rows: readonly ClaimResult[]): readonly ClaimResult[] {
  return rows.map((row) => {
    const other = rows.find((each) => contradicts(row, each));
    if (other === undefined) return row;
    const reason = `methods disagree: on ${row.target} it ${saying(row)}, on ${other.target} it ${saying(other)}; their bounds differ, and one of the two is wrong or has missed it`;
    return { ...row, reason, methods: [...row.methods, ...other.methods] };
  });
}

function contradicts(row: ClaimResult, other: ClaimResult): boolean {
  const targets = [row.target, other.target];
  return (
    row.id === other.id &&
    row.policy === other.policy &&
    targets.includes("model") &&
    targets.includes("gateway") &&
    [row.verdict, other.verdict].toSorted().join() === "holds,refuted"
  );
}

function saying({ verdict, methods }: ClaimResult): string {
  const says = verdict === "holds" ? "holds" : "is refuted";
  const histories = methods.flatMap(({ evidence }) => evidence.histories ?? []);
  const searched = `in ${methods.length} searches`;
  return `${says} ${histories.length > 0 ? `in ${Math.max(...histories)} histories` : searched}`;
}

/** A claim of the whole system or of the gateway, as the search of the model alone judges it. */
export function searchedRow(
  claim: SystemClaim | GatewayClaim,
  policy: PolicyName,
  found: ExhaustiveVerdict | undefined,
  isCancelled = false,
): ClaimResult {
  const { id, statement, source, expected } = claim;
  const onModel = claim.level === "gateway" ? claim.expectedOnModel?.[policy] : undefined;
  return {
    id,
    statement,
    source,
    policy,
    target: "model",
    verdict: found?.verdict ?? "inconclusive",
    expected: onModel ?? expected[policy],
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
