// Finds pairs of acceptances of one key of which the first had no way to have ended before the second.
import { mayHaveEnded, surelyStands, type Acceptance, type EndRule } from "../acceptances.ts";
import { precedes, type KeyHistory, type Operation, type PreparedHistory } from "../operations.ts";

export interface AcceptancePair {
  readonly key: KeyHistory;
  readonly first: Acceptance;
  readonly second: Acceptance;
  readonly evidence: readonly number[];
}

/**
 * Pairs that contradict each other under a rule of ending. Where the two overlap either may be the
 * first, and the pair counts only if neither order has an explanation. Quadratic in the acceptances
 * of one key.
 */
export function contradictingPairs(
  prepared: PreparedHistory,
  rule: EndRule,
): readonly AcceptancePair[] {
  return acceptancePairs(prepared, (key, first, second) =>
    mayHaveEnded(key, first, second, prepared.times, rule),
  );
}

/** Pairs of which no possible order is explained. */
export function acceptancePairs(
  prepared: PreparedHistory,
  isExplained: (key: KeyHistory, first: Acceptance, second: Acceptance) => boolean,
): readonly AcceptancePair[] {
  const pairs: AcceptancePair[] = [];
  for (const key of prepared.keys) {
    const { acceptances } = key;
    for (const [index, one] of acceptances.entries()) {
      for (const other of acceptances.slice(index + 1)) {
        if (!precedes(other, one) && isExplained(key, one, other)) continue;
        if (!precedes(one, other) && isExplained(key, other, one)) continue;
        const [first, second] = precedes(other, one) ? [other, one] : [one, other];
        const evidence = [first.operation.completedIndex, second.operation.completedIndex];
        pairs.push({ key, first, second, evidence });
      }
    }
  }
  return pairs;
}

/** Whether some reserve was served while another token's acceptance surely stood. */
export function isWithinAnother(
  { keys, times }: PreparedHistory,
  rule: EndRule,
  also: (reserve: Operation, standing: Acceptance) => boolean,
): boolean {
  return keys.some((key) =>
    key.acceptances.some((standing) =>
      key.served.some(
        (reserve) =>
          reserve.token !== standing.token &&
          also(reserve, standing) &&
          surelyStands(key, standing, reserve, times, rule),
      ),
    ),
  );
}
