// How what the exhaustive search says becomes rows of the results, and what happens where methods disagree.
import type { Claim, GatewayClaim, SystemClaim } from "../model/claims.ts";
import type { PolicyName } from "../model/policy.ts";
import type { ExhaustiveVerdict } from "./exhaustive/judge-exhaustively.ts";
import type { WatchedInvariant } from "./exhaustive/latchkey-options.ts";
import { isWatchedUnder } from "./exhaustive/scenarios.ts";
import type { ClaimResult, MethodResult, Verdict } from "./results.ts";

/** By policy; one that was cancelled before its searches began is absent. */
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
      const invariant = claim.exhaustive;
      const verdict = searches.get(policy)?.find((each) => each.invariant === invariant);
      const said = verdict ?? unbegun(searches, policy, invariant);
      const isModel = (row: ClaimResult) =>
        row.id === claim.id && row.policy === policy && row.target === "model";
      const place = all.findIndex(isModel);
      const row = all[place];
      if (claim.level === "system" || claim.level === "gateway")
        all.push(searchedRow(claim, policy, said));
      else if (row !== undefined && said !== null) all[place] = judgedTogether(row, said);
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
  const searched = `in ${methods.filter((each) => each.verdict === verdict).length} searches`;
  return `${says} ${histories.length > 0 ? `in ${Math.max(...histories)} histories` : searched}`;
}

/** What the searches of a policy say of a claim. */
type Said = Pick<ExhaustiveVerdict, "verdict" | "reason" | "searches">;

/** A claim of the whole system or of the gateway, as the search of the model alone judges it; null: none watches it. */
export function searchedRow(
  claim: SystemClaim | GatewayClaim,
  policy: PolicyName,
  found: Said | null,
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
    reason: found === null ? "no search under this policy watches it" : found.reason,
    methods: found === null ? [] : methodsOf(found),
    counterexample: null,
  };
}

/**
 * A row that random histories have judged, with the search beside them. It holds where both have
 * decided so, for neither covers the bounds of the other; what one refutes is refuted, and where the
 * other says that it holds the row says that they disagree.
 */
export function judgedTogether(row: ClaimResult, found: Said): ClaimResult {
  const methods = [...row.methods, ...methodsOf(found)];
  const exhaustive = row.verdict === "refuted" ? againstRefuted(found) : found.verdict;
  const verdicts = new Set<Verdict>([row.verdict, exhaustive]);
  if (verdicts.has("refuted") && verdicts.has("holds")) {
    const reason = `methods disagree: random says ${row.verdict}, exhaustive says ${exhaustive}`;
    return { ...row, verdict: "refuted", reason, methods };
  }
  if (verdicts.has("refuted")) return { ...row, verdict: "refuted", reason: null, methods };
  const { verdict, reason } = row.verdict === "holds" ? found : row;
  return { ...row, verdict, reason, methods };
}

/** One search that went to its end says that it holds, also where another was stopped. */
function againstRefuted({ verdict, searches }: Said): Verdict {
  if (verdict !== "inconclusive") return verdict;
  return searches.some((search) => search.verdict === "holds") ? "holds" : verdict;
}

/** What is said of a policy whose searches were cancelled before they began; null where none would have watched it. */
function unbegun(searches: Searches, policy: PolicyName, invariant: WatchedInvariant): Said | null {
  if (searches.has(policy) || !isWatchedUnder(policy, invariant)) return null;
  return { verdict: "inconclusive", reason: "cancelled before it was searched", searches: [] };
}

/** One for each search; where none began, one without bounds or counts. */
function methodsOf({ verdict, reason, searches }: Said): readonly MethodResult[] {
  if (searches.length === 0) {
    return [{ verdict, reason, kind: "exhaustive", bounds: {}, evidence: {} }];
  }
  return searches.map(({ scenario, because, bounds, evidence, ...search }) => ({
    verdict: search.verdict,
    reason: search.verdict === "inconclusive" ? because : null,
    kind: "exhaustive",
    bounds: { scenario, ...bounds },
    evidence,
  }));
}
