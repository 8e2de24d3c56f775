// Decides which index a packed state has: tagged indices in a table, looked up against the records they name.
import type { Batch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";
import { afterSlot, fetchSlots, SINGLES_MASK, StateTable } from "./state-table.ts";

/** The low 28 bits of an entry: a state's index plus one. Zero is a free slot. */
export const INDEX_MASK = 0x0fff_ffff;
/** The high 4 bits of an entry are the low 4 of the hash. They keep 15 of 16 false probes from reading a record. */
export const TAG_SHIFT = 28;
/** The most states that indices can number. */
export const MAX_INDEXED_STATES = INDEX_MASK - 1;

/** A probe may read a record: keep runs short. */
const FULLEST = 0.7;

/** StateIndex finds the records of states; a record is the state's words and the index of its parent. */
export class StateIndex {
  readonly words: number;
  /** Elements per record. */
  readonly stride: number;
  readonly records: Uint32Array;
  readonly table: StateTable;
  /** Consumes what is read only to fetch it early, or the reads would be optimised away. */
  sink = 0;
  #scratch = new Uint32Array(0);

  constructor(words: number, records: Uint32Array, maxEntries: number) {
    this.words = words;
    this.stride = words + 1;
    this.records = records;
    this.table = new StateTable({
      maxEntries,
      width: 1,
      fullest: FULLEST,
      rehash: (entries, count, hashes) => this.#rehash(entries, count, hashes),
    });
  }

  /** Writes the home of each hashed state of the batch into `places`, and which record it may be into `guesses`. */
  fetch(batch: Batch): void {
    const { hashes, places, guesses, count } = batch;
    this.sink ^= fetchSlots(this.table, hashes, places, count);
    this.sink ^= guessRecords(this, hashes, places, guesses, count);
  }

  #rehash(entries: Uint32Array, count: number, hashes: Int32Array): void {
    const { words } = this;
    if (this.#scratch.length < count * words) this.#scratch = new Uint32Array(2 * count * words);
    this.sink ^= fetchEntries(this, entries, count);
    gatherStates(this, entries, count, this.#scratch);
    hashStates(this.#scratch, count, words, hashes);
  }
}

/** Bytes that the table of an index of so many states takes at most. */
export function indexBytes(states: number): number {
  return 4 * 2 ** Math.max(12, Math.ceil(Math.log2(states / FULLEST)) + 1);
}

/** Writes the index of each hashed state of the batch into `places`; -1 for one that is not there. */
export function locate(index: StateIndex, batch: Batch): void {
  index.fetch(batch);
  const { states, hashes, places, words, count } = batch;
  const { records, stride } = index;
  const { slots } = index.table;
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
    places[i] = (entry & INDEX_MASK) - 1;
  }
}

/** Enters states that are not there yet: those of the batch, whose indices are in `origins`. */
export function enter(index: StateIndex, entered: number, batch: Batch): void {
  const { hashes, origins, places, count } = batch;
  index.table.makeRoom(entered, count);
  index.sink ^= fetchSlots(index.table, hashes, places, count);
  const { slots } = index.table;
  for (let i = 0; i < count; i += 1) {
    const home = places[i] as number;
    let slot = home;
    while (slots[slot] !== 0) slot = afterSlot(slot, home, SINGLES_MASK);
    slots[slot] = ((hashes[i] as number) << TAG_SHIFT) | ((origins[i] as number) + 1);
  }
}

export function same(
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

/** Probes as far as tags can tell, and reads the records found there. A guess of 0 is as good as any: where nothing was found, nothing is equal. */
function guessRecords(
  index: StateIndex,
  hashes: Int32Array,
  places: Int32Array,
  guesses: Int32Array,
  count: number,
): number {
  const { records, stride } = index;
  const { slots } = index.table;
  let sink = 0;
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const tag = (hashes[i] as number) << TAG_SHIFT;
    const home = places[i] as number;
    let slot = home;
    let entry = (slots[slot] as number) | 0;
    while (entry !== 0 && (entry ^ tag) >>> TAG_SHIFT !== 0) {
      slot = afterSlot(slot, home, SINGLES_MASK);
      entry = (slots[slot] as number) | 0;
    }
    const guess = entry === 0 ? 0 : (entry & INDEX_MASK) - 1;
    guesses[i] = guess;
    sink ^= records[guess * stride] as number;
  }
  return sink;
}

function fetchEntries(index: StateIndex, entries: Uint32Array, count: number): number {
  const { records, stride } = index;
  let sink = 0;
  for (let i = 0; i < count; i += 1) {
    sink ^= records[(((entries[i] as number) & INDEX_MASK) - 1) * stride] as number;
  }
  return sink;
}

function gatherStates(
  index: StateIndex,
  entries: Uint32Array,
  count: number,
  out: Uint32Array,
): void {
  const { records, stride, words } = index;
  for (let i = 0, to = 0; i < count; i += 1) {
    const at = (((entries[i] as number) & INDEX_MASK) - 1) * stride;
    for (let word = 0; word < words; word += 1, to += 1) out[to] = records[at + word] as number;
  }
}
