// Which amounts are one: the canonical text of a positive decimal, found without floats.

export type DecimalReading =
  | { readonly outcome: "decimal"; readonly text: string }
  | { readonly outcome: "refused"; readonly detail: string };

/** Most digits before the point of a canonical decimal, and most after it. */
const decimalDigits = { whole: 20, fraction: 18 } as const;

/**
 * Reads a decimal in JSON's grammar for numbers, as a number or inside a string: `1`, `1.0`, `1e0`
 * and `10E-1` are all `1`. Refused: `01`, `+1`, `.5`, `1.`, spaces, zero and negatives (`-0` too),
 * and what needs more digits than `decimalDigits` (`1e309`). Nothing is rounded.
 */
export function readDecimal(literal: string): DecimalReading {
  const parts = grammar.exec(literal);
  if (parts === null) return refused("is no decimal number as JSON writes one");
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  if (digits === "" || sign === "-") return refused("must be greater than zero");
  const significant = digits.replace(/0+$/, "");
  // Infinity for an absurd exponent; every comparison below then refuses.
  const shift = Number(exponent) - fraction.length + digits.length - significant.length;
  const wholeDigits = significant.length + shift;
  if (wholeDigits > decimalDigits.whole || -shift > decimalDigits.fraction) {
    return refused(
      `needs more than ${decimalDigits.whole} digits before the point or ${decimalDigits.fraction} after it`,
    );
  }
  return { outcome: "decimal", text: place(significant, shift) };
}

const grammar = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Writes `digits × 10^shift` plainly. */
function place(digits: string, shift: number): string {
  if (shift >= 0) return digits + "0".repeat(shift);
  const padded = digits.padStart(1 - shift, "0");
  return `${padded.slice(0, shift)}.${padded.slice(shift)}`;
}

function refused(detail: string): DecimalReading {
  return { outcome: "refused", detail };
}
