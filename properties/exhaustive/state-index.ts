// Decides which index a packed state has: tagged indices in a table, looked up against the records they name.
import type { Batch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";
import {
  differsFrom,
  eachWord,
  functionOf,
  perWidth,
  readState,
  unrolled,
  wordsAt,
} from "./state-loops.ts";
import { dropText, insertText } from "./state-lookup.ts";
import type { Cursor, Insert, StateLookup } from "./state-lookup.ts";
import { isSameLine, nextSlot, StateTable } from "./state-table.ts";

/** The low 28 bits of an entry: a state's index plus one. Zero is a free slot. */
const INDEX_MASK = 0x0fff_ffff;
/** The high 4 bits of an entry are the low 4 of the hash. They keep 15 of 16 false probes from reading a record. */
const TAG_SHIFT = 28;
/** The most states that indices can number. */
export const MAX_INDEXED_STATES = INDEX_MASK - 1;

/** The most records of such states in one array: offsets stay below 2^31, where they are cheap. */
export function mostRecords(words: number): number {
  return Math.min(MAX_INDEXED_STATES, Math.floor((2 ** 31 - 1) / (words + 1)));
}

/** A probe may read a record: keep runs short. */
const FULLEST = 0.7;

/**
 * StateIndex finds the records of states; a record is the state's words and the index of its parent. One seen before
 * costs two cache misses, but an entry takes a word, however wide states are.
 */
export class StateIndex implements StateLookup {
  readonly words: number;
  readonly records: Uint32Array;
  readonly table: StateTable;
  /** Consumes what is read only to fetch it early, or the reads would be optimised away. */
  sink = 0;
  readonly #guess: Guess;
  readonly #drop: DropGuessed;
  readonly #insert: Insert;
  readonly #locate: Locate;
  readonly #gather: Gather;
  #scratch = new Uint32Array(0);

  constructor(words: number, records: Uint32Array, maxEntries: number) {
    this.words = words;
    this.records = records;
    this.#guess = guessing(words);
    this.#drop = dropping(words);
    this.#insert = inserting(words);
    this.#locate = locating(words);
    this.#gather = gathering(words);
    this.table = new StateTable({
      maxEntries,
      width: 1,
      fullest: FULLEST,
      rehash: (entries, count, hashes) => this.#rehash(entries, count, hashes),
    });
  }

  fetch(batch: Batch): void {
    this.sink ^= this.table.fetch(batch);
    const { hashes, selection, selected, homes, indices } = batch;
    const { slots } = this.table;
    this.sink ^= this.#guess(slots, this.records, hashes, selection, selected, homes, indices);
  }

  /** An index of 0 is as good as any: record 0 is of this set, or of another whose states no batch of this one has. */
  dropFound(batch: Batch): void {
    const { states, selection, selected, homes, indices } = batch;
    batch.selected = this.#drop(this.records, states, selection, selected, homes, indices);
  }

  insert(batch: Batch, cursor: Cursor, skipped: number): boolean {
    return this.#insert(this.table.slots, this.records, batch, cursor, skipped);
  }

  enter(batch: Batch): void {
    enterIndices(this.table.slots, batch);
  }

  /** Writes the index of each state that is left of the batch; -1 for one that is not there. */
  locate(batch: Batch): void {
    this.fetch(batch);
    this.#locate(this.table.slots, this.records, batch);
  }

  #rehash(entries: Uint32Array, count: number, hashes: Int32Array): void {
    const { words } = this;
    if (this.#scratch.length < count * words) this.#scratch = new Uint32Array(2 * count * words);
    this.sink ^= this.#gather(this.records, entries, count, this.#scratch);
    hashStates(this.#scratch, count, words, hashes);
  }
}

/** Bytes that the table of an index of so many states takes at most. */
export function indexBytes(states: number): number {
  return 4 * 2 ** Math.max(12, Math.ceil(Math.log2(states / FULLEST)) + 1);
}

type Guess = (
  slots: Uint32Array,
  records: Uint32Array,
  hashes: Int32Array,
  selection: Int32Array,
  selected: number,
  homes: Int32Array,
  indices: Int32Array,
) => number;

/** Guesses which state each may be: that at its home if the tags agree, or else 0. Returns what it read. */
const guessing = perWidth((words) =>
  functionOf<Guess>(
    ["slots", "records", "hashes", "selection", "selected", "homes", "indices"],
    `let read = 0;
    ${unrolled(
      "selected",
      4,
      (at, own) => `
        const entry${own} = slots[homes[${at}]] | 0;
        const tag${own} = hashes[selection[${at}]] << ${TAG_SHIFT};
        const other${own} = (entry${own} ^ tag${own}) >>> ${TAG_SHIFT};
        const index${own} = ((entry${own} & ${INDEX_MASK}) - 1) | 0;`,
      (at, own) =>
        `indices[${at}] = index${own} & ~(index${own} >> 31) & ((other${own} - 1) >> 31);`,
    )}
    ${unrolled("selected", 8, (at) => `read ^= records[Math.imul(indices[${at}], ${words + 1})] | 0;`)}
    return read;`,
  ),
);

type DropGuessed = (
  records: Uint32Array,
  states: Uint32Array,
  selection: Int32Array,
  selected: number,
  homes: Int32Array,
  indices: Int32Array,
) => number;

/** Takes out those whose guess was right. */
const dropping = perWidth((words) =>
  functionOf<DropGuessed>(
    ["records", "states", "selection", "selected", "homes", "indices"],
    dropText(words, "records", (at) => `Math.imul(indices[${at}], ${words + 1})`),
  ),
);

/** Looks for the state of w0, w1 and so on from its home: `entry` is then its own, or 0 of the free `slot`. */
function findText(words: number): string {
  const record = `Math.imul((entry & ${INDEX_MASK}) - 1, ${words + 1})`;
  const differs = differsFrom(words, "records", record, "");
  const isSought = `(entry ^ tag) >>> ${TAG_SHIFT} === 0 && (${differs}) === 0`;
  return `
    const tag = hashes[place] << ${TAG_SHIFT}, first = slots[home] | 0;
    let slot = home, entry = first;
    while (entry !== 0 && !(${isSought})) { ${nextSlot(1)} entry = slots[slot] | 0; }`;
}

/** What is new gets its home, and what stood there the free slot that was found: new states are asked for most. */
const inserting = perWidth((words) =>
  functionOf<Insert>(
    ["slots", "records", "batch", "cursor", "skipped"],
    insertText(
      words,
      `${findText(words)} if (entry !== 0) continue;`,
      `entry = tag | (next + 1);
      if (${isSameLine(1)}) { slots[slot] = first; slots[home] = entry; }
      else slots[slot] = entry;`,
    ),
  ),
);

const enterIndices = functionOf<(slots: Uint32Array, batch: Batch) => void>(
  ["slots", "batch"],
  `const { hashes, origins, selection, selected, homes } = batch;
  for (let i = 0; i < selected; i = (i + 1) | 0) {
    const place = selection[i] | 0, home = homes[i] | 0;
    let slot = home;
    while (slots[slot] !== 0) { ${nextSlot(1)} }
    slots[slot] = (hashes[place] << ${TAG_SHIFT}) | (origins[place] + 1);
  }`,
);

type Locate = (slots: Uint32Array, records: Uint32Array, batch: Batch) => void;

const locating = perWidth((words) =>
  functionOf<Locate>(
    ["slots", "records", "batch"],
    `const { states, hashes, selection, selected, homes, indices } = batch;
    for (let i = 0; i < selected; i = (i + 1) | 0) {
      const place = selection[i] | 0, home = homes[i] | 0;
      ${readState(words, "place", "")}
      ${findText(words)}
      indices[i] = (entry & ${INDEX_MASK}) - 1;
    }`,
  ),
);

type Gather = (
  records: Uint32Array,
  entries: Uint32Array,
  count: number,
  out: Uint32Array,
) => number;

/** Copies the states that entries stand for; all are read once before, to have them on their way. Returns what it read. */
const gathering = perWidth((words) => {
  const record = (at: string) => `Math.imul((entries[${at}] & ${INDEX_MASK}) - 1, ${words + 1})`;
  return functionOf<Gather>(
    ["records", "entries", "count", "out"],
    `let read = 0;
    ${unrolled("count", 8, (at) => `read ^= records[${record(at)}] | 0;`)}
    ${unrolled(
      "count",
      4,
      (at, own) => `
        const from${own} = ${record(at)};
        ${eachWord(words, (word) => `const w${word}${own} = ${wordsAt("records", `from${own}`)(word)};`)}`,
      (at, own) => `
        const to${own} = Math.imul(${at}, ${words});
        ${eachWord(words, (word) => `out[to${own} + ${word} | 0] = w${word}${own};`)}`,
    )}
    return read;`,
  );
});
