import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AdmissionReply,
  decideFixed,
  decideSliding,
  isLegalLimit,
  type RateLimit,
} from "./rate-limit.ts";

const limit: RateLimit = { algorithm: "sliding-log", requests: 3, windowMs: 100 };

interface Ask {
  readonly now: number;
  readonly reply: AdmissionReply;
}

/** The sliding log asked at these moments, one after another. */
function slidingAt(moments: readonly number[], { requests, windowMs }: Bound = limit) {
  const log: number[] = [];
  return moments.map((now): Ask => {
    const decisive = log.at(-requests) ?? null;
    const reply = decideSliding({ algorithm: "sliding-log", requests, windowMs }, decisive, now);
    if (reply.outcome === "admitted") log.push(now);
    return { now, reply };
  });
}

/** The published window asked at these moments: it starts at the first request after its end. */
function fixedAt(moments: readonly number[], { requests, windowMs }: Bound) {
  let window: { startedAtMs: number; admitted: number } | null = null;
  return moments.map((now): Ask => {
    const reply = decideFixed({ algorithm: "fixed-window", requests, windowMs }, window, now);
    if (reply.outcome === "admitted") {
      if (window === null || window.startedAtMs + windowMs <= now) {
        window = { startedAtMs: now, admitted: 0 };
      }
      window.admitted += 1;
    }
    return { now, reply };
  });
}

type Bound = Pick<RateLimit, "requests" | "windowMs">;

function admittedIn(asks: readonly Ask[]): readonly number[] {
  return asks.flatMap(({ now, reply }) => (reply.outcome === "admitted" ? [now] : []));
}

/** The most admissions in any window of the length; one that starts at an admission has the most. */
function mostInAWindow(asks: readonly Ask[], windowMs: number): number {
  const admitted = admittedIn(asks);
  const inWindow = admitted.map(
    (start) => admitted.filter((at) => at >= start && at < start + windowMs).length,
  );
  return Math.max(0, ...inWindow);
}

/** Requests with the time since the one before, mostly on the window's edges. */
const plans = fc
  .record({ requests: fc.integer({ min: 1, max: 4 }), windowMs: fc.constantFrom(100, 2, 1) })
  .chain(({ requests, windowMs }) =>
    fc.record({
      requests: fc.constant(requests),
      windowMs: fc.constant(windowMs),
      gaps: fc.array(
        fc.oneof(
          fc.constantFrom(0, 0, 1, windowMs - 1, windowMs, windowMs + 1, windowMs >> 1),
          fc.nat({ max: windowMs }),
        ),
        { maxLength: 30 },
      ),
    }),
  );

function momentsOf(gaps: readonly number[]): readonly number[] {
  let now = 0;
  return gaps.map((gap) => (now += gap));
}

describe("the sliding log", () => {
  it("admits no more than the limit in any window of the length, and all that this allows", () => {
    let atTheLimit = 0;
    fc.assert(
      fc.property(plans, ({ gaps, ...bound }) => {
        const asks = slidingAt(momentsOf(gaps), bound);
        const most = mostInAWindow(asks, bound.windowMs);
        if (most === bound.requests) atTheLimit += 1;
        const isOneTooMany = ({ now }: Ask, place: number): boolean => {
          const before = admittedIn(asks.slice(0, place));
          return before.filter((at) => at > now - bound.windowMs).length >= bound.requests;
        };
        const refused = asks.filter(({ reply }) => reply.outcome === "limited");
        return (
          most <= bound.requests && refused.every((ask) => isOneTooMany(ask, asks.indexOf(ask)))
        );
      }),
    );
    expect(atTheLimit).toBeGreaterThan(0);
  });

  it("says when the next request is admitted, to the millisecond", () => {
    expect(decideSliding(limit, 50, 149)).toEqual({ outcome: "limited", retryAfterMs: 1 });
    expect(decideSliding(limit, 50, 150)).toEqual({ outcome: "admitted" });
    fc.assert(
      fc.property(plans, ({ gaps, ...bound }) => {
        const moments = momentsOf(gaps);
        const last = slidingAt(moments, bound).at(-1);
        fc.pre(last?.reply.outcome === "limited");
        const after = (ms: number) =>
          slidingAt([...moments, last.now + ms], bound).at(-1)?.reply.outcome;
        const { retryAfterMs } = last.reply;
        return after(retryAfterMs) === "admitted" && after(retryAfterMs - 1) === "limited";
      }),
    );
  });
});

describe("the fixed window", () => {
  it("admits no more than the limit in any window that starts at its first request", () => {
    const { requests, windowMs } = limit;
    const asks = fixedAt([0, 99, 99, 99, 100, 100, 100, 100], limit);
    expect(admittedIn(asks)).toEqual([0, 99, 99, 100, 100, 100]);
    expect(asks[3]?.reply).toEqual({ outcome: "limited", retryAfterMs: 1 });
    expect(mostInAWindow(asks, windowMs)).toBe(2 * requests - 1);
  });

  const breaks = (moments: readonly number[], bound: Bound): boolean =>
    mostInAWindow(fixedAt(moments, bound), bound.windowMs) > bound.requests;

  it("is refuted by random plans, whatever the seed", () => {
    const property = fc.property(plans, ({ gaps, ...bound }) => !breaks(momentsOf(gaps), bound));
    expect(fc.check(property, { numRuns: 1_000 }).failed).toBe(true);
  });

  it("is refuted by nothing smaller than four requests around the end of a window of two", () => {
    const windowMs = 4;
    const smallest = (requests: number, longest: number) =>
      Array.from({ length: longest }, (_, shorter) => every(shorter + 1, windowMs + 1))
        .flatMap((lists) => lists.map(momentsOf))
        .find((moments) => breaks(moments, { requests, windowMs }));
    expect(smallest(1, 5)).toBeUndefined();
    expect(smallest(2, 4)).toEqual([0, 1, 4, 4]);
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

/** Every list of `length` numbers from 0 to `most`. */
function every(length: number, most: number): readonly (readonly number[])[] {
  if (length === 0) return [[]];
  const shorter = every(length - 1, most);
  return Array.from({ length: most + 1 }, (_, first) => first).flatMap((first) =>
    shorter.map((rest) => [first, ...rest]),
  );
}
