// Judges that every field beyond its limit is refused by name, and everything within is let through.
import { describe, expect, test } from "vitest";
import {
  refuseClaim,
  refuseCommit,
  refuseRelease,
  refuseReserve,
  storeLimits,
} from "./store-limits.ts";

const limits = storeLimits.transaction;
const times = { deadlineMs: 50, pendingMs: 100, retentionMs: 100 };
const claim = { key: "k", token: "t", delivery: "d" };
const reserve = { key: "k", token: "t", fingerprint: "f", times };
const commit = { ...reserve, response: "" };
const release = { key: "k", token: "t" };

const notText = [undefined, null, 1, true, 1n, [], ["k"], {}, new Map(), new Date(0), () => "k"];
const notTimes = [
  ...[0, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 53, limits.timeMs + 1],
  ...["1", null, undefined, 1n, [1], {}, new Date(1)],
];

describe("the limits of the store", () => {
  test("let through the smallest and the largest of everything", () => {
    const largest = {
      key: "k".repeat(limits.keyUnits),
      token: "t".repeat(limits.nameUnits),
      fingerprint: "f".repeat(limits.nameUnits),
      delivery: "d".repeat(limits.nameUnits),
      response: "r".repeat(limits.responseUnits),
      times: { deadlineMs: limits.timeMs, pendingMs: limits.timeMs, retentionMs: limits.timeMs },
    };
    const smallestTimes = { deadlineMs: 1, pendingMs: 1, retentionMs: 1 };
    for (const request of [largest, { ...claim, ...commit, times: smallestTimes }]) {
      expect(refuseReserve(request, limits)).toBeNull();
      expect(refuseClaim(request, limits)).toBeNull();
      expect(refuseCommit(request, limits)).toBeNull();
      expect(refuseRelease(request, limits)).toBeNull();
    }
  });

  test.each([undefined, null, 1, "k", true, 1n, () => ({})])("refuse a request that is %s", (not) => {
    for (const refuse of [refuseReserve, refuseClaim, refuseCommit, refuseRelease]) {
      expect(refuse(not, limits)).toMatchObject({ field: "request", limit: "an object" });
    }
  });

  test("refuse a text that is empty or one unit too long, and say how long it was", () => {
    for (const [field, longest] of [
      ["key", limits.keyUnits],
      ["token", limits.nameUnits],
      ["fingerprint", limits.nameUnits],
    ] as const) {
      const limit = `a string of 1 to ${longest} UTF-16 code units`;
      for (const length of [0, longest + 1]) {
        const found = `a string of ${length} UTF-16 code units`;
        expect(refuseReserve({ ...reserve, [field]: "x".repeat(length) }, limits)).toEqual({
          ...{ outcome: "invalid", field, limit, found },
        });
      }
    }
    expect(refuseClaim({ ...claim, delivery: "" }, limits)?.field).toBe("delivery");
    const response = "x".repeat(limits.responseUnits + 1);
    expect(refuseCommit({ ...commit, response }, limits)).toMatchObject({ field: "response" });
  });

  test.each(notText)("refuse %s where a text is due", (value) => {
    for (const field of ["key", "token", "fingerprint", "response"]) {
      expect(refuseCommit({ ...commit, [field]: value }, limits)?.field).toBe(field);
    }
    expect(refuseClaim({ ...claim, delivery: value }, limits)?.field).toBe("delivery");
    expect(refuseRelease({ ...release, token: value }, limits)?.field).toBe("token");
  });

  test.each(notTimes)("refuse the time %s", (value) => {
    for (const field of ["deadlineMs", "pendingMs", "retentionMs"]) {
      const request = { ...reserve, times: { ...times, [field]: value } };
      expect(refuseReserve(request, limits)).toMatchObject({
        field: `times.${field}`,
        limit: `a whole number of milliseconds from 1 to ${limits.timeMs}`,
      });
    }
  });

  test("refuse times that are no object", () => {
    for (const value of [undefined, null, 1, "1"]) {
      expect(refuseReserve({ ...reserve, times: value }, limits)?.field).toBe("times");
    }
  });

  test("refuse a deadline past the pending time, and let through one at its end", () => {
    const late = { ...times, deadlineMs: 101 };
    expect(refuseReserve({ ...reserve, times: late }, limits)).toEqual({
      outcome: "invalid",
      field: "times.deadlineMs",
      limit: "at most times.pendingMs=100",
      found: "the number 101",
    });
    const end = { ...times, deadlineMs: 100 };
    expect(refuseReserve({ ...reserve, times: end }, limits)).toBeNull();
  });

  test("count a key's bytes as stored where the storage does", () => {
    const bytes = storeLimits["block-concurrency"];
    const fits = "k".repeat(1_998);
    expect(refuseRelease({ ...release, key: fits }, bytes)).toBeNull();
    expect(refuseRelease({ ...release, key: `${fits}k` }, bytes)).toEqual({
      outcome: "invalid",
      field: "key",
      limit: "a string of at most 2000 bytes as stored",
      found: "2001 bytes as stored",
    });
    expect(refuseRelease({ ...release, key: "\ud800".repeat(334) }, bytes)?.field).toBe("key");
  });

  test("never repeat what was sent: a token is a secret", () => {
    const token = "secret".repeat(1_000);
    expect(JSON.stringify(refuseRelease({ ...release, token }, limits))).not.toContain("secret");
  });
});
