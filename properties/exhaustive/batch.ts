// Decides how states travel together: a reusable buffer of about a thousand, so that memory is fetched ahead of its use.

/**
 * Successors on their way to a set. Filled and emptied again and again; nothing is allocated per state.
 *
 * States stay where they were written. What takes some out of the batch writes which are left: one number for each,
 * however wide a state is.
 */
export interface Batch {
  readonly words: number;
  /** Packed states, one after another. */
  readonly states: Uint32Array;
  /** The index of the state that each came from. */
  readonly origins: Uint32Array;
  readonly hashes: Int32Array;
  /** How many states were written. */
  count: number;
  /** The places of those that are left, in order. */
  readonly selection: Int32Array;
  /** How many are left. */
  selected: number;
  /** Of each that is left, written by the set: the slot at which to begin looking for it. */
  readonly homes: Int32Array;
  /** Of each that is left, written by an index: the state that it may be, or once located the one that it is. */
  readonly indices: Int32Array;
}

/** How many successors a search gathers before it inserts them. Twice or half as many made no difference. */
export const BATCH_STATES = 1024;
/** The most successors that a state of any model may have. */
export const MOST_SUCCESSORS = 4096;
/** The states of a batch to which all those of its last origin were added. */
export const LARGEST_BATCH = BATCH_STATES - 1 + MOST_SUCCESSORS;

/** The origin of a state that has none: an initial state. */
export const NO_ORIGIN = 0xffff_ffff;

export function createBatch(words: number, capacity: number): Batch {
  return {
    words,
    states: new Uint32Array(capacity * words),
    origins: new Uint32Array(capacity),
    ...createScratch(capacity),
  };
}

/** What a thread needs of its own to work on a batch of states that are kept elsewhere. */
export function createScratch(capacity: number): Omit<Batch, "words" | "states" | "origins"> {
  return {
    hashes: new Int32Array(capacity),
    count: 0,
    selection: new Int32Array(capacity),
    selected: 0,
    homes: new Int32Array(capacity),
    indices: new Int32Array(capacity),
  };
}

/** Selects the states from one place up to another. */
export function selectFrom(batch: Batch, from: number, to: number): void {
  const { selection } = batch;
  for (let place = from; place < to; place += 1) selection[place - from] = place;
  batch.selected = to - from;
}

export function selectAll(batch: Batch): void {
  selectFrom(batch, 0, batch.count);
}
