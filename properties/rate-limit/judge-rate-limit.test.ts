import { describe, expect, it } from "vitest";
import type { AdmissionReply } from "../../impl/rate-limit.ts";
import { rateLimitInvariants } from "../../model/rate-limit-invariants.ts";
import { judgeRateLimit } from "./judge-rate-limit.ts";
import type { RateLimitEvent } from "./rate-limit-history.ts";

type Asked = Partial<Extract<RateLimitEvent, { readonly kind: "ask" }>>;

let waves = 0;
const admitted = { outcome: "admitted" } as const;
const limited = (retryAfterMs: number): AdmissionReply => ({ outcome: "limited", retryAfterMs });

/** A request that follows the one before, unless a wave is given. */
function ask(atMs: number, reply: AdmissionReply, given: Asked = {}): RateLimitEvent {
  waves += 1;
  return { kind: "ask", atMs, wave: waves, tenant: 0, isolate: 0, reply, ...given };
}

function advance(atMs: number, ms: number, ...stored: readonly number[]): RateLimitEvent {
  return { kind: "advance", atMs, ms, stored, isProbe: false };
}

function judged(...events: readonly RateLimitEvent[]) {
  const judgement = judgeRateLimit({ limit: 2, windowMs: 100, events });
  const broken = judgement.violations.map(({ invariant, events: places }) => ({
    invariant,
    places,
  }));
  return { ...judgement, broken };
}

describe("a window", () => {
  it("is half-open: a request that comes a window later is not in it", () => {
    const { broken, exercised } = judged(ask(0, admitted), ask(99, admitted), ask(100, admitted));
    expect(broken).toEqual([]);
    expect(exercised).not.toContain("last-place");
  });

  it("may start at any admission, not only where the limiter's own does", () => {
    const asks = [ask(0, admitted), ask(99, admitted), ask(100, admitted), ask(198, admitted)];
    expect(judged(...asks).broken).toEqual([{ invariant: "rate-limit", places: [1, 2, 3] }]);
  });

  it("is of one tenant", () => {
    const asks = [0, 1, 0, 1].map((tenant) => ask(0, admitted, { tenant }));
    expect(judged(...asks)).toMatchObject({ broken: [], exercised: [] });
  });
});

describe("requests in flight together", () => {
  const wave = 1_000_000;

  it("are admitted the limit at most", () => {
    const asks = [0, 1, 2].map((isolate) => ask(0, admitted, { isolate, wave }));
    expect(judged(...asks).broken).toEqual([
      { invariant: "rate-limit", places: [0, 1, 2] },
      { invariant: "last-place", places: [0, 1, 2] },
    ]);
  });

  it("may be served in any order", () => {
    const replies = [limited(100), admitted, admitted];
    const asks = replies.map((reply, isolate) => ask(0, reply, { isolate, wave }));
    const { broken, exercised, situations } = judged(...asks);
    expect(broken).toEqual([]);
    expect(exercised).toEqual(["rate-limit", "last-place", "needed-refusal", "retry-after"]);
    expect(situations).toContain("two isolates ask at once for the last place");
  });
});

describe("a refusal", () => {
  it("is needed only while the limit is reached by earlier admissions of its own tenant", () => {
    const needless = [
      [ask(0, admitted), ask(1, limited(99)), ask(1, admitted)],
      [ask(0, admitted, { tenant: 1 }), ask(0, admitted), ask(1, limited(99))],
      [ask(0, admitted), ask(1, admitted), ask(100, limited(1))],
    ];
    for (const events of needless) {
      expect(judged(...events).broken.map(({ invariant }) => invariant)).toContain(
        "needed-refusal",
      );
    }
    const needed = [ask(0, admitted), ask(1, admitted), ask(99, limited(1)), ask(100, admitted)];
    const { broken, situations } = judged(...needed);
    expect(broken).toEqual([]);
    expect(situations).toEqual([
      "a request is refused a millisecond before there is a place",
      "a request is admitted just when there is a place",
      "a window's end lies between two admissions",
    ]);
  });

  it.each([49, 51])(
    "says to the millisecond when to come back, not %i ms for 50",
    (retryAfterMs) => {
      const before = [ask(0, admitted), ask(50, admitted)];
      expect(judged(...before, ask(50, limited(50))).broken).toEqual([]);
      expect(judged(...before, ask(50, limited(retryAfterMs))).broken).toEqual([
        { invariant: "retry-after", places: [0, 2] },
      ]);
    },
  );
});

describe("storage", () => {
  it("holds no more than the admissions in their window once an alarm has run", () => {
    const before = [ask(0, admitted), advance(0, 1, 1, 0), ask(1, admitted)];
    expect(judged(...before, advance(1, 99, 1, 0)).broken).toEqual([]);
    expect(judged(...before, advance(1, 99, 2, 0)).broken).toEqual([
      { invariant: "rate-limit-reclaim", places: [0, 2, 3] },
    ]);
    const late = { kind: "late-alarm", atMs: 1, ms: 200 } as const;
    const { exercised, situations } = judged(...before, late);
    expect(exercised).not.toContain("rate-limit-reclaim");
    expect(situations).toContain("an alarm is late");
  });
});

it("judges every invariant that the register knows", () => {
  const { exercised } = judged(
    ...[0, 1, 2].map((isolate) =>
      ask(0, isolate < 2 ? admitted : limited(100), { isolate, wave: 2_000_000 }),
    ),
    advance(0, 100, 0, 0),
  );
  expect(exercised).toEqual(Object.keys(rateLimitInvariants));
});
