// Decides where a state is kept by its hash: one open-addressed table that doubles in place, in slices.

const FIRST_BITS = 12;
/** Slots after the last home, so that probing never turns back to the start. Chance makes no run of this length. */
const SLACK = 1 << 16;
/** Slots moved per state that may come: those that still wait are then at most an eighth fuller than `fullest`. */
const MOVES_PER_STATE = 8;
/** Fewer slots than these are not worth a slice of their own. */
const LEAST_MOVED = 2048;

export interface TableOptions {
  /** The most entries that will come. */
  readonly maxEntries: number;
  /** Elements per entry, 1 or 2. An entry of zeros is a free slot. */
  readonly width: number;
  /** The table doubles when this part of its slots is used. */
  readonly fullest: number;
  readonly allocate: (length: number) => Uint32Array;
  /** Writes the hashes of so many entries. */
  readonly rehash: (entries: Uint32Array, count: number, hashes: Int32Array) => void;
}

/**
 * StateTable finds entries by linear probing from the hash's high bits.
 *
 * Doubling is linear hashing run from the top: a home is the first `bits` bits of the hash below `split`, and the
 * first `bits + 1` from there on. Slot s moves to 2s or 2s + 1, upwards into space that is free, so a slice can move
 * while the rest stays in use, and no search ever waits for a whole table. Address space for the largest table is
 * reserved at the start; memory follows as it is written.
 */
export class StateTable {
  readonly slots: Uint32Array;
  readonly width: number;
  bits = FIRST_BITS;
  /** Homes below it have not moved. `2 ** bits` when nothing is moving. */
  split = 1 << FIRST_BITS;
  readonly #options: TableOptions;
  /** Enough for `maxEntries`, so that no more is ever needed. */
  readonly #maxBits: number;
  #entries: Uint32Array;
  #hashes = new Int32Array(2 * LEAST_MOVED);

  constructor(options: TableOptions) {
    const { maxEntries, width, fullest, allocate } = options;
    this.#options = options;
    this.#maxBits = Math.max(FIRST_BITS, Math.ceil(Math.log2(Math.max(1, maxEntries) / fullest)));
    this.width = width;
    this.slots = allocate((2 ** this.#maxBits + SLACK) * width);
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

  /** Moves at least `count` slots below `split`; the run across the lower edge moves as a whole, or its end would be lost. */
  #move(count: number): void {
    const { slots, split, width } = this;
    let from = split - count;
    while (from > 0 && !this.#isFree(from - 1)) from -= 1;
    if (from < LEAST_MOVED) from = 0;
    const taken = this.#take(from);
    this.#options.rehash(this.#entries, taken, this.#hashes);
    // Written in order before it is read at random: a page that is first read and then written costs two faults.
    slots.fill(0, Math.max(2 * from, split) * width, 2 * split * width);
    this.#put(taken);
    this.split = from;
    if (from > 0) return;
    this.bits += 1;
    this.split = 2 ** this.bits;
  }

  /** Empties the slots from `from` to the end of the run across `split`. All go before any is put back: at the bottom the ranges overlap. */
  #take(from: number): number {
    const { slots, split, width } = this;
    let taken = 0;
    for (let slot = from; slot < split || !this.#isFree(slot); slot += 1) {
      if (this.#isFree(slot)) continue;
      if (taken === this.#hashes.length) this.#widen();
      for (let element = 0; element < width; element += 1) {
        this.#entries[taken * width + element] = slots[slot * width + element] as number;
        slots[slot * width + element] = 0;
      }
      taken += 1;
    }
    return taken;
  }

  /** Puts what was taken at its homes in the table of twice the size. */
  #put(taken: number): void {
    const { slots, width } = this;
    const shift = 31 - this.bits;
    for (let i = 0; i < taken; i += 1) {
      let slot = (this.#hashes[i] as number) >>> shift;
      while (!this.#isFree(slot)) slot += 1;
      for (let element = 0; element < width; element += 1) {
        slots[slot * width + element] = this.#entries[i * width + element] as number;
      }
    }
  }

  #isFree(slot: number): boolean {
    const { slots, width } = this;
    if (width === 1) return slots[slot] === 0;
    return ((slots[slot * 2] as number) | (slots[slot * 2 + 1] as number)) === 0;
  }

  #widen(): void {
    const entries = new Uint32Array(this.#entries.length * 2);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#hashes = new Int32Array(this.#hashes.length * 2);
  }
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
