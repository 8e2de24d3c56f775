// Decides whether a state is new, and keeps every state once, in the order of arrival: the set is also the queue.
import type { Batch } from "./batch.ts";
import { mostRecords, StateIndex } from "./state-index.ts";
import { BLOCK_MASK, BLOCK_SHIFT, NEXT, ROOM } from "./state-lookup.ts";
import type { StateLookup } from "./state-lookup.ts";
import { StateWords } from "./state-words.ts";

/** States of so many words are kept in the table itself. Wider ones would make it too large. */
const NARROW_WORDS = 2;

export interface StateSetOptions {
  readonly words: number;
  readonly maxStates: number;
  readonly maxBytes: number;
}

/** The place of a set among those of several threads that number their states together: the `part`-th of `parts`. */
export interface StateSetShare {
  readonly part: number;
  readonly parts: number;
  /** The records of all of them. */
  readonly records: Uint32Array;
}

export type InsertOutcome = "done" | "maxStates" | "maxBytes";

/**
 * StateSet holds packed states once each, numbered in the order of arrival.
 *
 * A record is the state's words and the index of its parent; all records lie in one array. A table finds them. Arrays
 * are flat: looking up which chunk an element is in cost as much as the element. Their address space is reserved at
 * the start and memory follows as it is written, so that nothing is ever copied.
 */
export class StateSet {
  readonly words: number;
  /** Elements per record. */
  readonly stride: number;
  readonly records: Uint32Array;
  readonly lookup: StateLookup;
  readonly parts: number;
  count = 0;
  /** States that another set keeps and this one knows. */
  adopted = 0;
  /** The longest time that one insertion of a batch spent on growth. */
  maxPauseMs = 0;
  readonly #options: StateSetOptions;
  readonly #capacity: number;
  readonly #cursor = new Int32Array(2);

  constructor(options: StateSetOptions, share?: StateSetShare) {
    const { words } = options;
    this.#options = options;
    this.words = words;
    this.stride = words + 1;
    this.parts = share?.parts ?? 1;
    this.#cursor[NEXT] = (share?.part ?? 0) << BLOCK_SHIFT;
    const capacity = capacityOf(options);
    this.#capacity = capacity;
    this.records = share?.records ?? new Uint32Array(capacity * this.stride);
    // It may come to know all states that the others keep.
    const entries = Math.min(capacity * this.parts, mostRecords(words));
    this.lookup =
      words > NARROW_WORDS
        ? new StateIndex(words, this.records, entries)
        : new StateWords(words as 1 | 2, this.records, entries);
  }

  /** The index that the next new state gets. */
  get next(): number {
    return this.#cursor[NEXT] as number;
  }

  /** Bytes of records and table in use. */
  get bytes(): number {
    return this.count * this.stride * 4 + this.lookup.table.bytes;
  }

  /** The index that follows in this set's numbering. */
  following(index: number): number {
    const after = index + 1;
    return (after & BLOCK_MASK) === 0 ? after + this.#skipped : after;
  }

  /**
   * Inserts the states that are left of the hashed batch, in their order, and leaves the batch used up. Past a bound it
   * stops at the state that met it; `maxStates` is that of the options unless told otherwise.
   */
  insert(batch: Batch, maxStates = this.#options.maxStates): InsertOutcome {
    const { lookup, count } = this;
    const { table } = lookup;
    const { maxBytes } = this.#options;
    const entries = count + this.adopted + batch.selected;
    if (this.bytes + table.bytesToAdd(entries) > maxBytes) return "maxBytes";
    if (table.moving || table.bytesToAdd(entries) > 0) this.#grow(batch.selected);
    const paid = Math.floor((maxBytes - table.bytes) / (this.stride * 4));
    const affordable = Math.min(paid, this.#capacity);
    const room = Math.max(0, Math.min(maxStates, affordable) - count);
    this.#cursor[ROOM] = room;
    lookup.fetch(batch);
    if (count > 0) lookup.dropFound(batch);
    const isDone = lookup.insert(batch, this.#cursor, this.#skipped);
    this.count += room - this.#cursor[ROOM];
    if (isDone) return "done";
    return maxStates <= affordable ? "maxStates" : "maxBytes";
  }

  /**
   * Learns of the hashed states left of the batch, which another set keeps under the indices in `origins`; none is
   * here yet. False without room for them.
   */
  adopt(batch: Batch): boolean {
    const { lookup, count, adopted } = this;
    const { table } = lookup;
    const known = count + adopted;
    if (this.bytes + table.bytesToAdd(known + batch.selected) > this.#options.maxBytes)
      return false;
    table.makeRoom(known, batch.selected);
    lookup.fetch(batch);
    lookup.enter(batch);
    this.adopted += batch.selected;
    return true;
  }

  get #skipped(): number {
    return (this.parts - 1) << BLOCK_SHIFT;
  }

  #grow(added: number): void {
    const startedMs = performance.now();
    this.lookup.table.makeRoom(this.count + this.adopted, added);
    const pauseMs = performance.now() - startedMs;
    if (pauseMs > this.maxPauseMs) this.maxPauseMs = pauseMs;
  }
}

/** How many states fit the bounds, whatever the table takes. */
export function capacityOf({ words, maxStates, maxBytes }: StateSetOptions): number {
  return Math.min(maxStates, mostRecords(words), Math.floor(maxBytes / ((words + 1) * 4)));
}
