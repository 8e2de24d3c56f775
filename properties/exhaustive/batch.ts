// Decides how states travel together: a reusable buffer of about a thousand, so that memory is fetched ahead of its use.

/** Successors on their way to a set. Filled and emptied again and again; nothing is allocated per state. */
export interface Batch {
  readonly words: number;
  /** Packed states, one after another. */
  readonly states: Uint32Array;
  /** The index of the state that each came from. */
  readonly origins: Uint32Array;
  readonly hashes: Int32Array;
  /** Written by the set: the slot at which to begin looking for each, or its index. */
  readonly places: Int32Array;
  /** Written by a set of wide states: the index of the one that each may be. */
  readonly guesses: Int32Array;
  count: number;
}

/** How many successors a search gathers before it inserts them. Twice or half as many made no difference. */
export const BATCH_STATES = 1024;

/** The origin of a state that has none: an initial state. */
export const NO_ORIGIN = 0xffff_ffff;

export function createBatch(words: number, capacity: number): Batch {
  return {
    words,
    states: new Uint32Array(capacity * words),
    origins: new Uint32Array(capacity),
    hashes: new Int32Array(capacity),
    places: new Int32Array(capacity),
    guesses: new Int32Array(capacity),
    count: 0,
  };
}
