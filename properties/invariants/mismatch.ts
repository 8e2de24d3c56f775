// Claim: while a record blocks, a reserve with another fingerprint is answered mismatch, and at no
// other time is one answered so.
//
// Mismatch comes before every other answer, for a pending and for a committed record. Refutes
// `hardened without fingerprints`, and a store that compares the payload only once committed.
import type { KeyHistory, Operation, PreparedHistory } from "../operations.ts";
import { possibleRecords, sureRecord } from "../records.ts";
import type { Violation } from "../results.ts";
import { callOf, placesOf, shown, violation, type InvariantJudge } from "./ruling.ts";

export const mismatch: InvariantJudge = {
  invariant: "mismatch",
  needs: ["fingerprints"],
  judge(prepared) {
    let exercised = false;
    const violations: Violation[] = [];
    for (const key of prepared.keys) {
      for (const reserve of key.served) {
        const answered = reserve.answer.outcome === "mismatch";
        if (answered && !isExplained(prepared, key, reserve)) violations.push(unexplained(reserve));
        const record = recordOfOther(prepared, key, reserve);
        if (record === undefined) continue;
        exercised = true;
        if (!answered) violations.push(overlooked(reserve, record));
      }
    }
    return { exercised, violations };
  },
};

function isExplained(
  { times, history }: PreparedHistory,
  key: KeyHistory,
  reserve: Operation,
): boolean {
  const { ownerTokens } = history.capabilities;
  // By key alone a commit may have been of somebody else's reservation, and so of another payload.
  return possibleRecords(key, reserve, times, ownerTokens).some(
    ({ by, status }) =>
      by.fingerprint !== reserve.fingerprint || (!ownerTokens && status === "committed"),
  );
}

/** The operation whose record surely blocks with another fingerprint. */
function recordOfOther(
  { times, history }: PreparedHistory,
  key: KeyHistory,
  reserve: Operation,
): Operation | undefined {
  if (
    key.all.every(
      ({ call, fingerprint }) => call === "release" || fingerprint === reserve.fingerprint,
    )
  ) {
    return undefined;
  }
  const record = sureRecord(key, reserve, times, history.capabilities.ownerTokens);
  return record !== undefined && record.fingerprint !== reserve.fingerprint ? record.by : undefined;
}

function unexplained(reserve: Operation): Violation {
  return violation(
    "mismatch",
    `${callOf(reserve)} was answered mismatch, although no record of key ${shown(reserve.key)} with another ` +
      `fingerprint can have blocked then.`,
    placesOf(reserve),
  );
}

function overlooked(reserve: Operation, record: Operation): Violation {
  return violation(
    "mismatch",
    `${callOf(reserve)} was answered ${reserve.answer.outcome}, although the record of ${callOf(record)}, with another ` +
      `fingerprint, blocked key ${shown(reserve.key)}.`,
    [record.completedIndex, ...placesOf(reserve)],
  );
}
