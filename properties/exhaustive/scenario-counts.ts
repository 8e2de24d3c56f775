// How many states, edges and steps of depth each whole search of hardened has: another count is a change of the model.
import type { CheckResult } from "./check-result.ts";

/** States, edges, depth. */
export type Counts = readonly [number, number, number];

/** By scenario. Symmetric states count once, except where attempts are told apart. */
export const pinnedCounts: Readonly<Record<string, Counts>> = {
  "hardened-three": [984_843, 6_594_140, 48],
  "hardened-copies": [107_902, 603_138, 38],
  "hardened-payloads": [86_776, 421_501, 31],
  "hardened-memory": [99_452, 558_594, 38],
  "hardened-window": [45_474, 240_111, 32],
  "hardened-keys": [5, 7, 2],
  "hardened-queue": [944_839, 6_032_269, 37],
  "hardened-queue-copies": [26_002, 128_089, 28],
  "hardened-failover": [1_092_393, 6_904_267, 39],
  "hardened-each-once": [323_246, 1_374_546, 37],
  "hardened-two-copies": [464_823, 2_876_593, 57],
  "hardened-three-copies": [5_929_288, 44_645_107, 55],
  "hardened-pairs": [21_825_635, 178_527_122, 62],
  "hardened-asynchronous": [5_821_438, 39_085_749, 48],
  "hardened-asynchronous-longer": [8_129_416, 54_659_910, 61],
};

/** Why the counts of a search are not the pinned ones, in one line; null where they are, or where it was not finished. */
export function differsFromPinned(
  scenarioId: string,
  { isWhole, states, edges, depth }: Pick<CheckResult, "isWhole" | "states" | "edges" | "depth">,
  pinned: Readonly<Record<string, Counts>> = pinnedCounts,
): string | null {
  const counts = pinned[scenarioId];
  if (counts === undefined || !isWhole) return null;
  const found = [states, edges, depth];
  if (counts.every((count, place) => count === found[place])) return null;
  return `the counts are not the pinned ones: states/edges/depth=${found.join("/")} pinned=${counts.join("/")}; if the model was meant to change, pin the new ones in scenario-counts.ts`;
}
