import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateLimit } from "./rate-limit.ts";
import { RateLimiterStore, reclaimBounds } from "./rate-limiter-store.ts";

const sliding: RateLimit = { algorithm: "sliding-log", requests: 10, windowMs: 60_000 };
const fixed: RateLimit = { ...sliding, algorithm: "fixed-window" };

/** A limiter of its own for each test: storage is shared between tests of a file. */
function limiterNamed(name: string) {
  return env.RATE_LIMITER.getByName(name);
}

/** Runs `body` on the object's storage with a clock that the test sets. */
function onClock(
  name: string,
  body: (limiter: RateLimiterStore, clock: { now: number }) => Promise<void>,
): Promise<void> {
  return runInDurableObject(limiterNamed(name), async (_, state) => {
    const clock = { now: 4e12 };
    await body(new RateLimiterStore(state, {}, () => clock.now), clock);
  });
}

type Rounds = readonly {
  readonly pauseMs: number;
  /** Made at once. */
  readonly calls: number;
  readonly alarmRings: boolean;
}[];

function roundOf(pauseMs: number, calls: number): Rounds[number] {
  return { pauseMs, calls, alarmRings: true };
}

/** The most admissions in any window of the length; one that starts at an admission has the most. */
function mostInAWindow(admitted: readonly number[], windowMs: number): number {
  return Math.max(
    0,
    ...admitted.map(
      (start) => admitted.filter((at) => at >= start && at < start + windowMs).length,
    ),
  );
}

describe("the rate limiter", () => {
  it("admits exactly the limit of a hundred concurrent requests", async () => {
    for (const limit of [sliding, fixed]) {
      const limiter = limiterNamed(`concurrent ${limit.algorithm}`);
      const replies = await Promise.all(Array.from({ length: 100 }, () => limiter.admit(limit)));
      expect(replies.filter(({ outcome }) => outcome === "admitted").length).toBe(10);
    }
  });

  it("keeps the limit in any window, whatever rounds of concurrent calls come around its edges", async () => {
    const limit: RateLimit = { algorithm: "sliding-log", requests: 3, windowMs: 100 };
    const rounds = fc.array(
      fc.record({
        pauseMs: fc.constantFrom(0, 1, 50, 99, 100, 101),
        calls: fc.integer({ min: 1, max: 5 }),
        alarmRings: fc.boolean(),
      }),
      { minLength: 1, maxLength: 8 },
    );
    let run = 0;
    const mostUnder = async (algorithm: RateLimit["algorithm"], plan: Rounds): Promise<number> => {
      const admitted: number[] = [];
      await onClock(`rounds ${(run += 1)}`, async (limiter, clock) => {
        for (const { pauseMs, calls, alarmRings } of plan) {
          clock.now += pauseMs;
          if (alarmRings) await limiter.alarm();
          const asked = Array.from({ length: calls }, () => limiter.admit({ ...limit, algorithm }));
          for (const { outcome } of await Promise.all(asked)) {
            if (outcome === "admitted") admitted.push(clock.now);
          }
        }
      });
      return mostInAWindow(admitted, limit.windowMs);
    };
    await fc.assert(
      fc.asyncProperty(
        rounds,
        async (plan) => (await mostUnder("sliding-log", plan)) <= limit.requests,
      ),
      { numRuns: 60, seed: 20_261_130 },
    );
    const edge = [roundOf(0, 1), roundOf(99, 2), roundOf(1, 3)];
    expect(await mostUnder("sliding-log", edge)).toBe(3);
    expect(await mostUnder("fixed-window", edge)).toBe(5);
  });

  it("admits no more than the limit in any window, where the fixed window admits twice that", async () => {
    const admittedAround = async (name: string, limit: RateLimit) => {
      let admitted = 0;
      await onClock(name, async (limiter, clock) => {
        const ask = async (times: number) => {
          for (let each = 0; each < times; each++) {
            if ((await limiter.admit(limit)).outcome === "admitted") admitted++;
          }
        };
        await ask(1);
        clock.now += 59_999;
        await ask(20);
        clock.now += 1;
        await ask(20);
      });
      return admitted;
    };
    expect(await admittedAround("edge sliding", sliding)).toBe(11);
    expect(await admittedAround("edge fixed", fixed)).toBe(20);
  });

  it("says when there is a place again, and there is", async () => {
    await onClock("retry after", async (limiter, clock) => {
      for (let each = 0; each < 10; each++) {
        await limiter.admit(sliding);
        clock.now += 1_000;
      }
      expect(await limiter.admit(sliding)).toEqual({ outcome: "limited", retryAfterMs: 50_000 });
      clock.now += 49_999;
      expect(await limiter.admit(sliding)).toEqual({ outcome: "limited", retryAfterMs: 1 });
      clock.now += 1;
      expect(await limiter.admit(sliding)).toEqual({ outcome: "admitted" });
    });
  });

  it("keeps its log over a reset of the object", async () => {
    const limiter = limiterNamed("reset");
    for (let each = 0; each < 10; each++) await limiter.admit(sliding);
    await expect(runInDurableObject(limiter, (_, state) => state.abort("a reset"))).rejects.toThrow(
      "a reset",
    );
    expect((await limiterNamed("reset").admit(sliding)).outcome).toBe("limited");
  });

  it("does not admit more when its clock steps back", async () => {
    await onClock("clock back", async (limiter, clock) => {
      for (let each = 0; each < 10; each++) await limiter.admit(sliding);
      clock.now -= 120_000;
      expect((await limiter.admit(sliding)).outcome).toBe("limited");
    });
  });

  it("reclaims its storage in bounded batches, and re-arms for what is left", async () => {
    const perAlarm = reclaimBounds.batchRows * reclaimBounds.batches;
    const many: RateLimit = { ...sliding, requests: 100_000, windowMs: 1_000 };
    await onClock("reclaim", async (limiter, clock) => {
      for (let each = 0; each < perAlarm + 10; each++) await limiter.admit(many);
      clock.now += 999;
      await limiter.alarm();
      expect(await limiter.size()).toBe(perAlarm + 10);
      clock.now += 1;
      await limiter.alarm();
      expect(await limiter.size()).toBe(10);
    });
    const limiter = limiterNamed("reclaim");
    await runInDurableObject(limiter, async (_, state) => {
      expect(await state.storage.getAlarm()).not.toBe(null);
    });
    await onClock("reclaim", async (again, clock) => {
      clock.now += 2_000;
      await again.alarm();
      expect(await again.size()).toBe(0);
    });
  });

  it("sets its alarm with the first admission, and sets none when all is reclaimed", async () => {
    for (const limit of [sliding, fixed]) {
      const limiter = limiterNamed(`alarm ${limit.algorithm}`);
      await limiter.admit(limit);
      await runInDurableObject(limiter, async (_, state) => {
        expect(await state.storage.getAlarm()).not.toBe(null);
        await new RateLimiterStore(state, {}, () => Date.now() + limit.windowMs).alarm();
      });
      expect(await limiter.size()).toBe(0);
      expect(await runDurableObjectAlarm(limiter)).toBe(true);
      expect(await runDurableObjectAlarm(limiter)).toBe(false);
    }
  });

  it("refuses a limit that is none", async () => {
    const limiter = limiterNamed("nonsense");
    expect(await limiter.admit({ ...sliding, requests: Infinity })).toEqual({ outcome: "invalid" });
    expect(await limiter.admit(null as unknown as RateLimit)).toEqual({ outcome: "invalid" });
  });
});
