import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDecimal } from "./decimal.ts";

const textOf = (literal: string) => {
  const reading = readDecimal(literal);
  return reading.outcome === "decimal" ? reading.text : null;
};

describe("a decimal", () => {
  it("is one in every spelling", () => {
    for (const literal of ["1", "1.0", "1e0", "1E+0", "10e-1", "0.1e1", "100.00e-2", "1e00"]) {
      expect(textOf(literal)).toBe("1");
    }
    expect(textOf("0.10")).toBe("0.1");
    expect(textOf("12.5e3")).toBe("12500");
    expect(textOf("1e-18")).toBe("0.000000000000000001");
    expect(textOf("10000000000000000000")).toBe("10000000000000000000");
  });

  it("is not rounded", () => {
    expect(textOf("0.30000000000000004")).not.toBe(textOf("0.3"));
    expect(textOf("9007199254740993")).toBe("9007199254740993");
  });

  it("is refused where it is zero, negative, out of bounds or spelled outside the grammar", () => {
    const refused = [
      ..."0 -0 0.0 0e5 -1 1e309 1e-309 1e20 1e-19 1e99999999999999999999 01 +1 .5 1. 1e".split(" "),
      ...["", " 1", "1 ", "1,5", "1_000", "0x1", "Infinity", "NaN", "١", "1\n"],
    ];
    for (const literal of refused) expect([literal, textOf(literal)]).toEqual([literal, null]);
  });

  it("keeps its value: exact comparison by whole numbers of 10^-18", () => {
    const units = (text: string) => {
      const [whole = "0", fraction = ""] = text.split(".");
      return BigInt(whole + fraction.padEnd(18, "0"));
    };
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 15n), fc.integer({ min: -18, max: 4 }), (digits, shift) => {
        const text = textOf(`${digits}e${shift}`);
        if (text === null) return;
        expect(units(text)).toBe(digits * 10n ** BigInt(18 + shift));
        expect(textOf(text)).toBe(text);
      }),
    );
  });
});
