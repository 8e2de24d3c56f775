// Decides where the index of a state is kept by its hash: one open-addressed table that doubles in place, in slices.

/** The low 28 bits of an entry: a state's index plus one. Zero is a free slot. */
export const INDEX_MASK = 0x0fff_ffff;
/** The high 4 bits of an entry are the low 4 of the hash. They keep 15 of 16 false probes from reading a state. */
export const TAG_SHIFT = 28;

const FIRST_BITS = 12;
/** Slots after the last home, so that probing never turns back to the start. Chance makes no run of this length. */
const SLACK = 1 << 16;
/** The table doubles when so many of its slots are used: beyond, misses probe long. */
const FULLEST = 0.7;
/** Slots moved per state that may come: those that still wait are then at most 0.7 + 1/8 full. */
const MOVES_PER_STATE = 8;
/** Fewer slots than these are not worth a slice of their own. */
const LEAST_MOVED = 2048;

/** Writes the hashes of the states that so many table entries stand for. */
export type Rehash = (entries: Uint32Array, count: number, hashes: Int32Array) => void;

/**
 * StateTable maps hashes to indices, by linear probing from the hash's high bits.
 *
 * Doubling is linear hashing run from the top: a home is the first `bits` bits of the hash below `split`, and the
 * first `bits + 1` from there on. Slot s moves to 2s or 2s + 1, upwards into space that is free, so a slice can move
 * while the rest stays in use, and no search ever waits for a whole table. Address space for the largest table is
 * reserved at the start; memory follows as it is written.
 */
export class StateTable {
  readonly slots: Uint32Array;
  bits = FIRST_BITS;
  /** Homes below it have not moved. `2 ** bits` when nothing is moving. */
  split = 1 << FIRST_BITS;
  /** Enough for `maxStates`, so that no more is ever needed. */
  readonly #maxBits: number;
  readonly #rehash: Rehash;
  #entries = new Uint32Array(2 * LEAST_MOVED);
  #hashes = new Int32Array(2 * LEAST_MOVED);

  constructor(maxStates: number, allocate: (length: number) => Uint32Array, rehash: Rehash) {
    this.#maxBits = Math.max(FIRST_BITS, Math.ceil(Math.log2(Math.max(1, maxStates) / FULLEST)));
    this.slots = allocate(2 ** this.#maxBits + SLACK);
    this.#rehash = rehash;
  }

  get moving(): boolean {
    return this.split < 2 ** this.bits;
  }

  /** Bytes of the slots in use, those that a move is filling included. */
  get bytes(): number {
    return 4 * 2 ** (this.moving ? this.bits + 1 : this.bits);
  }

  /** Bytes that {@link makeRoom} would begin to use to hold so many states in all. */
  bytesToAdd(states: number): number {
    return this.#overflows(states) ? 4 * 2 ** this.bits : 0;
  }

  /** Begins a move or goes on with one, so that `added` states can join the `states` that are here. */
  makeRoom(states: number, added: number): void {
    if (this.moving || this.#overflows(states + added)) {
      this.#move(Math.max(LEAST_MOVED, added * MOVES_PER_STATE));
    }
  }

  #overflows(states: number): boolean {
    return !this.moving && this.bits < this.#maxBits && states > FULLEST * 2 ** this.bits;
  }

  /** Moves at least `count` slots below `split`; the run across the lower edge moves as a whole, or its end would be lost. */
  #move(count: number): void {
    const { slots, split } = this;
    let from = split - count;
    while (from > 0 && slots[from - 1] !== 0) from -= 1;
    if (from < LEAST_MOVED) from = 0;
    const taken = this.#take(from);
    this.#rehash(this.#entries, taken, this.#hashes);
    const shift = 31 - this.bits;
    // Written in order before it is read at random: a page that is first read and then written costs two faults.
    slots.fill(0, Math.max(2 * from, split), 2 * split);
    for (let i = 0; i < taken; i += 1) {
      let slot = (this.#hashes[i] as number) >>> shift;
      while (slots[slot] !== 0) slot += 1;
      slots[slot] = this.#entries[i] as number;
    }
    this.split = from;
    if (from > 0) return;
    this.bits += 1;
    this.split = 2 ** this.bits;
  }

  /** Empties the slots from `from` to the end of the run across `split`. All go before any is put back: at the bottom the ranges overlap. */
  #take(from: number): number {
    const { slots, split } = this;
    let taken = 0;
    for (let slot = from; slot < split || slots[slot] !== 0; slot += 1) {
      const entry = slots[slot] as number;
      if (entry === 0) continue;
      if (taken === this.#entries.length) this.#widen();
      this.#entries[taken] = entry;
      slots[slot] = 0;
      taken += 1;
    }
    return taken;
  }

  #widen(): void {
    const entries = new Uint32Array(this.#entries.length * 2);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#hashes = new Int32Array(entries.length);
  }
}
