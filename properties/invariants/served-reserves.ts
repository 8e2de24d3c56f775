// Which reserves the store served, and which were the first that their key saw.
import type { KeyHistory, Operation, PreparedHistory } from "../operations.ts";
import { mayAccept } from "../records.ts";

export interface ServedReserve {
  readonly key: KeyHistory;
  readonly reserve: Operation;
}

/** The served reserves that a judge is concerned with. */
export function servedReserves(
  { keys }: PreparedHistory,
  concerns: (key: KeyHistory, reserve: Operation) => boolean,
): readonly ServedReserve[] {
  const chosen: ServedReserve[] = [];
  for (const key of keys) {
    for (const reserve of key.served) if (concerns(key, reserve)) chosen.push({ key, reserve });
  }
  return chosen;
}

/** Nothing of the key can have stood before this reserve but what it created itself. */
export function isFirstPossible(key: KeyHistory, reserve: Operation): boolean {
  const isLater = (each: Operation) =>
    each === reserve || each.invokedIndex >= reserve.completedIndex;
  return (
    key.reserves.every((each) => isLater(each) || !mayAccept(each)) && key.commits.every(isLater)
  );
}
