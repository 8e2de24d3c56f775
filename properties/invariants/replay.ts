// Claim: every replay of a committed record equals the response of the commit that created it.
//
// To the code unit, "" included; a repeated commit changes nothing. Refutes `hardened without
// replay`, a store that lets a second commit overwrite the first's response, and one that replays
// what an earlier record of the key had.
import type { KeyHistory, Operation, PreparedHistory } from "../operations.ts";
import { possibleRecords } from "../records.ts";
import type { Violation } from "../results.ts";
import { callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";

export const replay: InvariantJudge = {
  invariant: "replay",
  needs: ["replay"],
  judge(prepared) {
    let exercised = false;
    const violations: Violation[] = [];
    for (const key of prepared.keys) {
      for (const reserve of key.reserves) {
        if (reserve.answer.outcome !== "duplicate") continue;
        const commits = creatingCommits(prepared, key, reserve);
        // No commit can have made a record: that is for `truthful-refusal` to say.
        if (commits.length === 0) continue;
        exercised = true;
        const { response } = reserve.answer;
        if (!commits.some((commit) => commit.response === response)) {
          violations.push(changed(reserve, response, commits));
        }
      }
    }
    return { exercised, violations };
  },
};

/** The commits of which one has created the record that a `duplicate` speaks of. */
function creatingCommits(
  { times, history }: PreparedHistory,
  key: KeyHistory,
  reserve: Operation,
): readonly Operation[] {
  return possibleRecords(key, reserve, times, history.capabilities.ownerTokens)
    .filter(({ status }) => status === "committed")
    .map(({ by }) => by);
}

function changed(
  reserve: Operation,
  response: string | undefined,
  commits: readonly Operation[],
): Violation {
  const replayed = response === undefined ? "without a response" : `with ${shown(response)}`;
  const committed = commits.map((commit) => `${shown(commit.response)} by ${callOf(commit)}`);
  return violation(
    "replay",
    `${callOf(reserve)} was answered duplicate ${replayed}, although what was committed is ${committed.join(" or ")}.`,
    [...commits.map(({ completedIndex }) => completedIndex), ...placesOf(reserve)],
  );
}
