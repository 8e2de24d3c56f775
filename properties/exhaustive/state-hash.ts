// Decides where a packed state belongs: one 32-bit hash per state, whose every bit depends on every word.
import type { Batch } from "./batch.ts";
import { eachWord, functionOf, perWidth, unrolled, wordsAt } from "./state-loops.ts";

const A = 0x9e3779b1;
const B = 0x85ebca6b;
const C = 0xc2b2ae35;
const D = 0x27d4eb2f;

type HashStates = (states: Uint32Array, count: number, hashes: Int32Array) => void;

const hashing = perWidth((words) =>
  functionOf<HashStates>(
    ["states", "count", "hashes"],
    `let t = 0; ${unrolled(
      "count",
      4,
      (at, own) => `
        const from${own} = Math.imul(${at}, ${words});
        const hash${own} = ${hashText(words, wordsAt("states", `from${own}`))};`,
      (at, own) => `hashes[${at}] = hash${own};`,
    )}`,
  ),
);

/** Writes the hash of each of the `count` states that lie one after another in `states` into `hashes`. */
export function hashStates(
  states: Uint32Array,
  count: number,
  words: number,
  hashes: Int32Array,
): void {
  hashing(words)(states, count, hashes);
}

export function hashBatch({ states, count, words, hashes }: Batch): void {
  hashStates(states, count, words, hashes);
}

/**
 * An expression for the hash of a state whose words have these texts; it uses a variable `t`.
 *
 * Multiply and xor, in the manner of MurmurHash3's finaliser. The table takes its slot from the high bits and its tag
 * from the low ones, so both ends must be good.
 */
export function hashText(words: number, word: (word: number) => string): string {
  switch (words) {
    case 1:
      return finish(multiply(word(0), A));
    case 2:
      return finish(`${multiply(word(0), A)} ^ ${spread(word(1), B)}`);
    case 3:
      return finish(`${multiply(word(0), A)} ^ ${spread(word(1), B)} ^ ${spread(word(2), C)}`);
    case 4: {
      const high = `${spread(word(2), C)} ^ ${spread(word(3), D)}`;
      return finish(`(${multiply(word(0), A)} ^ ${spread(word(1), B)}) + ${multiply(high, A)}`);
    }
    default: {
      const steps = eachWord(
        words,
        (each) => `t = ${multiply(`${spread("t", A)} ^ ${word(each)}`, B)}`,
        ", ",
      );
      return finish(`(t = ${words}, ${steps})`);
    }
  }
}

function multiply(text: string, factor: number): string {
  return `Math.imul(${text}, ${factor})`;
}

/** Without the shift a difference in a word's high bits would reach only the high bits of the product. */
function spread(text: string, factor: number): string {
  return `(t = ${multiply(text, factor)}, t ^ (t >>> 15))`;
}

function finish(text: string): string {
  const once = `t = ${text}, t = ${multiply("t ^ (t >>> 16)", B)}`;
  return `(${once}, t = ${multiply("t ^ (t >>> 13)", C)}, t ^ (t >>> 16))`;
}
