// Claim: a release by the holder while pending is answered done, and the next reserve that the store
// serves for that key is answered proceed, unless a late commit was recorded in between.
//
// That is how a soft-fail frees the key at once. Refutes `paper`, where a release changes nothing,
// and a store that marks the record released but goes on to refuse.
import { surelyStands, type Acceptance } from "../acceptances.ts";
import { precedes, type KeyHistory, type Operation, type PreparedHistory } from "../operations.ts";
import { holdingAt, mayAccept } from "../records.ts";
import type { Violation } from "../results.ts";
import { callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";

export const releaseOnSoftFail: InvariantJudge = {
  invariant: "release-on-soft-fail",
  needs: [],
  judge(prepared) {
    let exercised = false;
    const violations: Violation[] = [];
    for (const key of prepared.keys) {
      for (const release of key.settlements) {
        const isRelease = release.call === "release" && isByHolder(prepared, key, release);
        exercised ||= isRelease;
        if (isRelease && release.answer.outcome !== "done") violations.push(notObeyed(release));
      }
    }
    return { exercised, violations: [...violations, ...lostReleases(prepared)] };
  },
};

/** Releases by the holder that were answered done and freed nothing. */
export function lostReleases(prepared: PreparedHistory): readonly Violation[] {
  return prepared.keys.flatMap((key) =>
    key.releases
      .filter((release) => release.answer.outcome === "done" && isByHolder(prepared, key, release))
      .flatMap((release) => refusedNext(key, release)),
  );
}

/** Whether its own reservation is surely pending, with nothing else that could have settled it. */
function isByHolder(
  { times, history }: PreparedHistory,
  key: KeyHistory,
  release: Operation,
): boolean {
  const others = { ...key, releases: key.releases.filter((each) => each !== release) };
  const rule = holdingAt(history.capabilities.ownerTokens);
  return key.acceptances.some(
    (acceptance: Acceptance) =>
      acceptance.token === release.token && surelyStands(others, acceptance, release, times, rule),
  );
}

/** Reserves after the release that were refused with nothing in between that could explain it. */
function refusedNext(key: KeyHistory, release: Operation): readonly Violation[] {
  const next = key.served.find((reserve) => precedes(release, reserve) && !mayAccept(reserve));
  if (next === undefined || isOccupiedBetween(key, release, next)) return [];
  return [
    violation(
      "release-on-soft-fail",
      `${callOf(next)} was answered ${next.answer.outcome}, although ${callOf(release)} was answered done and nothing ` +
        `has taken key ${shown(next.key)} since.`,
      [release.completedIndex, ...placesOf(next)],
    ),
  ];
}

function isOccupiedBetween(key: KeyHistory, release: Operation, next: Operation): boolean {
  const isBetween = (each: Operation) =>
    each.completedIndex > release.invokedIndex && each.invokedIndex < next.completedIndex;
  return (
    key.commits.some(isBetween) ||
    key.reserves.some((reserve) => mayAccept(reserve) && isBetween(reserve))
  );
}

function notObeyed(release: Operation): Violation {
  return violation(
    "release-on-soft-fail",
    `${callOf(release)} was answered ${release.answer.outcome}, although its reservation of key ${shown(release.key)} ` +
      `was pending.`,
    placesOf(release),
  );
}
