// Claim: what was answered survives a crash: token, fingerprint, response, times and fence.
//
// A contradiction between an answer before a crash and an answer after it, on one record: a lost
// acceptance or release, another response, fence or deadline. Only what no policy explains counts
// here: for a lost acceptance that is the seeds' own sentence, as others' releases and a retention
// from the reserve end records without any crash; nor is a record missed that may be over by then. And a kind of contradiction counts only if the
// history has none of its kind without a crash, so that a store that forgets at a crash is told from
// one that is always wrong. Refutes a store that answers before it has written.
import { isIndeterminate, type PreparedHistory } from "../operations.ts";
import type { Violation } from "../results.ts";
import { collidesWithinRetention } from "./collides-within-retention.ts";
import { changedAnswers } from "./lost-replies-heal.ts";
import { fenceViolations } from "./ownership.ts";
import { lostReleases } from "./release-on-soft-fail.ts";
import { undercounts } from "./reclaim.ts";
import { replay } from "./replay.ts";
import { violation, type InvariantJudge } from "./ruling.ts";

export const durability: InvariantJudge = {
  invariant: "durability",
  needs: ["crash"],
  judge(prepared) {
    const { events } = prepared.history;
    if (!events.some(({ kind }) => kind === "crash")) return { exercised: false, violations: [] };
    const crashes = events.flatMap((event, index) => (event.kind === "crash" ? [index] : []));
    const violations = contradictions(prepared).flatMap((ofOneKind) => {
      const across = ofOneKind.map((found) => acrossCrash(found, crashes));
      return across.every((found) => found !== undefined) ? across : [];
    });
    return { exercised: crashes.some((crash) => isAskedAfter(prepared, crash)), violations };
  },
};

/** Contradictions by kind, whether or not a crash lies between. */
function contradictions(prepared: PreparedHistory): readonly (readonly Violation[])[] {
  const { ownerTokens, replay: replays } = prepared.history.capabilities;
  const acceptances = prepared.keys.map((key) => key.acceptances);
  return [
    collidesWithinRetention.judge(prepared).violations,
    lostReleases(prepared),
    undercounts(prepared).filter((found) => !mayCountFromReserve(prepared, found)),
    ...(replays ? [replay.judge(prepared).violations] : []),
    ...(ownerTokens
      ? [acceptances.flatMap((each) => each.flatMap(changedAnswers)), fenceViolations(prepared)]
      : []),
  ];
}

/** Whether a record that is missed was over, had its time counted from its reserve. */
function mayCountFromReserve({ keys, times, history }: PreparedHistory, found: Violation): boolean {
  const countedAtMs = history.events[found.events.at(-1) ?? -1]?.atMs ?? Infinity;
  const endMs = Math.min(times.pendingMs, times.retentionMs) - times.slackMs;
  return keys.some(({ acceptances, all }) => {
    const made = all.filter(({ completedIndex }) => found.events.includes(completedIndex));
    return made.some(({ token }) =>
      acceptances.some((each) => each.token === token && countedAtMs >= each.atMs + endMs),
    );
  });
}

/** The violation as one of durability, if a crash lies between the answers that contradict. */
function acrossCrash(found: Violation, crashes: readonly number[]): Violation | undefined {
  const first = found.events[0] ?? Infinity;
  // The contradicting answer completes last; a crash while it was under way does not excuse it.
  const last = found.events.at(-1) ?? -Infinity;
  const crash = crashes.find((index) => first < index && index < last);
  if (crash === undefined) return undefined;
  const explanation = `Across a crash: ${found.explanation}`;
  return violation("durability", explanation, [...found.events, crash]);
}

/** Something was answered before the crash, and the same key was asked after it. */
function isAskedAfter({ keys }: PreparedHistory, crash: number): boolean {
  return keys.some(
    ({ all }) =>
      all.some((each) => !isIndeterminate(each) && each.completedIndex < crash) &&
      all.some((each) => !isIndeterminate(each) && each.invokedIndex > crash),
  );
}
