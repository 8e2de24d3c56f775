import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepestNesting, JsonNumber, readJson, type JsonValue } from "./strict-json.ts";

/** What `JSON.parse` would have made of it. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.literal);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(plain);
  if (value instanceof Map) {
    const fields = [...(value as ReadonlyMap<string, JsonValue>)];
    return Object.fromEntries(fields.map(([name, each]) => [name, plain(each)]));
  }
  return value;
}

function isMalformed(text: string): boolean {
  return readJson(text).outcome === "malformed";
}

describe("the JSON reader", () => {
  it("reads what JSON.stringify writes, as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom("", " ", "\n\t"), (text, space) => {
        const reading = readJson(`${space}${text}${space}`);
        expect(reading.outcome === "value" && plain(reading.value)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses what JSON.parse refuses, on any text", () => {
    const pieces = ["{", "}", "[", "]", '"', "\\", ":", ",", "0", "1", "-", ".", "e", "true", " "];
    const texts = fc.array(fc.constantFrom(...pieces, "\u0000", "\ud800", "null"), {
      maxLength: 12,
    });
    const accepted = (parts: readonly string[]) => !isMalformed(parts.join(""));
    const parses = (parts: readonly string[]) => {
      try {
        JSON.parse(parts.join(""));
        return true;
      } catch {
        return false;
      }
    };
    const property = fc.property(texts, (parts) => parses(parts) || !accepted(parts));
    expect(fc.check(property, { numRuns: 2_000 }).counterexample).toBe(null);
  });

  it("refuses a field that stands twice, also when it is spelled differently", () => {
    expect(isMalformed('{"a":1,"a":1}')).toBe(true);
    expect(isMalformed('{"a":1,"\\u0061":1}')).toBe(true);
    expect(isMalformed('{"a":{"b":1},"c":{"b":1}}')).toBe(false);
  });

  it("keeps a field named __proto__ as a field", () => {
    const reading = readJson('{"__proto__":{"quantity":1}}');
    expect(reading.outcome === "value" && reading.value instanceof Map && reading.value.size).toBe(
      1,
    );
  });

  it("refuses nesting beyond its bound without running out of stack", () => {
    expect(isMalformed("[".repeat(deepestNesting) + "]".repeat(deepestNesting))).toBe(false);
    expect(isMalformed("[".repeat(1 << 20))).toBe(true);
    expect(isMalformed('{"a":'.repeat(1 << 18))).toBe(true);
  });

  it("keeps numbers as they were written", () => {
    for (const literal of ["1e309", "-0", "0.10", "0.30000000000000004", "1E-400"]) {
      expect(readJson(literal)).toEqual({ outcome: "value", value: new JsonNumber(literal) });
    }
  });

  it("reads a string of 64 KiB", () => {
    const text = JSON.stringify("\\".repeat(32_000));
    expect(readJson(text)).toEqual({ outcome: "value", value: "\\".repeat(32_000) });
  });
});
