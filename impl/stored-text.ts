// How any sequence of UTF-16 code units becomes well-formed text for SQLite, one to one.

/**
 * Stored text is the JSON string literal of `units`. SQLite keeps text as UTF-8, which has no lone
 * surrogates, and cuts or compares oddly at NUL: JSON escapes both, and different sequences give
 * different literals. A code unit takes 6 bytes at most, and the two quotes come on top.
 */
export function toStoredText(units: string): string {
  return JSON.stringify(units);
}

/** The sequence of code units that `toStoredText` was given. */
export function fromStoredText(text: string): string {
  return JSON.parse(text) as string;
}

/** How many bytes of UTF-8 the stored text of `units` takes. */
export function storedBytes(units: string): number {
  return new TextEncoder().encode(toStoredText(units)).byteLength;
}
