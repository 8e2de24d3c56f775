// Decides which successors are repeats of states met a moment ago, so that they need not be looked up.
import type { Batch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";

/** States remembered: about half of all repeats come back within so many, and they fit the processor's cache. */
const SLOT_BITS = 15;
const SLOT_MASK = (1 << SLOT_BITS) - 1;

/**
 * RecentStates remembers the state that was last met with each low end of the hash.
 *
 * Most successors were seen before, many of them by the neighbours of their origin in the queue. Looking such a one
 * up here costs a few nanoseconds, in the large table a cache miss. What is remembered must have been inserted, so a
 * search that a bound stopped inserts no more.
 */
export class RecentStates {
  readonly #words: number;
  readonly #slots: Uint32Array;

  constructor(words: number) {
    this.#words = words;
    this.#slots = new Uint32Array(words << SLOT_BITS);
    // An empty slot looks like the state of zeros, but that is not sought in any slot save its own.
    const slot = slotOf(words, 0);
    let other = 1;
    while (slotOf(words, other) === slot) other += 1;
    this.#slots.fill(other, slot * words, (slot + 1) * words);
  }

  /** Takes the repeats out of a hashed batch; what is left keeps its order. */
  drop(batch: Batch): void {
    batch.count =
      this.#words === 2 ? dropPairs(this.#slots, batch) : dropWide(this.#slots, batch, this.#words);
  }
}

/** The slot of the state whose words all have this value. */
function slotOf(words: number, value: number): number {
  const hash = new Int32Array(1);
  hashStates(new Uint32Array(words).fill(value), 1, words, hash);
  return (hash[0] as number) & SLOT_MASK;
}

/** Every state is written to where the next that is kept belongs: a branch on what is half of all cases costs more. */
function dropPairs(slots: Uint32Array, batch: Batch): number {
  const { states, origins, hashes, count } = batch;
  let kept = 0;
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const first = (states[i << 1] as number) | 0;
    const second = (states[((i << 1) + 1) | 0] as number) | 0;
    const hash = (hashes[i] as number) | 0;
    const slot = (hash & SLOT_MASK) << 1;
    const differs =
      ((slots[slot] as number) ^ first) | ((slots[(slot + 1) | 0] as number) ^ second);
    slots[slot] = first;
    slots[(slot + 1) | 0] = second;
    const to = kept << 1;
    states[to] = first;
    states[(to + 1) | 0] = second;
    origins[kept] = origins[i] as number;
    hashes[kept] = hash;
    kept = (kept + ((differs | -differs) >>> 31)) | 0;
  }
  return kept;
}

function dropWide(slots: Uint32Array, batch: Batch, words: number): number {
  const { states, origins, hashes, count } = batch;
  let kept = 0;
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const hash = (hashes[i] as number) | 0;
    const slot = Math.imul(hash & SLOT_MASK, words);
    const from = Math.imul(i, words);
    const to = Math.imul(kept, words);
    let differs = 0;
    for (let word = 0; word < words; word = (word + 1) | 0) {
      const value = (states[(from + word) | 0] as number) | 0;
      differs |= (slots[(slot + word) | 0] as number) ^ value;
      slots[(slot + word) | 0] = value;
      states[(to + word) | 0] = value;
    }
    origins[kept] = origins[i] as number;
    hashes[kept] = hash;
    kept = (kept + ((differs | -differs) >>> 31)) | 0;
  }
  return kept;
}
