// The claim register: each sentence that is judged, where it comes from, and what is expected.
import type { StoreInvariant } from "./invariants.ts";
import type { PolicyName } from "./policy.ts";

export type ExpectedVerdict = "holds" | "refuted" | "inconclusive";

export type Claim = StoreClaim | UnbuiltClaim;

interface ClaimText {
  readonly id: string;
  /** One sentence. */
  readonly statement: string;
  /** Seed file and section, or `design` for a claim of this project. */
  readonly source: string;
}

/** Judged on the histories of one store. */
export interface StoreClaim extends ClaimText {
  readonly level: "store";
  readonly invariants: readonly StoreInvariant[];
  readonly expected: Readonly<Record<PolicyName, ExpectedVerdict>>;
}

/** In the register so that the table tells what is missing; judged by nothing yet. */
export interface UnbuiltClaim extends ClaimText {
  readonly level: "unbuilt";
  /** The target on which it will be judged. */
  readonly target: "gateway" | "redis" | "postgres";
}

const holds = { paper: "holds", published: "holds", hardened: "holds" } as const;
/** The mechanism came with `hardened`; the others have nothing to judge. */
const hardenedOnly = {
  paper: "inconclusive",
  published: "inconclusive",
  hardened: "holds",
} as const;

export const claims: readonly Claim[] = [
  {
    id: "at-most-once-acceptance",
    statement:
      "A key is accepted again only after its holder released it, its committed retention passed, or its pending time passed.",
    source: "seed 000, thesis: at-most-once acceptance within TTL",
    level: "store",
    invariants: ["acceptance"],
    expected: { paper: "holds", published: "refuted", hardened: "holds" },
  },
  {
    id: "collides-within-retention",
    statement:
      "A second attempt collides with a pending or committed key within τ of the reserve, unless it was released.",
    source: "seed 000, sections 1 and 2",
    level: "store",
    invariants: ["collides-within-retention"],
    expected: holds,
  },
  {
    id: "soft-fail-frees-the-key",
    statement: "An attempt that soft-fails releases its key, and the next one can reserve it.",
    source: "seed 000, sections 1, 2 and 4",
    level: "store",
    invariants: ["release-on-soft-fail"],
    expected: { paper: "refuted", published: "holds", hardened: "holds" },
  },
  {
    id: "fail-closed-at-reserve",
    statement: "An attempt whose reserve failed or got no answer never acts.",
    source: "seed 000, section 4: missing idempotency store fails closed",
    level: "store",
    invariants: ["fail-closed"],
    expected: { paper: "refuted", published: "holds", hardened: "holds" },
  },
  {
    id: "no-interleaving",
    statement:
      "Nothing comes between the read and the write of the mutex: the store's answers are those of the key lifecycle, one operation at a time.",
    source: "seed 000, section 5: no get/put interleaving under concurrency",
    level: "store",
    invariants: ["linearizability"],
    expected: holds,
  },
  {
    id: "committed-blocks",
    statement: "A committed key stays blocked for τ from its commit.",
    source: "design, committed blocks; seed 000, section 2: retries stay blocked for TTL",
    level: "store",
    invariants: ["committed-blocks"],
    expected: { paper: "inconclusive", published: "refuted", hardened: "holds" },
  },
  {
    id: "exclusion",
    statement: "No two attempts hold one key at a time.",
    source: "seed 000, section 2: two-phase mutex",
    level: "store",
    invariants: ["exclusion"],
    expected: { paper: "holds", published: "refuted", hardened: "holds" },
  },
  {
    id: "ownership",
    statement: "A commit or release by an attempt that is not the holder changes nothing.",
    source: "design, ownership",
    level: "store",
    invariants: ["ownership"],
    expected: { paper: "holds", published: "refuted", hardened: "holds" },
  },
  {
    id: "survives-restart",
    statement: "What the store has answered survives its eviction or restart.",
    source: "seed 000, section 2: SQLite-backed storage; its documentation",
    level: "store",
    invariants: ["durability"],
    expected: holds,
  },
  {
    id: "alarms-reclaim-storage",
    statement: "Alarms reclaim the storage of every key whose time is over.",
    source: "seed 000, section 2",
    level: "store",
    invariants: ["reclaim"],
    expected: holds,
  },
  {
    id: "no-stuck-key",
    statement: "Every key can be reserved again once the longest blocking time has passed.",
    source: "design, no stuck key",
    level: "store",
    invariants: ["no-stuck-key"],
    expected: holds,
  },
  {
    id: "keys-are-isolated",
    statement: "Different keys never share a record.",
    source: "seed 000, section 3; seed 004, section 2",
    level: "store",
    invariants: ["isolation"],
    expected: holds,
  },
  {
    id: "truthful-refusal-by-the-store",
    statement: "A refusal says what blocks: in flight, in doubt, committed.",
    source: "design, truthful refusal; seed 004, section 3",
    level: "store",
    invariants: ["truthful-refusal"],
    expected: { paper: "refuted", published: "refuted", hardened: "holds" },
  },
  {
    id: "other-payload-is-refused",
    statement: "The same key with another payload is a mismatch while a record blocks.",
    source: "seed 004, section 2",
    level: "store",
    invariants: ["mismatch"],
    expected: hardenedOnly,
  },
  {
    id: "replays-the-response",
    statement: "A retry of a committed request gets the stored response, to the code unit.",
    source: "seed 004, section 4",
    level: "store",
    invariants: ["replay"],
    expected: hardenedOnly,
  },
  {
    id: "lost-replies-heal",
    statement: "An attempt whose reserve got no answer may ask again and is told to proceed.",
    source: "design, lost replies heal",
    level: "store",
    invariants: ["lost-replies-heal"],
    expected: hardenedOnly,
  },
  {
    id: "answers-every-call",
    statement: "The store answers every call, with an outcome that the contract knows.",
    source: "design, contracts",
    level: "store",
    invariants: ["target-fault"],
    expected: holds,
  },
  ...unbuilt("gateway", [
    [
      "execution",
      "No two executions of one key less than τ apart, whatever was lost, late or retried.",
      "seed 000, section 1",
    ],
    [
      "missing-store-is-503",
      "A missing store is answered 503 IDEMPOTENCY_UNAVAILABLE and nothing is executed.",
      "seed 000, sections 2 and 4",
    ],
    [
      "forged-requests-never-trade",
      "A request that is not authenticated reaches neither store nor downstream.",
      "seed 000, section 4",
    ],
    [
      "soft-fail-with-2xx-releases",
      "A soft-fail with HTTP 2xx releases the key.",
      "seed 000, sections 1 and 4",
    ],
    [
      "truthful-refusal",
      "A 409 is sent only while the store held a record of another attempt.",
      "design, truthful refusal",
    ],
    [
      "truthful-answer",
      "An attempt that was answered refused or failed did not execute and never will.",
      "design, truthful answer",
    ],
    [
      "nothing-lost",
      "An attempt that was answered 2xx executed, will execute, or ends visibly in the dead-letter queue.",
      "design, nothing lost",
    ],
    [
      "one-request-one-key",
      "Retries of one logical request get the same key at any time, on any clock, in any spelling.",
      "seed 000, section 3: retries within the minute collide",
    ],
    [
      "later-trades-pass",
      "The same trade passes again later: in a later minute as published, W after the first under hardened.",
      "seed 000, section 3",
    ],
    [
      "live-and-test-never-share",
      "Live and test modes, and tenants, never share a key.",
      "seed 000, section 3",
    ],
    [
      "rate-limits-are-atomic",
      "In no window are more requests admitted than the limit, over any number of isolates.",
      "seed 000, section 5",
    ],
    [
      "queue-executes-once",
      "A queued message executes at most once, and not after its deadline.",
      "seed 000, non-claim: exactly-once across queues",
    ],
    [
      "not-on-an-eventual-store",
      "The same protocol on an eventually consistent store lets two concurrent requests through.",
      "seed 000, section 5: why not KV",
    ],
  ]),
  ...unbuilt("redis", [
    [
      "middleware-executes-once",
      "Locking in Redis eliminates double mutations.",
      "seed 004, sections 3, 4 and 6",
    ],
    [
      "middleware-refuses-other-payload",
      "The same key with another payload is answered 422.",
      "seed 004, sections 2 and 4",
    ],
    [
      "middleware-refuses-in-flight",
      "A request whose key is pending is answered 409.",
      "seed 004, sections 3 and 4",
    ],
    [
      "middleware-replays",
      "A request whose key is resolved gets the stored status and body.",
      "seed 004, section 4",
    ],
    [
      "middleware-frees-on-failure",
      "A non-2xx answer or an exception frees the key at once.",
      "seed 004, section 4 and its FAQ",
    ],
    [
      "middleware-overhead",
      "The middleware costs 1.4 to 2.1 ms uncached and replays in under 4 ms, at 15,000 requests a second.",
      "seed 004, section 6",
    ],
  ]),
  ...unbuilt("postgres", [
    [
      "outbox-is-atomic",
      "An event is published if and only if its change committed.",
      "seed 004, section 5",
    ],
    [
      "outbox-delivers",
      "If relay and consumer keep running every event arrives, and its effects happen once.",
      "seed 004, section 5",
    ],
  ]),
];

function unbuilt(
  target: UnbuiltClaim["target"],
  rows: readonly (readonly [id: string, statement: string, source: string])[],
): UnbuiltClaim[] {
  return rows.map(([id, statement, source]) => ({
    id,
    statement,
    source,
    level: "unbuilt",
    target,
  }));
}
