// The claims that are judged on the model of the whole system alone: attempts, key, downstream, queue, clocks, faults.
import type { SystemClaim } from "./claims.ts";

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
    id: "lost-replies-heal-at-the-gateway",
    statement:
      "A gateway whose reserve got no answer asks again with its token and is told to proceed.",
    source: "design, lost replies heal",
    level: "system",
    exhaustive: "lost-replies-heal",
    expected: { paper: "refuted", published: "refuted", hardened: "holds" },
  },
];
