// Decides where a packed state belongs: one 32-bit hash per state, whose every bit depends on every word.

/**
 * Writes the hash of each of the `count` states that lie one after another in `states` into `hashes`.
 *
 * Multiply and xor, in the manner of MurmurHash3's finaliser. The table takes its segment and slot from the high
 * bits and its tag from the low ones, so both ends must be good. Loops are unrolled for up to four words: these are
 * the widths that models have, and the loop over words costs as much again as the multiplication.
 */
export function hashStates(
  states: Uint32Array,
  count: number,
  words: number,
  hashes: Int32Array,
): void {
  switch (words) {
    case 1:
      for (let i = 0; i < count; i += 1) hashes[i] = finish(Math.imul(states[i] as number, A));
      return;
    case 2:
      for (let i = 0, at = 0; i < count; i += 1, at += 2) {
        hashes[i] = finish(
          Math.imul(states[at] as number, A) ^ spread(states[at + 1] as number, B),
        );
      }
      return;
    case 3:
      for (let i = 0, at = 0; i < count; i += 1, at += 3) {
        const low = Math.imul(states[at] as number, A) ^ spread(states[at + 1] as number, B);
        hashes[i] = finish(low ^ spread(states[at + 2] as number, C));
      }
      return;
    case 4:
      for (let i = 0, at = 0; i < count; i += 1, at += 4) {
        const low = Math.imul(states[at] as number, A) ^ spread(states[at + 1] as number, B);
        const high = spread(states[at + 2] as number, C) ^ spread(states[at + 3] as number, D);
        hashes[i] = finish(low + Math.imul(high, A));
      }
      return;
    default:
      for (let i = 0; i < count; i += 1) hashes[i] = hashWide(states, i * words, words);
  }
}

function hashWide(states: Uint32Array, at: number, words: number): number {
  let hash = words;
  for (let word = 0; word < words; word += 1) {
    hash = Math.imul(spread(hash, A) ^ (states[at + word] as number), B);
  }
  return finish(hash);
}

const A = 0x9e3779b1;
const B = 0x85ebca6b;
const C = 0xc2b2ae35;
const D = 0x27d4eb2f;

/** Without the shift a difference in a word's high bits would reach only the high bits of the product. */
function spread(word: number, factor: number): number {
  const product = Math.imul(word, factor);
  return product ^ (product >>> 15);
}

function finish(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), B);
  const twice = Math.imul(once ^ (once >>> 13), C);
  return twice ^ (twice >>> 16);
}
