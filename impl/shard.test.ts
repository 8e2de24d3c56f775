// Judges that keys are spread over the shards by the published hash, the same key always alike.
import { describe, expect, test } from "vitest";
import { fnv1a, shardCount, shardName, storeFor } from "./shard.ts";

describe("a shard", () => {
  test.each([
    ["", 0x811c9dc5],
    ["a", 0xe40c292c],
    ["foobar", 0xbf9cf968],
  ])("hashes %j to the published vector", (text, hash) => {
    expect(fnv1a(text)).toBe(hash);
  });

  test("hashes the bytes of UTF-8, not code units", () => {
    const times = (hash: number, byte: number) => Math.imul(hash ^ byte, 0x01000193) >>> 0;
    expect(fnv1a("\u00e9")).toBe(times(times(0x811c9dc5, 0xc3), 0xa9));
  });

  test("is one of 16, and every one of them is used", () => {
    const names = new Set(Array.from({ length: 1_000 }, (_, index) => shardName(`key ${index}`)));
    expect(names.size).toBe(shardCount);
    expect([...names].every((name) => /^shard-([0-9]|1[0-5])$/.test(name))).toBe(true);
  });

  test("takes lone surrogates for U+FFFD: they share a shard", () => {
    expect(shardName("\ud800")).toBe(shardName("\ufffd"));
  });

  test("is found by its name, so that one key is always served by one object", () => {
    const names: string[] = [];
    const namespace = { getByName: (name: string) => names.push(name) };
    storeFor(namespace as never, "key");
    storeFor(namespace as never, "key");
    expect(names).toEqual([shardName("key"), shardName("key")]);
  });
});
