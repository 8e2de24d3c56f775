// Judges that stored text keeps every sequence of code units apart and whole.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromStoredText, storedBytes, toStoredText } from "./stored-text.ts";

const codeUnits = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

describe("stored text", () => {
  test("gives back every sequence of code units", () => {
    fc.assert(
      fc.property(codeUnits, (units) => {
        expect(fromStoredText(toStoredText(units))).toBe(units);
      }),
    );
  });

  test("survives UTF-8, which has no lone surrogates, and holds no NUL", () => {
    fc.assert(
      fc.property(codeUnits, (units) => {
        const text = toStoredText(units);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain("\u0000");
        expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(text);
      }),
    );
  });

  test("tells lone surrogates from each other, from their replacement and from their escape", () => {
    const alike = ["\ud800", "\udfff", "\ufffd", "\\ud800", "\u0000", "\\u0000", "", '"'];
    expect(new Set(alike.map(toStoredText)).size).toBe(alike.length);
  });

  test("takes at most 6 bytes a code unit and 2 for the quotes", () => {
    expect(storedBytes("\ud800".repeat(100))).toBe(602);
    fc.assert(
      fc.property(codeUnits, (units) => {
        expect(storedBytes(units)).toBeLessThanOrEqual(6 * units.length + 2);
      }),
    );
  });
});
