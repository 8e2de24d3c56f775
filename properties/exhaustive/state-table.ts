// Decides how indices of states are found by hash: an open-addressed table in segments that double one at a time.

/** The low 28 bits of an entry: a state's index plus one. Zero is a free entry. */
export const INDEX_MASK = 0x0fff_ffff;
/** The high 4 bits of an entry are the low 4 of the hash. They keep 15 of 16 false probes from reading a state. */
export const TAG_SHIFT = 28;

/** The hash's 8 high bits name the segment: growth stops the search for a 256th of the table at most. */
export const SEGMENT_SHIFT = 24;
export const SEGMENT_COUNT = 256;
const FIRST_SEGMENT_SLOTS = 32;

export interface StateTable {
  readonly segments: Uint32Array[];
  /** Entries in use, by segment. */
  readonly used: Int32Array;
}

export function createTable(allocate: (length: number) => Uint32Array): StateTable {
  const segments: Uint32Array[] = [];
  const whole = allocate(SEGMENT_COUNT * FIRST_SEGMENT_SLOTS);
  for (let segment = 0; segment < SEGMENT_COUNT; segment += 1) {
    const from = segment * FIRST_SEGMENT_SLOTS;
    segments.push(whole.subarray(from, from + FIRST_SEGMENT_SLOTS));
  }
  return { segments, used: new Int32Array(SEGMENT_COUNT) };
}

export function tableBytes(table: StateTable): number {
  return table.segments.reduce((sum, segment) => sum + segment.byteLength, 0);
}

/** Where a hash's probing begins in a segment of so many slots: the bits right below those of the segment. */
export function slotOf(hash: number, slots: number): number {
  return (hash << (32 - SEGMENT_SHIFT)) >>> (Math.clz32(slots) + 1);
}

/** Puts the entries of `segment`, whose hashes `rehash` writes in the order of the entries it is given, into `grown`. */
export function moveEntries(
  segment: Uint32Array,
  grown: Uint32Array,
  rehash: (entries: Uint32Array, count: number, hashes: Int32Array) => void,
): void {
  const entries = new Uint32Array(MOVED_AT_ONCE);
  const hashes = new Int32Array(MOVED_AT_ONCE);
  let count = 0;
  for (let slot = 0; slot < segment.length; slot += 1) {
    const entry = segment[slot] as number;
    if (entry === 0) continue;
    entries[count] = entry;
    count += 1;
    if (count === MOVED_AT_ONCE) {
      rehash(entries, count, hashes);
      place(entries, hashes, count, grown);
      count = 0;
    }
  }
  rehash(entries, count, hashes);
  place(entries, hashes, count, grown);
}

const MOVED_AT_ONCE = 512;

function place(
  entries: Uint32Array,
  hashes: Int32Array,
  count: number,
  segment: Uint32Array,
): void {
  const mask = segment.length - 1;
  for (let i = 0; i < count; i += 1) {
    let slot = slotOf(hashes[i] as number, segment.length);
    while (segment[slot] !== 0) slot = (slot + 1) & mask;
    segment[slot] = entries[i] as number;
  }
}
