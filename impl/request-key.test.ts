import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hardened, published } from "../model/policy.ts";
import type { Trade } from "./payload-schema.ts";
import { clientKeyOf, longestClientKey, requestKeyOf } from "./request-key.ts";

const trade: Trade = { exchange: "sim", symbol: "X", action: "buy", quantity: "1", price: null };
const scope = { tenant: "acme", mode: "live" } as const;

const header = (value: string) => {
  const found = clientKeyOf(hardened, value, undefined);
  return found.outcome === "client-key" ? found.clientKey : found.outcome;
};

describe("the client's key", () => {
  it("is the same bare and as a string of RFC 8941", () => {
    expect(header('"8e03978e-40d5"')).toBe("8e03978e-40d5");
    expect(header("8e03978e-40d5")).toBe("8e03978e-40d5");
    expect(header('"a \\"b\\" \\\\ c"')).toBe('a "b" \\ c');
  });

  it("refuses the request where it is empty, over-long, repeated or ill-formed", () => {
    const refused = [
      ...['""', "", "a, b", '"a", "b"', '"a";p=1', '"a', 'a"', "a b", '"\\x"', '"é"', "é"],
      ...["a;b", "a\\b", '"a"b', "x".repeat(longestClientKey + 1)],
    ];
    for (const value of refused) expect([value, header(value)]).toEqual([value, "refused"]);
    expect(header("x".repeat(longestClientKey))).toBe("x".repeat(longestClientKey));
  });

  it("may lie in the payload, but not beside another one in the header", () => {
    expect(clientKeyOf(hardened, null, "a")).toEqual({ outcome: "client-key", clientKey: "a" });
    expect(clientKeyOf(hardened, '"a"', "a")).toEqual({ outcome: "client-key", clientKey: "a" });
    for (const [first, second] of [
      ["b", "a"],
      ["a", ""],
      ["a", "x".repeat(257)],
      [null, null],
      [null, "a\u0000"],
      [null, "a\r\n"],
      [null, "\ud800"],
    ] as const) {
      expect(clientKeyOf(hardened, first, second).outcome).toBe("refused");
    }
  });

  it("is silently replaced where it is not valid, as published", () => {
    expect(clientKeyOf(published, "x".repeat(257), undefined).outcome).toBe("no-key");
    expect(clientKeyOf(published, "", "").outcome).toBe("no-key");
    expect(clientKeyOf(published, "h", "b")).toEqual({ outcome: "client-key", clientKey: "b" });
    expect(clientKeyOf(published, "h", "")).toEqual({ outcome: "client-key", clientKey: "h" });
  });
});

describe("the key of a request", () => {
  const keyOf = (tenant: string, mode: "live" | "test", clientKey: string | null, print: string) =>
    requestKeyOf(hardened, { tenant, mode }, clientKey, trade, print, 0).key;

  it("is never shared by two different tuples", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", '"', "\\", ",", ":", "[", "]"),
      maxLength: 4,
    });
    const tuple = fc.tuple(text, fc.constantFrom("live", "test"), fc.option(text), text);
    fc.assert(
      fc.property(tuple, tuple, (one, other) => {
        const relevant = ([tenant, mode, key, print]: typeof one) =>
          JSON.stringify([tenant, mode, key, key === null ? print : null]);
        expect(keyOf(...one) === keyOf(...other)).toBe(relevant(one) === relevant(other));
      }),
    );
  });

  it("is the same at any time, and blocks for the window where the client chose none", () => {
    const keys = [0, 59_999, 60_000, 4e12].map((now) =>
      requestKeyOf(hardened, scope, null, trade, "f", now),
    );
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    expect(keys[0]?.kind).toBe("window");
  });

  it("changes with the minute, as published", () => {
    const keyAt = (now: number) => requestKeyOf(published, scope, null, trade, "f", now).key;
    expect(keyAt(59_999)).toBe("trade:sim:X:buy:1:live:0");
    expect(keyAt(60_000)).toBe("trade:sim:X:buy:1:live:1");
  });

  it("never crosses from live to test, in either policy", () => {
    for (const policy of [hardened, published]) {
      const [live, test] = (["live", "test"] as const).map(
        (mode) => requestKeyOf(policy, { tenant: "t", mode }, "k", trade, "f", 0).key,
      );
      expect(live).not.toBe(test);
    }
  });
});
