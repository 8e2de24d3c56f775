// The claims that are judged on a store without a serial point: what the design refuses, and why.
import type { EventualStoreClaim } from "./claims.ts";

export const eventualClaims: readonly EventualStoreClaim[] = [
  {
    id: "at-most-once-on-an-eventual-store",
    statement:
      "The same protocol gives at-most-once acceptance on an eventually consistent key-value store as well.",
    source: "seed 000, section 5, which says why it does not: the reason for a Durable Object",
    level: "eventual-store",
    invariants: ["acceptance"],
    expected: { paper: "refuted", published: "refuted", hardened: "refuted" },
    exhaustive: null,
  },
];
