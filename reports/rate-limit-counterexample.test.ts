import { describe, expect, it } from "vitest";
import { fixedWindowFinding } from "./fixtures/fixed-window-finding.ts";
import {
  rateLimitCounterexampleMarkdown,
  rateLimitEvidence,
  toRateLimitCounterexample,
} from "./rate-limit-counterexample.ts";
import { tellRateLimitStory } from "./rate-limit-story.ts";

const counterexample = toRateLimitCounterexample(fixedWindowFinding, {
  claim: "rate-limits-are-atomic",
  policy: "published",
  target: "rate-limiter",
  rerun: "npx latchkey rerun x.json",
});

it("tells who asked from where, with whom in flight, and which admissions are in their window", () => {
  const { steps } = tellRateLimitStory(fixedWindowFinding.history);
  const lines = steps.map(
    ({ at, actor, action, detail, state }) => `${at} ${actor} ${action} → ${detail} [${state}]`,
  );
  expect(lines).toEqual([
    "0 request A of tenant 1 asks from isolate 1 → admitted [tenant 1: A]",
    "59999 clock moves on by 59999 ms → rows stored then: 1 of tenant 1 [tenant 1: A]",
    "59999 request B of tenant 1 asks from isolate 1 → admitted [tenant 1: A, B]",
    "59999 store of each limiter is reset → what it answered must survive [tenant 1: A, B]",
    "60000 clock moves on by 1 ms → rows stored then: 0 of tenant 1 [tenant 1: B]",
    "60000 request C of tenant 1 asks from isolate 1, in flight with D → admitted [tenant 1: B, C]",
    "60000 request D of tenant 1 asks from isolate 2, in flight with C → admitted [tenant 1: B, C, D]",
    "60000 request E of tenant 1 asks from isolate 1 → refused: come back after 60000 ms [tenant 1: B, C, D]",
    "60001 clock moves on by 1 ms → the limiters' alarms are late [tenant 1: B, C, D]",
    "120001 probe waits 60000 ms more → rows stored then: 0 of tenant 1 [nothing]",
  ]);
});

describe("a counterexample of the rate limiter", () => {
  it("ends where it breaks and keeps the plan to run it again", () => {
    expect(counterexample).toMatchObject({
      schema: "latchkey.counterexample/1",
      invariant: "rate-limit",
      plan: { kind: "rate-limit", ...fixedWindowFinding.plan },
      length: 7,
      minimal: true,
    });
    expect(rateLimitEvidence(fixedWindowFinding)).toEqual([3, 6, 7]);
  });

  it("reads as a page with the claim, the limit, the story and the command", () => {
    const text = rateLimitCounterexampleMarkdown(
      counterexample,
      { statement: "The claim.", source: "seed", invariant: "The invariant." },
      [3, 6, 7],
    );
    expect(text).toContain("target **rate-limiter**, a limit of 2 in 60000 ms, 7 steps, minimal");
    expect(text).toContain("> **Claim rate-limits-are-atomic:** The claim. (seed)");
    expect(text).toContain("7. At 60000 ms ⚡ **request D** of tenant 1 asks from isolate 2");
    expect(text).toContain("npx latchkey rerun x.json");
    expect(text).not.toContain("Who is who");
  });
});
