// Which reserves the store served, and which were the first that their key saw.
import { isServed, type KeyHistory, type Operation, type PreparedHistory } from "../operations.ts";
import { mayAccept } from "../records.ts";

export interface ServedReserve {
  readonly key: KeyHistory;
  readonly reserve: Operation;
}

export function servedReserves({ keys }: PreparedHistory): readonly ServedReserve[] {
  return keys.flatMap((key) => key.reserves.filter(isServed).map((reserve) => ({ key, reserve })));
}

/** Nothing of the key can have stood before this reserve but what it created itself. */
export function isFirstPossible(key: KeyHistory, reserve: Operation): boolean {
  return [...key.reserves, ...key.commits].every(
    (each) =>
      each === reserve ||
      each.invokedIndex >= reserve.completedIndex ||
      (each.call === "reserve" && !mayAccept(each)),
  );
}
