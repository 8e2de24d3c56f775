// Decides which successors are repeats of states met a moment ago, so that they need not be looked up.
import type { Batch } from "./batch.ts";
import { hashStates, hashText } from "./state-hash.ts";
import {
  differsFrom,
  eachWord,
  functionOf,
  isNonZero,
  perWidth,
  readState,
  unrolled,
} from "./state-loops.ts";

/** States remembered: about half of all repeats come back within so many, and they fit the processor's cache. */
const SLOT_BITS = 15;
const SLOT_MASK = (1 << SLOT_BITS) - 1;

type DropRecent = (
  slots: Uint32Array,
  states: Uint32Array,
  hashes: Int32Array,
  selection: Int32Array,
  count: number,
) => number;

/** Every place is written to where the next that is kept belongs: a branch on what is half of all cases costs more. */
const dropping = perWidth((words) =>
  functionOf<DropRecent>(
    ["slots", "states", "hashes", "selection", "count"],
    `let kept = 0, t = 0;
    ${unrolled(
      "count",
      4,
      (at, own) => `
        ${readState(words, at, own)}
        const hash${own} = ${hashText(words, (word) => `w${word}${own}`)};`,
      (at, own) => `
        hashes[${at}] = hash${own};
        const slot${own} = Math.imul(hash${own} & ${SLOT_MASK}, ${words});
        const differs${own} = ${differsFrom(words, "slots", `slot${own}`, own)};
        ${eachWord(words, (word) => `slots[slot${own} + ${word} | 0] = w${word}${own};`)}
        selection[kept] = ${at};
        kept = (kept + ${isNonZero(`differs${own}`)}) | 0;`,
    )}
    return kept;`,
  ),
);

/**
 * RecentStates remembers the state that was last met with each low end of the hash.
 *
 * Most successors were seen before, many of them by the neighbours of their origin in the queue. Looking such a one
 * up here costs a few nanoseconds, in the large table a cache miss. What is remembered must have been inserted, so a
 * search that a bound stopped inserts no more.
 */
export class RecentStates {
  readonly #drop: DropRecent;
  readonly #slots: Uint32Array;

  constructor(words: number) {
    this.#drop = dropping(words);
    this.#slots = new Uint32Array(words << SLOT_BITS);
    // An empty slot looks like the state of zeros, but that is not sought in any slot save its own.
    const slot = slotOf(words, 0);
    let other = 1;
    while (slotOf(words, other) === slot) other += 1;
    this.#slots.fill(other, slot * words, (slot + 1) * words);
  }

  /** Hashes the states of a batch, and selects those that are no repeats. */
  hashAndSelect(batch: Batch): void {
    const { states, hashes, selection, count } = batch;
    batch.selected = this.#drop(this.#slots, states, hashes, selection, count);
  }
}

/** The slot of the state whose words all have this value. */
function slotOf(words: number, value: number): number {
  const hash = new Int32Array(1);
  hashStates(new Uint32Array(words).fill(value), 1, words, hash);
  return (hash[0] as number) & SLOT_MASK;
}
