// Writes the loops that run for every edge as JavaScript for states of so many words.
//
// Each access of an array costs V8 a check of the array, its bounds and its address, once for each turn of a loop.
// Where a turn takes several states these are shared, and the processor, whose window holds about three hundred
// instructions, waits for three times as many cache lines at once. Nobody would write such loops by hand, let alone
// for every width.

/**
 * A part of what a loop does for the i-th of its items. `at` is the text of i; names that the part declares end in
 * `own`. It sees what stands around the loop and what earlier parts declared for the same item.
 */
export type Part = (at: string, own: string) => string;

/**
 * Does the parts for i from 0 up to `count`, several items at a time: one part for all of them, then the next. What
 * only reads belongs into parts before those that write, or V8 checks again.
 */
export function unrolled(count: string, times: number, ...parts: readonly Part[]): string {
  const several = parts.flatMap((part) =>
    Array.from({ length: times }, (_, k) => part(k === 0 ? "i" : `(i + ${k} | 0)`, `_${k}`)),
  );
  const one = parts.map((part) => part("i", "_"));
  return `{
    let i = 0;
    for (const end = (${count} - ${times - 1}) | 0; i < end; i = (i + ${times}) | 0) {
      ${several.join("\n")}
    }
    for (; i < ${count}; i = (i + 1) | 0) {
      ${one.join("\n")}
    }
  }`;
}

/** The words of a state or entry that begins at `from` in the array: `word(0)` is the text that reads the first. */
export function wordsAt(array: string, from: string): (word: number) => string {
  return (word) => `(${array}[${word === 0 ? from : `(${from} + ${word} | 0)`}] | 0)`;
}

/** Declares the words of the state at this place of a batch: w0, w1 and so on, of its own. */
export function readState(words: number, place: string, own: string): string {
  const word = wordsAt("states", `from${own}`);
  return `
    const from${own} = Math.imul(${place}, ${words});
    ${eachWord(words, (each) => `const w${each}${own} = ${word(each)};`)}`;
}

/** Zero if the elements from there on are the words that {@link readState} declared. */
export function differsFrom(words: number, array: string, from: string, own: string): string {
  const word = wordsAt(array, from);
  return eachWord(words, (each) => `(${word(each)} ^ w${each}${own})`, " | ");
}

/** Texts for every word, joined. */
export function eachWord(words: number, text: (word: number) => string, separator = "\n"): string {
  return Array.from({ length: words }, (_, word) => text(word)).join(separator);
}

/** 1 if the text is not zero, without a branch. */
export function isNonZero(text: string): string {
  return `((${text} | -${text}) >>> 31)`;
}

/** 1 if the text is zero, without a branch. */
export function isZero(text: string): string {
  return `(~(${text} | -${text}) >>> 31)`;
}

/**
 * The function of this text. It is built from numbers alone; `new Function` is the only way to have it as fast for
 * every width.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only who writes the text knows its type
export function functionOf<F>(parameters: readonly string[], body: string): F {
  // oxlint-disable-next-line typescript/no-implied-eval -- see above
  return new Function(...parameters, body) as F;
}

/** One function for each number of words, written when it is first asked for. */
export function perWidth<F>(write: (words: number) => F): (words: number) => F {
  const written = new Map<number, F>();
  return (words) => {
    const known = written.get(words) ?? write(words);
    written.set(words, known);
    return known;
  };
}
