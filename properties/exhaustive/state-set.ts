// Decides whether a state is new, and keeps every state once, in the order of arrival: the set is also the queue.
import type { Batch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";
import { enter, INDEX_MASK, same, StateIndex, TAG_SHIFT } from "./state-index.ts";
import { afterSlot, fetchSlots, PAIRS_MASK, SINGLES_MASK, StateTable } from "./state-table.ts";

/** Sets of several threads that share their records take turns by blocks of so many. */
export const BLOCK_SHIFT = 12;
const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;

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
 * A record is the state's words and the index of its parent; all records lie in one array. A table finds them. Of
 * states of one or two words it holds the words, so that a successor seen before, which most are, costs one cache
 * miss; of wider ones it holds tagged indices, which costs two misses and half the memory. Arrays are flat: looking
 * up which chunk an element is in cost as much as the element. Their address space is reserved at the start and
 * memory follows as it is written, so that nothing is ever copied.
 *
 * Insertion works on batches in small loops: read every table slot, then every record that those name, then decide.
 * The processor so waits for many cache lines at once, not for each in turn.
 */
export class StateSet {
  readonly words: number;
  /** Elements per record. */
  readonly stride: number;
  readonly records: Uint32Array;
  readonly table: StateTable;
  /** Of wide states: the index that the table is part of. */
  readonly index: StateIndex | null;
  readonly parts: number;
  count = 0;
  /** States that another set keeps and this one knows. */
  adopted = 0;
  /** The index that the next new state gets. */
  next: number;
  /** Of narrow states: whether the state of zeros, which would be a free slot, is here. */
  hasZeros = false;
  /** The longest time that one insertion of a batch spent on growth. */
  maxPauseMs = 0;
  /** Consumes what is read only to fetch it early, or the reads would be optimised away. */
  sink = 0;
  readonly #options: StateSetOptions;

  constructor(options: StateSetOptions, share?: StateSetShare) {
    const { words } = options;
    this.#options = options;
    this.words = words;
    this.stride = words + 1;
    this.parts = share?.parts ?? 1;
    this.next = (share?.part ?? 0) << BLOCK_SHIFT;
    const capacity = capacityOf(options);
    this.records = share?.records ?? new Uint32Array(capacity * this.stride);
    this.index = words > NARROW_WORDS ? new StateIndex(words, this.records, capacity) : null;
    this.table = this.index?.table ?? narrowTable(words as 1 | 2, capacity);
  }

  /** Bytes of records and table in use. */
  get bytes(): number {
    return this.count * this.stride * 4 + this.table.bytes;
  }

  /** The index that follows in this set's numbering. */
  following(index: number): number {
    const after = index + 1;
    return (after & BLOCK_MASK) === 0 ? after + ((this.parts - 1) << BLOCK_SHIFT) : after;
  }

  /**
   * Inserts the hashed states of the batch in their order, and leaves the batch used up. Past a bound it stops at the state that met it;
   * `maxStates` is that of the options unless told otherwise.
   */
  insert(batch: Batch, maxStates = this.#options.maxStates): InsertOutcome {
    const { table, index } = this;
    const { maxBytes } = this.#options;
    const entries = this.count + this.adopted + batch.count;
    if (this.bytes + table.bytesToAdd(entries) > maxBytes) return "maxBytes";
    if (table.moving || table.bytesToAdd(entries) > 0) this.#grow(batch.count);
    const affordable = Math.floor((maxBytes - table.bytes) / (this.stride * 4));
    const limit = Math.min(maxStates, affordable);
    const done =
      index === null ? this.#insertNarrow(batch, limit) : this.#insertWide(index, batch, limit);
    if (done) return "done";
    return maxStates <= affordable ? "maxStates" : "maxBytes";
  }

  /** Learns of the hashed states of the batch, which another set keeps under the indices in `origins`; none is here yet. */
  adopt(batch: Batch): void {
    const known = this.count + this.adopted;
    if (this.index !== null) enter(this.index, known, batch);
    else enterNarrow(this.table, known, batch);
    this.adopted += batch.count;
  }

  #insertNarrow(batch: Batch, limit: number): boolean {
    if (this.words === 1) {
      this.sink ^= fetchSlots(this.table, batch.hashes, batch.places, batch.count);
      return insertSingles(this, batch, limit);
    }
    this.sink ^= fetchSlots(this.table, batch.hashes, batch.places, batch.count);
    dropFoundPairs(this.table, batch);
    return insertPairs(this, batch, limit);
  }

  #insertWide(index: StateIndex, batch: Batch, limit: number): boolean {
    index.fetch(batch);
    if (this.count > 0) dropGuessed(this, batch);
    return insertWide(this, batch, limit);
  }

  #grow(added: number): void {
    const startedMs = performance.now();
    this.table.makeRoom(this.count + this.adopted, added);
    const pauseMs = performance.now() - startedMs;
    if (pauseMs > this.maxPauseMs) this.maxPauseMs = pauseMs;
  }
}

/** How many states fit the bounds, whatever the table takes. Offsets of records stay below 2^31, where they are cheap. */
export function capacityOf({ words, maxStates, maxBytes }: StateSetOptions): number {
  return Math.min(maxStates, Math.floor(Math.min(maxBytes, 2 ** 33 - 8) / ((words + 1) * 4)));
}

/** A probe stays in the table, mostly in one cache line: it may be fuller than one whose probes read records. */
function narrowTable(words: 1 | 2, maxEntries: number): StateTable {
  return new StateTable({
    maxEntries,
    width: words,
    fullest: 0.8,
    rehash: (entries, count, hashes) => hashStates(entries, count, words, hashes),
  });
}

function enterNarrow(table: StateTable, entered: number, batch: Batch): void {
  const { states, hashes, places, words, count } = batch;
  table.makeRoom(entered, count);
  fetchSlots(table, hashes, places, count);
  const { slots } = table;
  const mask = words === 1 ? SINGLES_MASK : PAIRS_MASK;
  for (let i = 0; i < count; i += 1) {
    const home = places[i] as number;
    let slot = home;
    while (((slots[slot * words] as number) | (slots[(slot + 1) * words - 1] as number)) !== 0) {
      slot = afterSlot(slot, home, mask);
    }
    for (let word = 0; word < words; word += 1) {
      slots[slot * words + word] = states[i * words + word] as number;
    }
  }
}

/** Inserts what is new; false when `limit` states are there and one more would come. So do the two that follow. */
function insertSingles(set: StateSet, batch: Batch, limit: number): boolean {
  const { states, places, count } = batch;
  const { slots } = set.table;
  for (let i = 0; i < count; i += 1) {
    const word = (states[i] as number) | 0;
    if (word === 0) {
      if (!addZeros(set, batch, i, limit)) return false;
      continue;
    }
    const home = places[i] as number;
    let slot = home;
    let entry = (slots[slot] as number) | 0;
    while (entry !== word && entry !== 0) {
      slot = afterSlot(slot, home, SINGLES_MASK);
      entry = (slots[slot] as number) | 0;
    }
    if (entry === word) continue;
    if (set.count >= limit) return false;
    slots[slot] = word;
    append(set, batch, i);
  }
  return true;
}

/**
 * Takes out the states that stand at their home, and writes the home of every other. That is most of all states, and
 * no branch depends on any: the processor reads many homes at once and guesses nothing.
 */
function dropFoundPairs(table: StateTable, batch: Batch): void {
  const { states, origins, places, count } = batch;
  const { slots } = table;
  let kept = 0;
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const home = places[i] as number;
    const at = (home << 1) | 0;
    const from = (i << 1) | 0;
    const to = (kept << 1) | 0;
    const first = (states[from] as number) | 0;
    const second = (states[(from + 1) | 0] as number) | 0;
    const differs = ((slots[at] as number) ^ first) | ((slots[(at + 1) | 0] as number) ^ second);
    states[to] = first;
    states[(to + 1) | 0] = second;
    origins[kept] = origins[i] as number;
    places[kept] = home;
    // The state of zeros looks as if it were found in any free slot, and stays.
    const ones = first | second;
    kept = (kept + ((differs | -differs | ~(ones | -ones)) >>> 31)) | 0;
  }
  batch.count = kept;
}

function insertPairs(set: StateSet, batch: Batch, limit: number): boolean {
  const { states, origins, places, count: total } = batch;
  const { records } = set;
  const { slots } = set.table;
  const skipped = ((set.parts - 1) << BLOCK_SHIFT) | 0;
  let { count, next } = set;
  let done = true;
  for (let i = 0; i < total; i = (i + 1) | 0) {
    const first = (states[(i << 1) | 0] as number) | 0;
    const second = (states[((i << 1) + 1) | 0] as number) | 0;
    const home = places[i] as number;
    let slot = home;
    for (;;) {
      const at = (slot << 1) | 0;
      const low = (slots[at] as number) | 0;
      const high = (slots[(at + 1) | 0] as number) | 0;
      if ((low | high) !== 0) {
        if (((low ^ first) | (high ^ second)) === 0) break;
        slot = afterSlot(slot, home, PAIRS_MASK);
        continue;
      }
      if ((first | second) === 0) {
        if (set.hasZeros) break;
        set.hasZeros = true;
      }
      if (count >= limit) {
        done = false;
        break;
      }
      slots[at] = first;
      slots[(at + 1) | 0] = second;
      const to = Math.imul(next, 3);
      records[to] = first;
      records[(to + 1) | 0] = second;
      records[(to + 2) | 0] = origins[i] as number;
      count = (count + 1) | 0;
      next = (next + 1) | 0;
      if ((next & BLOCK_MASK) === 0) next = (next + skipped) | 0;
      break;
    }
    if (!done) break;
  }
  set.count = count;
  set.next = next;
  return done;
}

/** Takes out the states whose guess was right, again without a branch on any. */
function dropGuessed({ records, stride }: StateSet, batch: Batch): void {
  const { states, origins, hashes, places, guesses, words, count } = batch;
  let kept = 0;
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const base = Math.imul(guesses[i] as number, stride);
    const from = Math.imul(i, words);
    const to = Math.imul(kept, words);
    let differs = 0;
    for (let word = 0; word < words; word = (word + 1) | 0) {
      const value = (states[(from + word) | 0] as number) | 0;
      differs |= (records[(base + word) | 0] as number) ^ value;
      states[(to + word) | 0] = value;
    }
    origins[kept] = origins[i] as number;
    hashes[kept] = hashes[i] as number;
    places[kept] = places[i] as number;
    kept = (kept + ((differs | -differs) >>> 31)) | 0;
  }
  batch.count = kept;
}

function insertWide(set: StateSet, batch: Batch, limit: number): boolean {
  const { states, hashes, places, words, count } = batch;
  const { records, stride } = set;
  const { slots } = set.table;
  for (let i = 0, at = 0; i < count; i += 1, at += words) {
    const tag = (hashes[i] as number) << TAG_SHIFT;
    const home = places[i] as number;
    let slot = home;
    let entry = (slots[slot] as number) | 0;
    while (entry !== 0) {
      const base = ((entry & INDEX_MASK) - 1) * stride;
      if ((entry ^ tag) >>> TAG_SHIFT === 0 && same(records, base, states, at, words)) break;
      slot = afterSlot(slot, home, SINGLES_MASK);
      entry = (slots[slot] as number) | 0;
    }
    if (entry !== 0) continue;
    if (set.count >= limit) return false;
    slots[slot] = tag | (set.next + 1);
    append(set, batch, i);
  }
  return true;
}

function addZeros(set: StateSet, batch: Batch, i: number, limit: number): boolean {
  if (set.hasZeros) return true;
  if (set.count >= limit) return false;
  set.hasZeros = true;
  append(set, batch, i);
  return true;
}

function append(set: StateSet, batch: Batch, i: number): void {
  const { states, origins, words } = batch;
  const { records, next } = set;
  const to = next * set.stride;
  for (let word = 0; word < words; word += 1) {
    records[to + word] = states[i * words + word] as number;
  }
  records[to + words] = origins[i] as number;
  set.count += 1;
  set.next = set.following(next);
}
