// The claims that are judged on the whole system: attempts, key, downstream, queue, clocks, faults.
import type { SystemClaim } from "./claims.ts";

const holds = { paper: "holds", published: "holds", hardened: "holds" } as const;
/** What `hardened` was made for. */
const refutedUnlessHardened = {
  paper: "refuted",
  published: "refuted",
  hardened: "holds",
} as const;

export const systemClaims: readonly SystemClaim[] = [
  {
    id: "nothing-within-retention",
    statement:
      "Within τ of an acceptance no other is given for the key, unless the first was released by its holder.",
    source: "the paper's wording of at-most-once acceptance",
    level: "system",
    exhaustive: "collides-within-retention",
    expected: { paper: "holds", published: "refuted", hardened: "holds" },
  },
  {
    id: "execution",
    statement:
      "No two executions of one key less than τ apart, whatever was lost, late or retried.",
    source: "seed 000, section 1: the double-fill story",
    level: "system",
    exhaustive: "execution",
    expected: refutedUnlessHardened,
  },
  {
    id: "forged-requests-never-trade",
    statement: "A request that is not authenticated reaches neither store nor downstream.",
    source: "seed 000, section 4: forged trade is catastrophic",
    level: "system",
    exhaustive: "forged-never-executes",
    expected: holds,
  },
  {
    id: "truthful-refusal",
    statement: "A 409 is sent only while the store held a record of another attempt.",
    source: "design, truthful refusal",
    level: "system",
    exhaustive: "truthful-refusal",
    expected: refutedUnlessHardened,
  },
  {
    id: "truthful-answer",
    statement: "An attempt that was answered refused or failed did not execute and never will.",
    source: "design, truthful answer",
    level: "system",
    exhaustive: "truthful-answer",
    expected: refutedUnlessHardened,
  },
  {
    id: "nothing-lost",
    statement:
      "An attempt that was answered 2xx executed, will execute, or ends visibly in the dead-letter queue.",
    source: "design, nothing lost",
    level: "system",
    exhaustive: "nothing-lost",
    expected: { paper: "inconclusive", published: "holds", hardened: "holds" },
  },
  {
    id: "one-request-one-key",
    statement: "Retries of one logical request get the same key, over the minute's end as well.",
    source: "seed 000, section 3: retries within the minute collide",
    level: "system",
    exhaustive: "one-request-one-key",
    expected: refutedUnlessHardened,
  },
  {
    id: "requests-are-isolated",
    statement: "Different logical requests never share a key.",
    source: "seed 000, section 3; its gateway replaces a key that is too long",
    level: "system",
    exhaustive: "isolation",
    expected: refutedUnlessHardened,
  },
  {
    id: "mismatch-never-executes",
    statement:
      "A request with another payload under a key that blocks is refused and not executed.",
    source: "seed 004, section 2",
    level: "system",
    exhaustive: "mismatch",
    expected: refutedUnlessHardened,
  },
  {
    id: "lost-replies-heal-at-the-gateway",
    statement:
      "A gateway whose reserve got no answer asks again with its token and is told to proceed.",
    source: "design, lost replies heal",
    level: "system",
    exhaustive: "lost-replies-heal",
    expected: refutedUnlessHardened,
  },
];
