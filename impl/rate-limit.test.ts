import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideFixed, decideSliding, isLegalLimit, type RateLimit } from "./rate-limit.ts";

const limit: RateLimit = { algorithm: "sliding-log", requests: 3, windowMs: 100 };

/** Admissions of the sliding log, decided one after another. */
function admitted(moments: readonly number[]): readonly number[] {
  const log: number[] = [];
  for (const now of moments) {
    const decisive = log.at(-limit.requests) ?? null;
    if (decideSliding(limit, decisive, now).outcome === "admitted") log.push(now);
  }
  return log;
}

describe("the sliding log", () => {
  it("admits no more than the limit in any window of the length", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { maxLength: 40 }), (gaps) => {
        let now = 0;
        const log = admitted(gaps.map((gap) => (now += gap)));
        for (const start of log) {
          const inWindow = log.filter((at) => at >= start && at < start + limit.windowMs);
          expect(inWindow.length).toBeLessThanOrEqual(limit.requests);
        }
      }),
    );
  });

  it("says when the next request is admitted, to the millisecond", () => {
    expect(decideSliding(limit, 50, 149)).toEqual({ outcome: "limited", retryAfterMs: 1 });
    expect(decideSliding(limit, 50, 150)).toEqual({ outcome: "admitted" });
  });
});

describe("the fixed window", () => {
  it("lets twice the limit through around its end, which the sliding log does not", () => {
    const window = { startedAtMs: 0, admitted: 2 };
    expect(decideFixed(limit, window, 99).outcome).toBe("admitted");
    expect(decideFixed(limit, { ...window, admitted: 3 }, 99)).toEqual({
      outcome: "limited",
      retryAfterMs: 1,
    });
    expect(decideFixed(limit, { ...window, admitted: 3 }, 100).outcome).toBe("admitted");
    expect(admitted([0, 99, 99, 100, 100, 100])).toEqual([0, 99, 99, 100]);
  });
});

describe("a limit", () => {
  it("is legal only with whole positive numbers and a known algorithm", () => {
    expect(isLegalLimit(limit)).toBe(true);
    const illegal = [
      null,
      {},
      { ...limit, algorithm: "none" },
      { ...limit, requests: 0 },
      { ...limit, requests: 1.5 },
      { ...limit, windowMs: Infinity },
      { ...limit, requests: "10" },
    ];
    for (const each of illegal) expect(isLegalLimit(each)).toBe(false);
  });
});
