// Decides whether a state is new, and keeps every state once, in the order of arrival: the set is also the queue.
import type { Batch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";
import { INDEX_MASK, StateTable, TAG_SHIFT } from "./state-table.ts";

/** The most states that indices can number. */
export const MAX_INDEXED_STATES = INDEX_MASK - 1;

/** Sets of several threads that share their records take turns by blocks of so many. */
export const BLOCK_SHIFT = 12;
const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;

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
  /** The slots of this set's table, of a set that another thread filled. */
  readonly slots?: Uint32Array;
}

export type InsertOutcome = "done" | "maxStates" | "maxBytes";

/**
 * StateSet holds packed states once each, numbered in the order of arrival.
 *
 * A record is the state's words and the index of its parent. All records lie in one array, and a table of indices
 * finds them: flat arrays, because looking up which chunk an element is in cost as much as the element. Their
 * address space is reserved at the start and memory follows as it is written, so that nothing is ever copied.
 *
 * Insertion works on batches in three small loops: read every table slot, then every state that those name, then
 * decide. The processor so waits for many cache lines at once, not for each in turn.
 */
export class StateSet {
  readonly words: number;
  /** Elements per record. */
  readonly stride: number;
  readonly records: Uint32Array;
  readonly table: StateTable;
  readonly parts: number;
  count = 0;
  /** The index that the next new state gets. */
  next: number;
  /** The longest time that one insertion of a batch spent on growth. */
  maxPauseMs = 0;
  /** Consumes what is read only to fetch it early, or the reads would be optimised away. */
  sink = 0;
  readonly #options: StateSetOptions;
  #scratch = new Uint32Array(0);

  constructor(options: StateSetOptions, share?: StateSetShare) {
    this.#options = options;
    this.words = options.words;
    this.stride = options.words + 1;
    this.parts = share?.parts ?? 1;
    this.next = (share?.part ?? 0) << BLOCK_SHIFT;
    const capacity = capacityOf(options);
    const allocate = share === undefined ? reserve : reserveShared;
    this.records = share?.records ?? allocate(capacity * this.stride);
    const slots = share?.slots;
    this.table = new StateTable(
      capacity,
      slots === undefined ? allocate : () => slots,
      (entries, count, hashes) => this.#rehash(entries, count, hashes),
    );
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
   * Inserts the hashed states of the batch in their order. Past a bound it stops at the state that met it;
   * `maxStates` is that of the options unless told otherwise.
   */
  insert(batch: Batch, maxStates = this.#options.maxStates): InsertOutcome {
    const { table, count } = this;
    const { maxBytes } = this.#options;
    if (this.bytes + table.bytesToAdd(count + batch.count) > maxBytes) return "maxBytes";
    if (table.moving || table.bytesToAdd(count + batch.count) > 0) this.#grow(batch.count);
    const affordable = Math.floor((maxBytes - table.bytes) / (this.stride * 4));
    this.sink ^= fetchSlots(table, batch);
    this.sink ^= fetchStates(this, batch);
    const done = insertBatch(this, batch, Math.min(maxStates, affordable));
    if (done) return "done";
    return maxStates <= affordable ? "maxStates" : "maxBytes";
  }

  #grow(added: number): void {
    const startedMs = performance.now();
    this.table.makeRoom(this.count, added);
    const pauseMs = performance.now() - startedMs;
    if (pauseMs > this.maxPauseMs) this.maxPauseMs = pauseMs;
  }

  #rehash(entries: Uint32Array, count: number, hashes: Int32Array): void {
    const { words } = this;
    if (this.#scratch.length < count * words) this.#scratch = new Uint32Array(2 * count * words);
    this.sink ^= fetchRecords(this, entries, count);
    gatherStates(this, entries, count, this.#scratch);
    hashStates(this.#scratch, count, words, hashes);
  }
}

/** How many states fit the bounds, whatever the table takes. Offsets of records stay below 2^31, where they are cheap. */
export function capacityOf({ words, maxStates, maxBytes }: StateSetOptions): number {
  return Math.min(maxStates, Math.floor(Math.min(maxBytes, 2 ** 33 - 8) / ((words + 1) * 4)));
}

function reserve(length: number): Uint32Array {
  return new Uint32Array(length);
}

export function reserveShared(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT));
}

export function copyState(set: StateSet, index: number, out: Uint32Array, outAt: number): void {
  const { records, words } = set;
  const at = index * set.stride;
  for (let word = 0; word < words; word += 1) out[outAt + word] = records[at + word] as number;
}

function fetchRecords(set: StateSet, entries: Uint32Array, count: number): number {
  const { records, stride } = set;
  let sink = 0;
  for (let i = 0; i < count; i += 1) {
    sink ^= records[(((entries[i] as number) & INDEX_MASK) - 1) * stride] as number;
  }
  return sink;
}

function gatherStates(set: StateSet, entries: Uint32Array, count: number, out: Uint32Array): void {
  const { records, stride, words } = set;
  for (let i = 0, to = 0; i < count; i += 1) {
    const at = (((entries[i] as number) & INDEX_MASK) - 1) * stride;
    for (let word = 0; word < words; word += 1, to += 1) out[to] = records[at + word] as number;
  }
}

/** The parent that {@link Batch.origins} gave when the state was new. */
export function parentOf(set: StateSet, index: number): number {
  return set.records[index * set.stride + set.words] as number;
}

/** Writes the index of each hashed state of the batch into `places`; -1 for one that is not in the set. */
export function locate(set: StateSet, batch: Batch): void {
  set.sink ^= fetchSlots(set.table, batch);
  set.sink ^= fetchStates(set, batch);
  const { states, hashes, places, words, count } = batch;
  const { records, stride } = set;
  const { slots } = set.table;
  for (let i = 0, at = 0; i < count; i += 1, at += words) {
    const tag = (hashes[i] as number) << TAG_SHIFT;
    let slot = places[i] as number;
    let entry = (slots[slot] as number) | 0;
    while (entry !== 0) {
      if (
        (entry ^ tag) >>> TAG_SHIFT === 0 &&
        same(records, ((entry & INDEX_MASK) - 1) * stride, states, at, words)
      ) {
        break;
      }
      slot += 1;
      entry = (slots[slot] as number) | 0;
    }
    places[i] = (entry & INDEX_MASK) - 1;
  }
}

/** Reads the home of every hash, and leaves its place in `places`. */
function fetchSlots(table: StateTable, batch: Batch): number {
  const { hashes, places, count } = batch;
  const { slots, split } = table;
  const shift = 32 - table.bits;
  let sink = 0;
  for (let i = 0; i < count; i += 1) {
    const hash = hashes[i] as number;
    let home = hash >>> shift;
    if (home >= split) home = hash >>> (shift - 1);
    places[i] = home;
    sink ^= slots[home] as number;
  }
  return sink;
}

/** Probes as far as tags can tell, and reads the states found there. */
function fetchStates(set: StateSet, batch: Batch): number {
  const { hashes, places, count } = batch;
  const { records, stride } = set;
  const { slots } = set.table;
  let sink = 0;
  for (let i = 0; i < count; i += 1) {
    const tag = (hashes[i] as number) << TAG_SHIFT;
    let slot = places[i] as number;
    let entry = (slots[slot] as number) | 0;
    while (entry !== 0 && (entry ^ tag) >>> TAG_SHIFT !== 0) {
      slot += 1;
      entry = (slots[slot] as number) | 0;
    }
    places[i] = slot;
    if (entry !== 0) sink ^= records[((entry & INDEX_MASK) - 1) * stride] as number;
  }
  return sink;
}

/** Inserts what is new; false when `limit` states are there and one more would come. */
function insertBatch(set: StateSet, batch: Batch, limit: number): boolean {
  const { states, hashes, places, origins, words, count: total } = batch;
  const { records, stride } = set;
  const { slots } = set.table;
  let { count, next } = set;
  let done = true;
  for (let i = 0, at = 0; i < total; i += 1, at += words) {
    const tag = (hashes[i] as number) << TAG_SHIFT;
    let slot = places[i] as number;
    let entry = (slots[slot] as number) | 0;
    while (entry !== 0) {
      if (
        (entry ^ tag) >>> TAG_SHIFT === 0 &&
        same(records, ((entry & INDEX_MASK) - 1) * stride, states, at, words)
      ) {
        break;
      }
      slot += 1;
      entry = (slots[slot] as number) | 0;
    }
    if (entry !== 0) continue;
    if (count >= limit) {
      done = false;
      break;
    }
    const to = next * stride;
    for (let word = 0; word < words; word += 1) records[to + word] = states[at + word] as number;
    records[to + words] = origins[i] as number;
    slots[slot] = tag | (next + 1);
    count += 1;
    next += 1;
    if ((next & BLOCK_MASK) === 0) next += (set.parts - 1) << BLOCK_SHIFT;
  }
  set.count = count;
  set.next = next;
  return done;
}

function same(
  records: Uint32Array,
  base: number,
  states: Uint32Array,
  at: number,
  words: number,
): boolean {
  if (records[base] !== states[at]) return false;
  for (let word = 1; word < words; word += 1) {
    if (records[base + word] !== states[at + word]) return false;
  }
  return true;
}
