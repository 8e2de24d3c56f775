// Decides by which word of a state two threads share the states out: one that steps seldom change and that divides them evenly.
import { createTally, Expander } from "./expansion.ts";
import { ownerOf } from "./owner.ts";
import type { StateSet } from "./state-set.ts";

/** Batches looked at, from places all over the states that are about to be expanded. */
const SAMPLES = 16;
/** A word that leaves one thread less than this part of the states divides badly. */
const LEAST_SHARE = 0.42;

/** The word whose owners differ least between states and their successors; of words that all divide badly the most even. */
export function chooseOwnerWord(
  set: StateSet,
  searching: Expander,
  head: number,
  end: number,
): number {
  const { words } = set;
  const expander = new Expander(searching.model, searching.symmetry);
  const crossed = new Float64Array(words);
  const second = new Float64Array(words);
  let count = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    // Two blocks of numbers are one of states and one of the other thread's: begin in the first.
    const from = head + (Math.floor(((end - head) / SAMPLES) * sample) & ~0x1fff);
    expander.expandBatch(set, from, end, createTally());
    const { states, origins, selection, selected } = expander.batch;
    for (let each = 0; each < selected; each += 1) {
      const i = selection[each] as number;
      for (let word = 0; word < words; word += 1) {
        const owner = ownerOf(states[i * words + word] as number);
        const before = ownerOf(set.records[(origins[i] as number) * set.stride + word] as number);
        crossed[word] = (crossed[word] as number) + (owner ^ before);
        second[word] = (second[word] as number) + owner;
      }
    }
    count += selected;
  }
  const rank = (word: number): number => {
    const share = (second[word] as number) / Math.max(1, count);
    const lesser = Math.min(share, 1 - share);
    return lesser < LEAST_SHARE ? 1 - lesser : (crossed[word] as number) / Math.max(1, count) / 2;
  };
  return Array.from({ length: words }, (_, word) => word).reduce((best, word) =>
    rank(word) < rank(best) ? word : best,
  );
}
