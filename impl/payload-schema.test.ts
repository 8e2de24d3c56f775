import { describe, expect, it } from "vitest";
import { canonicalText, readTrade } from "./payload-schema.ts";
import { readJson } from "./strict-json.ts";

function read(text: string) {
  const json = readJson(text);
  if (json.outcome === "malformed") throw new Error(json.detail);
  return readTrade(json.value);
}

function canonical(fields: string): string | null {
  const reading = read(`{"exchange":"sim","symbol":"BTC/USDT","action":"buy",${fields}}`);
  return reading.outcome === "trade" ? canonicalText(reading.trade) : null;
}

describe("a payload", () => {
  it("is the same trade in every spelling that means the same", () => {
    const one = read('{"exchange":"SIM","symbol":"btc/usdt","action":"BUY","quantity":"1.0"}');
    const other = read(
      '{"quantity":1e0,"action":"buy","symbol":"BTC/USDT","exchange":"sim","price":null}',
    );
    expect(one).toEqual(other);
    expect(one.outcome).toBe("trade");
  });

  it("is another trade with another quantity, price or symbol", () => {
    const texts = [
      canonical('"quantity":1'),
      canonical('"quantity":1,"price":1'),
      canonical('"quantity":1,"price":2'),
      canonical('"quantity":1.000000000000000001'),
    ];
    expect(new Set(texts).size).toBe(4);
    expect(texts).not.toContain(null);
  });

  it("does not depend on the client's key", () => {
    expect(canonical('"quantity":1,"idempotencyKey":"a"')).toBe(canonical('"quantity":1'));
  });

  it("is refused with a field that is unknown, missing or of another kind", () => {
    const refused = [
      "[]",
      "null",
      "{}",
      '{"exchange":"sim","symbol":"X","action":"buy"}',
      '{"exchange":"sim","symbol":"X","action":"hold","quantity":1}',
      '{"exchange":"s:m","symbol":"X","action":"buy","quantity":1}',
      '{"exchange":"sim","symbol":"X\\ud800","action":"buy","quantity":1}',
      '{"exchange":"sim","symbol":"X","action":"ſell","quantity":1}',
      '{"exchange":"sim","symbol":"X","action":"buy","quantity":true}',
      '{"exchange":"sim","symbol":"X","action":"buy","quantity":1e309}',
      '{"exchange":"sim","symbol":"X","action":"buy","quantity":-0}',
      '{"exchange":"sim","symbol":"X","action":"buy","quantity":{"literal":"1"}}',
      '{"exchange":"sim","symbol":"X","action":"buy","quantity":1,"note":"x"}',
      '{"exchange":"sim","symbol":"X","action":"buy","quantity":1,"__proto__":{}}',
      '{"exchange":"sim","symbol":"X","action":"buy","quantity":1,"constructor":1}',
    ];
    for (const text of refused) expect([text, read(text).outcome]).toEqual([text, "refused"]);
  });

  it("names the field that is wrong, and not its content", () => {
    const reading = read('{"exchange":"hush hush","symbol":"X","action":"buy","quantity":1}');
    expect(reading).toEqual({
      outcome: "refused",
      detail: "field=exchange must be 1 to 32 of A-Z a-z 0-9 _ -",
    });
  });
});
