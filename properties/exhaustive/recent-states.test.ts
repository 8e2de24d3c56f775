import { expect, test } from "vitest";
import { createBatch } from "./batch.ts";
import { RecentStates } from "./recent-states.ts";
import { hashStates } from "./state-hash.ts";

const widths = [1, 2, 3, 4, 5, 6, 7, 8];

/** Batches of states whose words all have one value. */
function dropped(words: number, recent: RecentStates, values: readonly number[]) {
  const batch = createBatch(words, values.length);
  values.forEach((value, i) => {
    batch.states.fill(value, i * words, (i + 1) * words);
    batch.origins[i] = i;
  });
  batch.count = values.length;
  recent.hashAndSelect(batch);
  const { states, origins, hashes, count, selection, selected } = batch;
  const again = new Int32Array(count);
  hashStates(states, count, words, again);
  expect([...hashes]).toEqual([...again]);
  return [...selection.subarray(0, selected)].map((i) => [states[i * words], origins[i]]);
}

test.each(widths)("keeps what it has not met, the state of zeros too, of %i words", (words) => {
  for (const value of [0, 1, 2, 0xffff_ffff]) {
    expect(dropped(words, new RecentStates(words), [value])).toEqual([[value, 0]]);
  }
});

test.each(widths)("drops repeats and keeps the first and its origin, of %i words", (words) => {
  const recent = new RecentStates(words);
  expect(dropped(words, recent, [7, 0, 7, 9, 0, 7])).toEqual([
    [7, 0],
    [0, 1],
    [9, 3],
  ]);
  expect(dropped(words, recent, [0, 9, 8])).toEqual([[8, 2]]);
});
