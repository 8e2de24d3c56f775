// The claims that are judged on the rate limiter, asked by several isolates around its window's edges.
import type { RateLimitClaim } from "./claims.ts";

const holds = { paper: "holds", published: "holds", hardened: "holds" } as const;

/** `paper` has a sliding limit as `hardened` has it: its text says so, and only `published` has a fixed one. */
export const rateLimitClaims: readonly RateLimitClaim[] = [
  {
    id: "rate-limits-are-atomic",
    statement:
      "In no window are more requests admitted than the limit, over any number of isolates.",
    source: "seed 000, section 5",
    level: "rate-limit",
    invariants: ["rate-limit"],
    expected: { paper: "holds", published: "refuted", hardened: "holds" },
    exhaustive: null,
  },
  {
    id: "last-place-is-given-once",
    statement:
      "Of requests in flight at one moment, from any isolates, no more are admitted than the limit.",
    source: "seed 000, section 5: atomic across isolates, whatever the window",
    level: "rate-limit",
    invariants: ["last-place"],
    expected: holds,
    exhaustive: null,
  },
  {
    id: "refusals-say-when-to-come-back",
    statement:
      "A request is refused only where one more would be too many, and Retry-After says to the millisecond when it no longer is.",
    source: "the paper behind seed 000: a sliding limit with Retry-After",
    level: "rate-limit",
    invariants: ["needed-refusal", "retry-after"],
    expected: holds,
    exhaustive: null,
  },
  {
    id: "rate-limit-storage-is-reclaimed",
    statement: "Nothing of a window that has ended is left in the limiter's storage.",
    source: "design, alarms",
    level: "rate-limit",
    invariants: ["rate-limit-reclaim"],
    expected: holds,
    exhaustive: null,
  },
];
