// Decides where a state is kept by its hash: one open-addressed table that doubles in place, in slices.
import type { Batch } from "./batch.ts";
import { eachWord, functionOf, isNonZero, perWidth, unrolled, wordsAt } from "./state-loops.ts";

const FIRST_BITS = 12;
/** Slots after the last home, so that probing never turns back to the start. Chance makes no run of this length. */
const SLACK = 1 << 16;
/** Slots moved per state that may come: those that still wait are then at most an eighth fuller than `fullest`. */
const MOVES_PER_STATE = 8;
/** Fewer slots than these are not worth a slice of their own. */
const LEAST_MOVED = 2048;
/** Bytes of a line of the processor's cache. */
const LINE_BYTES = 64;
/** Where the first line begins: large blocks of memory start 16 bytes into a page. */
const FIRST_LINE = LINE_BYTES - 16;

export interface TableOptions {
  /** The most entries that will come. */
  readonly maxEntries: number;
  /** Elements per entry, 1 or 2. An entry of zeros is a free slot. */
  readonly width: 1 | 2;
  /** The table doubles when this part of its slots is used. */
  readonly fullest: number;
  /** Writes the hashes of so many entries. */
  readonly rehash: (entries: Uint32Array, count: number, hashes: Int32Array) => void;
}

/** Slots per line, less one, of entries of so many elements. */
function lineMaskOf(width: number): number {
  return LINE_BYTES / 4 / width - 1;
}

/**
 * StateTable finds entries by probing from the hash's high bits: round the line that the home lies in, and only when
 * that is full in the next. A line is one cache miss, however many of its slots are looked at.
 *
 * Doubling is linear hashing run from the top: a home is the first `bits` bits of the hash below `split`, and the
 * first `bits + 1` from there on. Slot s moves to 2s or 2s + 1, upwards into space that is free, so a slice can move
 * while the rest stays in use, and no search ever waits for a whole table. Address space for the largest table is
 * reserved at the start; memory follows as it is written.
 */
export class StateTable {
  readonly slots: Uint32Array;
  readonly width: 1 | 2;
  bits = FIRST_BITS;
  /** Homes below it have not moved. `2 ** bits` when nothing is moving. The first slot of a line. */
  split = 1 << FIRST_BITS;
  readonly #options: TableOptions;
  /** Enough for `maxEntries`, so that no more is ever needed. */
  readonly #maxBits: number;
  readonly #lineMask: number;
  readonly #take: Take;
  readonly #put: Put;
  readonly #fetch: Fetch;
  #entries: Uint32Array;
  #hashes = new Int32Array(2 * LEAST_MOVED);

  constructor(options: TableOptions) {
    const { maxEntries, width, fullest } = options;
    this.#options = options;
    this.#maxBits = Math.max(FIRST_BITS, Math.ceil(Math.log2(Math.max(1, maxEntries) / fullest)));
    this.width = width;
    this.#lineMask = lineMaskOf(width);
    this.#take = taking(width);
    this.#put = putting(width);
    this.#fetch = fetching(width);
    const length = (2 ** this.#maxBits + SLACK) * width;
    this.slots = new Uint32Array(new ArrayBuffer(FIRST_LINE + length * 4), FIRST_LINE, length);
    this.#entries = new Uint32Array(2 * LEAST_MOVED * width);
  }

  get moving(): boolean {
    return this.split < 2 ** this.bits;
  }

  /** Bytes of the slots in use, those that a move is filling included. */
  get bytes(): number {
    return 4 * this.width * 2 ** (this.moving ? this.bits + 1 : this.bits);
  }

  /** Bytes that {@link makeRoom} would begin to use to hold so many states in all. */
  bytesToAdd(states: number): number {
    return this.#overflows(states) ? 4 * this.width * 2 ** this.bits : 0;
  }

  /** Begins a move or goes on with one, so that `added` states can join the `states` that are here. */
  makeRoom(states: number, added: number): void {
    if (this.moving || this.#overflows(states + added)) {
      this.#move(Math.max(LEAST_MOVED, added * MOVES_PER_STATE));
    }
  }

  /** Writes the home of each selected state of a batch, and reads what stands there: returns it, for the caller to keep. */
  fetch({ hashes, selection, selected, homes }: Batch): number {
    const { slots, bits, split } = this;
    return this.#fetch(slots, hashes, selection, selected, homes, 32 - bits, split);
  }

  #overflows(states: number): boolean {
    const { fullest } = this.#options;
    return !this.moving && this.bits < this.#maxBits && states > fullest * 2 ** this.bits;
  }

  /**
   * Moves at least `count` slots below `split`, whole lines of them, and what did not fit into their last one. A line
   * that is full may have an entry in the next, so the line before the lowest that moves must have room.
   */
  #move(count: number): void {
    const { slots, split, width } = this;
    const line = this.#lineMask + 1;
    let from = Math.max(0, split - line * Math.ceil(count / line));
    while (from > 0 && this.#isFull(from - line)) from -= line;
    if (from < LEAST_MOVED) from = 0;
    let end = split;
    while (this.#isFull(end - line)) end += line;
    this.#reserve(end - from);
    // All go before any is put back: at the bottom the ranges overlap.
    const taken = this.#take(slots, from, end - from, this.#entries);
    slots.fill(0, from * width, end * width);
    this.#options.rehash(this.#entries, taken, this.#hashes);
    // Nothing stands there. Written in order before it is read at random: a page first read, then written costs two faults.
    slots.fill(0, Math.max(2 * from, split) * width, 2 * split * width);
    this.#put(slots, this.#entries, this.#hashes, taken, 31 - this.bits);
    this.split = from;
    if (from > 0) return;
    this.bits += 1;
    this.split = 2 ** this.bits;
  }

  #isFull(firstSlot: number): boolean {
    const { slots, width } = this;
    for (let slot = firstSlot; slot <= firstSlot + this.#lineMask; slot += 1) {
      if (((slots[slot * width] as number) | (slots[(slot + 1) * width - 1] as number)) === 0) {
        return false;
      }
    }
    return true;
  }

  #reserve(entries: number): void {
    if (entries <= this.#hashes.length) return;
    this.#entries = new Uint32Array(2 * entries * this.width);
    this.#hashes = new Int32Array(2 * entries);
  }
}

type Take = (slots: Uint32Array, from: number, count: number, entries: Uint32Array) => number;

/** Copies the entries of so many slots, and returns how many that were. */
const taking = perWidth((width) =>
  functionOf<Take>(
    ["slots", "from", "count", "entries"],
    `let taken = 0;
    ${unrolled(
      "count",
      4,
      (at, own) => `
        const slot${own} = Math.imul(from + ${at}, ${width});
        ${eachWord(width, (word) => `const w${word}${own} = ${wordsAt("slots", `slot${own}`)(word)};`)}
        const any${own} = ${eachWord(width, (word) => `w${word}${own}`, " | ")};`,
      (_, own) => `
        const to${own} = Math.imul(taken, ${width});
        ${eachWord(width, (word) => `entries[to${own} + ${word} | 0] = w${word}${own};`)}
        taken = (taken + ${isNonZero(`any${own}`)}) | 0;`,
    )}
    return taken;`,
  ),
);

type Put = (
  slots: Uint32Array,
  entries: Uint32Array,
  hashes: Int32Array,
  count: number,
  shift: number,
) => void;

/** Puts entries that are not there at their homes: the hashes without their low `shift` bits. */
const putting = perWidth((width) =>
  functionOf<Put>(
    ["slots", "entries", "hashes", "count", "shift"],
    `for (let i = 0; i < count; i = (i + 1) | 0) {
      const home = hashes[i] >>> shift, from = Math.imul(i, ${width});
      ${eachWord(width, (word) => `const w${word} = ${wordsAt("entries", "from")(word)};`)}
      let slot = home;
      while ((${eachWord(width, wordsAt("slots", slotText(width, "slot")), " | ")}) !== 0) { ${nextSlot(width)} }
      ${writeEntry(width, "slot", "w")}
    }`,
  ),
);

type Fetch = (
  slots: Uint32Array,
  hashes: Int32Array,
  selection: Int32Array,
  selected: number,
  homes: Int32Array,
  shift: number,
  split: number,
) => number;

/** The loop that reads does nothing else, so that as many lines as possible are on their way at once. */
const fetching = perWidth((width) =>
  functionOf<Fetch>(
    ["slots", "hashes", "selection", "selected", "homes", "shift", "split"],
    `const shiftAbove = shift - 1;
    let read = 0;
    ${unrolled(
      "selected",
      4,
      (at, own) => `
        const hash${own} = hashes[selection[${at}]] | 0;
        const home${own} = hash${own} >>> shift;
        const below${own} = (home${own} - split) >> 31;`,
      (at, own) =>
        `homes[${at}] = (home${own} & below${own}) | ((hash${own} >>> shiftAbove) & ~below${own});`,
    )}
    ${unrolled("selected", 8, (at) => `read ^= slots[Math.imul(homes[${at}], ${width})] | 0;`)}
    return read;`,
  ),
);

/** Where the entry in the slot begins. */
function slotText(width: number, slot: string): string {
  return `Math.imul(${slot}, ${width})`;
}

/** Sets the variables of this name, numbered by words, to the entry in the slot. */
export function readEntry(width: number, slot: string, name: string): string {
  const word = wordsAt("slots", slotText(width, slot));
  return eachWord(width, (each) => `${name}${each} = ${word(each)};`);
}

/** Writes those variables to the slot. */
export function writeEntry(width: number, slot: string, name: string): string {
  return eachWord(
    width,
    (each) => `slots[${slotText(width, slot)} + ${each} | 0] = ${name}${each};`,
  );
}

/** Moves `slot` on: to the next of its line, round its end; after the last of them to one of the next line. */
export function nextSlot(width: number): string {
  const mask = lineMaskOf(width);
  return `
    slot = (slot & ${~mask}) | ((slot + 1) & ${mask});
    if (((slot ^ home) & ${mask}) === 0) slot = (slot + ${mask + 1}) | 0;`;
}

/**
 * Whether `slot`, where looking from `home` ended, is in the line of it. Only then may the entry at `home` move there:
 * all slots of the line between are taken, so it is still found from its own home, wherever in the line that is.
 */
export function isSameLine(width: number): string {
  return `((slot ^ home) & ${~lineMaskOf(width)}) === 0`;
}
