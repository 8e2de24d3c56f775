// Decides where a state is kept by its hash: one open-addressed table that doubles in place, in slices.

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

/** Slots per line, less one: of entries of one element, and of two. */
export const SINGLES_MASK = LINE_BYTES / 4 - 1;
export const PAIRS_MASK = LINE_BYTES / 8 - 1;

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
  #entries: Uint32Array;
  #hashes = new Int32Array(2 * LEAST_MOVED);

  constructor(options: TableOptions) {
    const { maxEntries, width, fullest } = options;
    this.#options = options;
    this.#maxBits = Math.max(FIRST_BITS, Math.ceil(Math.log2(Math.max(1, maxEntries) / fullest)));
    this.width = width;
    this.#lineMask = width === 1 ? SINGLES_MASK : PAIRS_MASK;
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
    const taken = (width === 1 ? takeSingles : takePairs)(slots, from, end, this.#entries);
    this.#options.rehash(this.#entries, taken, this.#hashes);
    // Written in order before it is read at random: a page that is first read and then written costs two faults.
    slots.fill(0, Math.max(2 * from, split) * width, 2 * split * width);
    const put = width === 1 ? putSingles : putPairs;
    put(slots, this.#entries, this.#hashes, taken, 31 - this.bits);
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

/** Empties the slots from `from` up to `end`, and returns how many entries that were. All go before any is put back: at the bottom the ranges overlap. */
function takeSingles(slots: Uint32Array, from: number, end: number, entries: Uint32Array): number {
  let taken = 0;
  for (let at = from; at < end; at = (at + 1) | 0) {
    const entry = (slots[at] as number) | 0;
    entries[taken] = entry;
    taken = (taken + ((entry | -entry) >>> 31)) | 0;
  }
  slots.fill(0, from, end);
  return taken;
}

function takePairs(slots: Uint32Array, from: number, end: number, entries: Uint32Array): number {
  let taken = 0;
  for (let at = from * 2; at < end * 2; at = (at + 2) | 0) {
    const first = (slots[at] as number) | 0;
    const second = (slots[at + 1] as number) | 0;
    entries[taken * 2] = first;
    entries[taken * 2 + 1] = second;
    const any = first | second;
    taken = (taken + ((any | -any) >>> 31)) | 0;
  }
  slots.fill(0, from * 2, end * 2);
  return taken;
}

/** Puts what was taken at its homes in the table of twice the size: the hash without its low `shift` bits. */
function putSingles(
  slots: Uint32Array,
  entries: Uint32Array,
  hashes: Int32Array,
  count: number,
  shift: number,
): void {
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const home = (hashes[i] as number) >>> shift;
    let slot = home;
    while (slots[slot] !== 0) slot = afterSlot(slot, home, SINGLES_MASK);
    slots[slot] = entries[i] as number;
  }
}

function putPairs(
  slots: Uint32Array,
  entries: Uint32Array,
  hashes: Int32Array,
  count: number,
  shift: number,
): void {
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const home = (hashes[i] as number) >>> shift;
    let slot = home;
    while (((slots[slot * 2] as number) | (slots[slot * 2 + 1] as number)) !== 0) {
      slot = afterSlot(slot, home, PAIRS_MASK);
    }
    slots[slot * 2] = entries[i * 2] as number;
    slots[slot * 2 + 1] = entries[i * 2 + 1] as number;
  }
}

/** The slot to look at after this one: the next of its line, round its end; after the last of them one of the next line. */
export function afterSlot(slot: number, home: number, lineMask: number): number {
  const next = (slot & ~lineMask) | ((slot + 1) & lineMask);
  return ((next ^ home) & lineMask) === 0 ? (next + lineMask + 1) | 0 : next;
}

/** Reads the home of every hash, and leaves its slot in `places`. Returns what it read, for the caller to keep. */
export function fetchSlots(
  table: StateTable,
  hashes: Int32Array,
  places: Int32Array,
  count: number,
): number {
  const { slots, split, width } = table;
  const shift = 32 - table.bits;
  let sink = 0;
  for (let i = 0; i < count; i += 1) {
    const hash = hashes[i] as number;
    let home = hash >>> shift;
    if (home >= split) home = hash >>> (shift - 1);
    places[i] = home;
    sink ^= slots[home * width] as number;
  }
  return sink;
}
