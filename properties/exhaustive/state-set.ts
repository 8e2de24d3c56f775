// Decides whether a state is new, and keeps every state once, in the order of arrival: the set is also the queue.
import type { Batch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";
import {
  createTable,
  INDEX_MASK,
  moveEntries,
  SEGMENT_SHIFT,
  slotOf,
  tableBytes,
  TAG_SHIFT,
} from "./state-table.ts";
import type { StateTable } from "./state-table.ts";

/** States per chunk of storage, a power of two. Chunks never move, and keep every array far below 2^31 bytes. */
export const CHUNK_SHIFT = 16;
export const CHUNK_STATES = 1 << CHUNK_SHIFT;
export const CHUNK_MASK = CHUNK_STATES - 1;

/** The most states that a set's indices can number. */
export const MAX_INDEXED_STATES = INDEX_MASK - CHUNK_STATES;

export interface StateSetOptions {
  readonly words: number;
  readonly maxStates: number;
  readonly maxBytes: number;
  /** Which of the sets that share one numbering this is: set `part` of `parts` owns every `parts`-th chunk. */
  readonly part: number;
  readonly parts: number;
  /** Whether other threads may read the arrays. */
  readonly shared: boolean;
}

export type InsertOutcome = "done" | "maxStates" | "maxBytes";

/**
 * StateSet holds packed states once each, numbered in the order of arrival.
 *
 * A record is the state's words and the index of its parent; records lie in chunks, the table of indices in
 * segments (see `state-table.ts`). Insertion works on batches in three small loops: read every table slot, then
 * every state those slots name, then decide; so the processor waits for many cache lines at once and not for each.
 */
export class StateSet {
  readonly options: StateSetOptions;
  readonly words: number;
  /** Elements per record. */
  readonly stride: number;
  readonly chunks: Uint32Array[] = [];
  readonly table: StateTable;
  count = 0;
  /** The index that the next new state gets. */
  next: number;
  /** Bytes of records and table. */
  bytes: number;
  /** The longest time that one insertion of a batch spent on growth. */
  maxPauseMs = 0;
  /** Consumes what is only read to fetch it early, so that the reads are not optimised away. */
  sink = 0;
  #pauseMs = 0;
  #grown = false;

  constructor(options: StateSetOptions) {
    this.options = options;
    this.words = options.words;
    this.stride = options.words + 1;
    this.next = options.part << CHUNK_SHIFT;
    this.table = createTable((length) => this.#allocate(length));
    this.bytes = tableBytes(this.table);
  }

  /** The index that follows in this set's numbering. */
  following(index: number): number {
    const after = index + 1;
    return (after & CHUNK_MASK) === 0 ? after + ((this.options.parts - 1) << CHUNK_SHIFT) : after;
  }

  /** Inserts the hashed states of the batch in their order. Past a bound it stops at the state that met it. */
  insert(batch: Batch): InsertOutcome {
    this.#pauseMs = 0;
    this.#grown = false;
    this.sink ^= fetchSlots(this, batch);
    this.sink ^= fetchStates(this, batch);
    const outcome = insertBatch(this, batch);
    if (this.#pauseMs > this.maxPauseMs) this.maxPauseMs = this.#pauseMs;
    return outcome;
  }

  /** Whether a segment was replaced during this insertion, which makes the slots in `places` void. */
  get grown(): boolean {
    return this.#grown;
  }

  /** Adds a chunk for the index {@link next}; false past the memory bound. */
  addChunk(): boolean {
    const bytes = CHUNK_STATES * this.stride * Uint32Array.BYTES_PER_ELEMENT;
    if (this.bytes + bytes > this.options.maxBytes) return false;
    const startedMs = performance.now();
    while (this.chunks.length < this.next >>> CHUNK_SHIFT) this.chunks.push(NO_CHUNK);
    this.chunks.push(this.#allocate(CHUNK_STATES * this.stride));
    this.bytes += bytes;
    this.#pauseMs += performance.now() - startedMs;
    return true;
  }

  /** Doubles a segment; false past the memory bound, which counts the old and the new one together. */
  growSegment(place: number): boolean {
    const segment = this.table.segments[place] as Uint32Array;
    if (this.bytes + segment.byteLength * 2 > this.options.maxBytes) return false;
    const startedMs = performance.now();
    const grown = this.#allocate(segment.length * 2);
    const scratch = new Uint32Array(512 * this.words);
    moveEntries(segment, grown, (entries, count, hashes) => {
      for (let i = 0; i < count; i += 1)
        copyState(this, ((entries[i] as number) & INDEX_MASK) - 1, scratch, i * this.words);
      hashStates(scratch, count, this.words, hashes);
    });
    this.table.segments[place] = grown;
    this.bytes += segment.byteLength;
    this.#pauseMs += performance.now() - startedMs;
    this.#grown = true;
    return true;
  }

  #allocate(length: number): Uint32Array {
    return this.options.shared
      ? new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT))
      : new Uint32Array(length);
  }
}

const NO_CHUNK = new Uint32Array(0);

export function copyState(set: StateSet, index: number, out: Uint32Array, outAt: number): void {
  const chunk = set.chunks[index >>> CHUNK_SHIFT] as Uint32Array;
  const at = (index & CHUNK_MASK) * set.stride;
  for (let word = 0; word < set.words; word += 1) out[outAt + word] = chunk[at + word] as number;
}

/** The parent that {@link Batch.origins} gave when the state was new. */
export function parentOf(set: StateSet, index: number): number {
  const chunk = set.chunks[index >>> CHUNK_SHIFT] as Uint32Array;
  return chunk[(index & CHUNK_MASK) * set.stride + set.words] as number;
}

/** Writes the index of each hashed state of the batch into `places`; -1 for one that is not in the set. */
export function locate(set: StateSet, batch: Batch): void {
  set.sink ^= fetchSlots(set, batch);
  set.sink ^= fetchStates(set, batch);
  const { states, hashes, places, words } = batch;
  const { chunks, stride } = set;
  const { segments } = set.table;
  for (let i = 0; i < batch.count; i += 1) {
    const hash = hashes[i] as number;
    const segment = segments[hash >>> SEGMENT_SHIFT] as Uint32Array;
    let slot = places[i] as number;
    let found = -1;
    for (let entry = segment[slot] as number; entry !== 0; entry = segment[slot] as number) {
      if ((entry ^ (hash << TAG_SHIFT)) >>> TAG_SHIFT === 0) {
        const index = (entry & INDEX_MASK) - 1;
        const chunk = chunks[index >>> CHUNK_SHIFT] as Uint32Array;
        if (same(chunk, (index & CHUNK_MASK) * stride, states, i * words, words)) {
          found = index;
          break;
        }
      }
      slot = (slot + 1) & (segment.length - 1);
    }
    places[i] = found;
  }
}

function fetchSlots(set: StateSet, batch: Batch): number {
  const { hashes, count } = batch;
  const { segments } = set.table;
  let sink = 0;
  for (let i = 0; i < count; i += 1) {
    const hash = hashes[i] as number;
    const segment = segments[hash >>> SEGMENT_SHIFT] as Uint32Array;
    sink ^= segment[slotOf(hash, segment.length)] as number;
  }
  return sink;
}

/** Probes as far as tags can tell, leaves the slot in `places`, and reads the state there. */
function fetchStates(set: StateSet, batch: Batch): number {
  const { hashes, places, count } = batch;
  const { chunks, stride } = set;
  const { segments } = set.table;
  let sink = 0;
  for (let i = 0; i < count; i += 1) {
    const hash = hashes[i] as number;
    const tag = hash << TAG_SHIFT;
    const segment = segments[hash >>> SEGMENT_SHIFT] as Uint32Array;
    const mask = segment.length - 1;
    let slot = slotOf(hash, segment.length);
    let entry = segment[slot] as number;
    while (entry !== 0 && (entry ^ tag) >>> TAG_SHIFT !== 0) {
      slot = (slot + 1) & mask;
      entry = segment[slot] as number;
    }
    places[i] = slot;
    if (entry !== 0) {
      const index = (entry & INDEX_MASK) - 1;
      sink ^= (chunks[index >>> CHUNK_SHIFT] as Uint32Array)[
        (index & CHUNK_MASK) * stride
      ] as number;
    }
  }
  return sink;
}

function insertBatch(set: StateSet, batch: Batch): InsertOutcome {
  const { states, hashes, places, words, count: total } = batch;
  const { chunks, stride } = set;
  const { segments } = set.table;
  let grown = false;
  for (let i = 0, at = 0; i < total; i += 1, at += words) {
    const hash = hashes[i] as number;
    const tag = hash << TAG_SHIFT;
    const segment = segments[hash >>> SEGMENT_SHIFT] as Uint32Array;
    let slot = grown ? slotOf(hash, segment.length) : (places[i] as number);
    let entry = segment[slot] as number;
    while (entry !== 0) {
      if ((entry ^ tag) >>> TAG_SHIFT === 0) {
        const index = (entry & INDEX_MASK) - 1;
        const chunk = chunks[index >>> CHUNK_SHIFT] as Uint32Array;
        if (same(chunk, (index & CHUNK_MASK) * stride, states, at, words)) break;
      }
      slot = (slot + 1) & (segment.length - 1);
      entry = segment[slot] as number;
    }
    if (entry !== 0) continue;
    const outcome = append(set, batch, i, segment, slot);
    if (outcome !== "done") return outcome;
    grown = set.grown;
  }
  return "done";
}

function append(
  set: StateSet,
  batch: Batch,
  i: number,
  segment: Uint32Array,
  slot: number,
): InsertOutcome {
  const { states, words } = batch;
  const { next, stride } = set;
  if (set.count >= set.options.maxStates) return "maxStates";
  if ((next & CHUNK_MASK) === 0 && !set.addChunk()) return "maxBytes";
  const chunk = set.chunks[next >>> CHUNK_SHIFT] as Uint32Array;
  const to = (next & CHUNK_MASK) * stride;
  for (let word = 0, at = i * words; word < words; word += 1)
    chunk[to + word] = states[at + word] as number;
  chunk[to + words] = batch.origins[i] as number;
  const hash = batch.hashes[i] as number;
  segment[slot] = (hash << TAG_SHIFT) | (next + 1);
  set.count += 1;
  set.next = set.following(next);
  const place = hash >>> SEGMENT_SHIFT;
  const used = (set.table.used[place] as number) + 1;
  set.table.used[place] = used;
  // Three quarters full: beyond, the probes of a miss grow faster than memory shrinks.
  return used * 4 < segment.length * 3 || set.growSegment(place) ? "done" : "maxBytes";
}

function same(
  chunk: Uint32Array,
  base: number,
  states: Uint32Array,
  at: number,
  words: number,
): boolean {
  if (chunk[base] !== states[at]) return false;
  for (let word = 1; word < words; word += 1) {
    if (chunk[base + word] !== states[at + word]) return false;
  }
  return true;
}
