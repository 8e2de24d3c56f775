// Strings that look or sort alike, or that a store tends to treat as something else than text.

/** Groups of five different strings; each group is one way to confuse a store. */
export const oddStrings: readonly (readonly string[])[] = [
  // Prefixes of each other.
  ["k", "kk", "kkk", "kkkk", "kkkkk"],
  // Case.
  ["key", "Key", "KEY", "kEY", "keY"],
  // Spaces, and what looks empty.
  [" ", "  ", "\t", "\u200b", "\u00a0"],
  // Unicode normal forms of one letter, and a look-alike.
  ["\u00e9", "e\u0301", "\u0065", "\u0435", "\u0451"],
  // Delimiters that a composed key may use.
  ["a:b", "a", "a:", ":b", "a::b"],
  // Names that an object of the language has already.
  ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"],
  // Lone surrogates and the character that replaces them.
  ["\ud800", "\udfff", "\ufffd", "\ud801", "\ud800\ud800"],
  // NUL ends a string in C.
  ["a\u0000", "a\u0000b", "\u0000", "\u0000a", "a\u0000\u0000"],
  // Numbers to some.
  ["1", "01", "1.0", "1e0", "+1"],
  // Quotes, wildcards and escapes of query languages.
  ["'", '"', "%", "_", "\\"],
  // Long, and different only at the end: past what fits a column, or an index.
  endings("long".repeat(60)),
  endings("long".repeat(64)),
  endings("long".repeat(256)),
];

/** Nearly as long as a key may be, and different only past 60,000 units. */
export const longestStrings: readonly string[] = endings("long".repeat(15_000));

/** Responses of some KiB, different only at the end. */
export const longResponses: readonly string[] = endings("a body. ".repeat(800));

function endings(start: string): readonly string[] {
  return ["", "a", "b", "c", "d"].map((end) => `${start}${end}`);
}
