// The known ways to break a policy, by name: each a configuration so narrow that its shortest witness is that way and no other.
import type { GatewayMode } from "../../model/gateway-attempt.ts";
import { hardened, paper, published, type Policy } from "../../model/policy.ts";
import type { Fault, LatchkeyOptions, SystemTimes, WatchedInvariant } from "./latchkey-options.ts";

export interface WitnessHunt {
  readonly name: string;
  readonly invariant: WatchedInvariant;
  readonly options: LatchkeyOptions;
  /** The number of steps of the shortest witness. */
  readonly length: number;
  /** What happens, in one sentence. */
  readonly story: string;
}

/** τ = 2, D = 1, and clocks that agree: the least in which everything has room. */
const agreeing: SystemTimes = { retention: 2, deadline: 1, lag: 0, jump: 0 };

interface Hunt {
  readonly policy: Policy;
  readonly invariant: WatchedInvariant;
  readonly length: number;
  readonly story: string;
  readonly mode?: GatewayMode;
  readonly attempts?: number;
  readonly faults?: Partial<Record<Fault, number>>;
  readonly keys?: LatchkeyOptions["keys"];
}

function hunt(name: string, given: Hunt): WitnessHunt {
  const { policy, invariant, length, story } = given;
  return {
    name,
    invariant,
    length,
    story,
    options: {
      name,
      policy,
      mode: given.mode ?? "direct",
      attempts: given.attempts ?? 2,
      times: agreeing,
      budgets: given.faults ?? {},
      keys: given.keys ?? "client",
      watched: [invariant],
    },
  };
}

export const publishedHunts: readonly WitnessHunt[] = [
  hunt("zombie", {
    policy: published,
    invariant: "exclusion",
    attempts: 3,
    faults: { softFail: 1 },
    length: 10,
    story:
      "A stalls past τ, B reserves, A fails late and its release deletes B's record, C reserves while B runs.",
  }),
  hunt("late effect", {
    policy: published,
    invariant: "execution",
    length: 8,
    story:
      "A executes late in its τ, which counts from the reserve; B reserves after it and executes less than τ later: no fault but time.",
  }),
  hunt("foreign commit", {
    policy: published,
    invariant: "ownership",
    length: 8,
    story:
      "A executes and stalls past τ, B reserves, A's late commit turns B's reservation into a committed one.",
  }),
  hunt("early expiry", {
    policy: published,
    invariant: "acceptance",
    length: 8,
    story:
      "The retention counts from the reserve: τ after it the key is free, however late the commit was.",
  }),
  hunt("unknown outcome", {
    policy: published,
    invariant: "execution",
    faults: { lostReply: 1 },
    length: 7,
    story:
      "The effect happens, its reply is lost, the gateway takes that for a failure and releases; the retry executes again.",
  }),
  hunt("unknown outcome, queued", {
    policy: published,
    invariant: "execution",
    mode: "queue-failover",
    attempts: 1,
    faults: { lostReply: 1 },
    length: 7,
    story:
      "The effect happens, its reply is lost, the gateway turns to the queue: one attempt executes twice.",
  }),
  hunt("unclear answer", {
    policy: published,
    invariant: "execution",
    faults: { unclear: 1 },
    length: 7,
    story:
      "The effect happens and is answered with 5xx or a body that cannot be read; the key is released and the retry executes again.",
  }),
  hunt("abandoned call", {
    policy: published,
    invariant: "execution",
    faults: { delay: 1 },
    length: 8,
    story:
      "The gateway gives up after its timeout and releases; the call is still under way and executes beside the retry's.",
  }),
  hunt("doubled call", {
    policy: published,
    invariant: "execution",
    attempts: 1,
    faults: { duplicate: 1 },
    length: 5,
    story: "The call to downstream is delivered twice, and nothing there knows it again.",
  }),
  hunt("own copy", {
    policy: published,
    invariant: "truthful-refusal",
    attempts: 1,
    faults: { duplicate: 1 },
    length: 4,
    story:
      "The reserve is delivered twice and the second answer arrives first: the attempt is refused because of its own record.",
  }),
  hunt("orphan", {
    policy: published,
    invariant: "truthful-refusal",
    faults: { lostReply: 1 },
    length: 4,
    story:
      "The reserve takes effect, its reply is lost, the client gets 503; its retry is refused as a duplicate of nothing.",
  }),
  hunt("cancelled", {
    policy: published,
    invariant: "truthful-refusal",
    faults: { stop: 1 },
    length: 5,
    story:
      "The client goes away mid-call and neither commit nor release runs: retries are refused as duplicates of nothing.",
  }),
  hunt("lost release", {
    policy: published,
    invariant: "failed-may-retry",
    attempts: 1,
    faults: { softFail: 1, lostSettlement: 1 },
    length: 4,
    story: "Downstream soft-fails, the release is lost, and retries are refused until τ.",
  }),
  hunt("mismatch", {
    policy: published,
    invariant: "mismatch",
    faults: { otherPayload: 1 },
    length: 4,
    story:
      "Another payload under the same key is refused as a duplicate: the second trade is lost silently.",
  }),
  hunt("minute boundary", {
    policy: published,
    invariant: "execution",
    keys: "fingerprint",
    faults: { minute: 1 },
    length: 7,
    story: "First at :59, retry at :04: two keys, two executions.",
  }),
  hunt("two keys", {
    policy: published,
    invariant: "one-request-one-key",
    keys: "fingerprint",
    faults: { minute: 1 },
    length: 3,
    story: "The minute ends between two retries of one request and gives the second another key.",
  }),
  hunt("silent downgrade", {
    policy: published,
    invariant: "isolation",
    keys: "invalid-client",
    faults: { otherPayload: 1 },
    length: 2,
    story:
      "A client key of 257 characters turns into the minute's fingerprint: two requests share a key.",
  }),
  hunt("redelivery", {
    policy: published,
    invariant: "execution",
    mode: "queue-everywhere",
    attempts: 1,
    faults: { redelivery: 1 },
    length: 9,
    story:
      "Two deliveries of one message both pass the consumer's check before either has marked it.",
  }),
  hunt("stale mark", {
    policy: published,
    invariant: "execution",
    mode: "queue-everywhere",
    attempts: 1,
    faults: { redelivery: 1, staleRead: 1 },
    length: 9,
    story:
      "The mark was made, the KV store does not show it yet, and the second delivery executes.",
  }),
  hunt("consumer crash", {
    policy: published,
    invariant: "execution",
    mode: "queue-everywhere",
    attempts: 1,
    faults: { stop: 1 },
    length: 10,
    story:
      "The consumer stops after its call and before its mark; the next delivery executes again.",
  }),
  hunt("enqueue unknown", {
    policy: published,
    invariant: "truthful-answer",
    mode: "queue-everywhere",
    attempts: 1,
    faults: { lostReply: 1 },
    length: 6,
    story:
      "The message is in the queue, the reply of the enqueue is lost, the client is told 500; it executes all the same.",
  }),
  hunt("committed and dead-lettered", {
    policy: published,
    invariant: "truthful-refusal",
    mode: "queue-everywhere",
    faults: { softFail: 2 },
    length: 11,
    story:
      "The key is committed when the message is enqueued; every delivery fails, and retries are refused as duplicates of a trade that never happens.",
  }),
];

export const paperHunts: readonly WitnessHunt[] = [
  hunt("fail open", {
    policy: paper,
    invariant: "execution",
    faults: { storeUnavailable: 1 },
    length: 6,
    story:
      "The store is unavailable, the trade is permitted, and it executes beside one that holds the key.",
  }),
  hunt("unreserved", {
    policy: paper,
    invariant: "fail-closed",
    attempts: 1,
    faults: { storeUnavailable: 1 },
    length: 3,
    story: "The store is unavailable and the attempt executes without a reservation.",
  }),
  hunt("late effect (paper)", {
    policy: paper,
    invariant: "execution",
    length: 8,
    story: "A executes late in its τ; B reserves after it and executes less than τ later.",
  }),
  hunt("no release", {
    policy: paper,
    invariant: "failed-may-retry",
    attempts: 1,
    faults: { softFail: 1 },
    length: 3,
    story: "Downstream soft-fails and there is no release: the key stays taken until τ.",
  }),
  hunt("duplicate of a failure", {
    policy: paper,
    invariant: "truthful-refusal",
    faults: { softFail: 1 },
    length: 5,
    story: "A failed, and its retry is refused as a duplicate of a trade that never happened.",
  }),
  hunt("silent store", {
    policy: paper,
    invariant: "fail-closed",
    attempts: 1,
    faults: { lostCall: 1 },
    length: 3,
    story: "The reserve is lost on its way, the silence is taken for permission.",
  }),
  hunt("unknown outcome (paper)", {
    policy: paper,
    invariant: "truthful-answer",
    attempts: 1,
    faults: { lostReply: 1 },
    length: 3,
    story: "The effect happens, its reply is lost, and the client is told that it failed.",
  }),
  hunt("doubled call (paper)", {
    policy: paper,
    invariant: "execution",
    attempts: 1,
    faults: { duplicate: 1 },
    length: 5,
    story: "The call to downstream is delivered twice.",
  }),
  hunt("own copy (paper)", {
    policy: paper,
    invariant: "truthful-refusal",
    attempts: 1,
    faults: { duplicate: 1 },
    length: 4,
    story: "The reserve is delivered twice and the attempt is refused because of its own record.",
  }),
  hunt("minute boundary (paper)", {
    policy: paper,
    invariant: "execution",
    keys: "fingerprint",
    faults: { minute: 1 },
    length: 7,
    story: "First at :59, retry at :04: two keys, two executions.",
  }),
  hunt("mismatch (paper)", {
    policy: paper,
    invariant: "mismatch",
    faults: { otherPayload: 1 },
    length: 4,
    story: "Another payload under the same key is refused as a duplicate.",
  }),
];

/** Outside every claim: what no layer can mend, shown under `hardened`. */
export const outsideHunts: readonly WitnessHunt[] = [
  hunt("amnesia", {
    policy: hardened,
    invariant: "execution",
    faults: { amnesia: 1 },
    length: 7,
    story: "The store forgets what it answered, and the key is accepted again at once.",
  }),
  hunt("broken promise", {
    policy: hardened,
    invariant: "execution",
    faults: { brokenPromise: 1 },
    length: 7,
    story:
      "Downstream says success:false after the effect; the release lets the retry execute again.",
  }),
  hunt("deaf downstream", {
    policy: { ...hardened, downstreamDeadline: "none", downstreamFence: "none" },
    invariant: "execution",
    length: 9,
    story:
      "Downstream knows neither deadline nor fence: an attempt that stalls past its pending time executes all the same.",
  }),
  hunt("lost release (hardened)", {
    policy: hardened,
    invariant: "failed-may-retry",
    attempts: 1,
    faults: { softFail: 1, lostSettlement: 1 },
    length: 4,
    story:
      "The release is best effort: where it is lost, the key stays taken until its pending time is over.",
  }),
];
