// What a configuration of the system fixes: policy, mode, attempts, times, fault budgets, and which invariants are watched.
import type { GatewayMode } from "../../model/gateway-attempt.ts";
import type { Policy } from "../../model/policy.ts";

export interface LatchkeyOptions {
  readonly name: string;
  readonly policy: Policy;
  readonly mode: GatewayMode;
  readonly attempts: number;
  readonly times: SystemTimes;
  readonly budgets: Readonly<Partial<Record<Fault, Budget>>>;
  /** Where the keys come from; `client` keys never change. */
  readonly keys: "client" | "fingerprint" | "invalid-client";
  /** The observers that are built in: a state is as wide as what is watched. */
  readonly watched: readonly WatchedInvariant[];
}

/** In ticks. */
export interface SystemTimes {
  /** τ. */
  readonly retention: number;
  /** D. */
  readonly deadline: number;
  /** ε: how far downstream's clock may lag behind the store's. */
  readonly lag: number;
  /** S: how far the store's clock may jump forward in all. */
  readonly jump: number;
}

/** How often a fault may happen in one history; `any` keeps no count. */
export type Budget = number | "any";

export type Fault = keyof typeof faults;

/** The faults of the design, each with what it does here. */
export const faults = {
  lostCall: "A call to store, downstream or queue is lost before it takes effect.",
  lostReply: "A call takes effect and its reply is lost.",
  delay: "A caller gives up while its call is under way; it may arrive at any time, or never.",
  duplicate: "A call is delivered twice.",
  storeUnavailable: "The store is unavailable or not bound: a reserve fails definitely.",
  notConnected: "Downstream or the queue cannot be reached: the call fails definitely.",
  softFail: "Downstream says success:false, or refuses the trade, before any effect.",
  unclear: "Downstream executes and answers without a definite outcome: 5xx or an unreadable 2xx.",
  stop: "A gateway or a consumer stops between two steps, or its client goes away.",
  lostSettlement: "A commit or a release is lost, for good.",
  otherPayload: "A client sends the same key with another payload.",
  minute: "The minute ends between two attempts, on the gateway's clock.",
  redelivery: "The queue delivers a message again, beside a delivery that still runs or is done.",
  staleRead: "The KV store of the published consumer does not show a mark yet.",
  forged: "A request is not authenticated.",
  amnesia: "The store forgets what it answered: outside every claim.",
  brokenPromise: "Downstream says success:false after the effect: outside every claim.",
} as const;

export type WatchedInvariant = keyof typeof watchedInvariants;

/** The sentences are those of the design. */
export const watchedInvariants = {
  acceptance:
    "When a key is accepted a second time, the first acceptance was released by its own holder, or was committed and its retention has passed, or was neither and its pending time has passed.",
  execution: "No two executions of one key are less than τ apart.",
  exclusion:
    "An attempt holds from its acceptance until its own commit or release takes effect or its pending time ends; no two such intervals of one key overlap.",
  "committed-blocks":
    "After a commit answered done no acceptance of that key until its retention is over.",
  "release-on-soft-fail":
    "Once a release by the holder is answered done, the next reserve that the store serves is answered proceed, unless a late commit was recorded in between.",
  "fail-closed":
    "No execution without a preceding acceptance by the same attempt; a store that is missing, unavailable or silent at reserve means 503 and no execution by that attempt, ever.",
  ownership:
    "A commit or release by an attempt that is not the holder never changes another attempt's record and, while one blocks, is answered stale.",
  "truthful-refusal":
    "A 409 is sent only while the store holds a record of another attempt with the same fingerprint; one that says duplicate speaks of an effect that happened or still may.",
  "truthful-answer":
    "An attempt that was answered refused or failed did not execute and never will.",
  "nothing-lost":
    "An attempt that was answered 2xx executed, will execute, or ends visibly in the dead-letter queue.",
  mismatch: "While a record blocks, a reserve with another fingerprint is answered mismatch.",
  "lost-replies-heal":
    "While its reservation is pending, the same token asking again is told proceed.",
  "one-request-one-key": "Retries of one logical request get the same key.",
  isolation: "Different logical requests never share a key.",
  "collides-within-retention":
    "Within τ of an acceptance no other is given for the key, unless the first was released (the paper's wording).",
  "failed-may-retry":
    "Once an attempt was told that it failed and its release is no longer under way, its reservation does not block.",
  "record-blocks": "A second attempt collides with a pending and with a committed record.",
  "forged-never-executes":
    "A request that is not authenticated reaches neither store nor downstream.",
  "no-stuck-key": "From every state the key can be free again.",
} as const;

export function budgetOf(options: LatchkeyOptions, fault: Fault): Budget {
  return options.budgets[fault] ?? 0;
}

export function isWatched(options: LatchkeyOptions, invariant: WatchedInvariant): boolean {
  return options.watched.includes(invariant);
}

export function hasQueue(options: LatchkeyOptions): boolean {
  return options.mode !== "direct";
}

/** Keys can differ between attempts only where the gateway makes them: by the minute, if the policy says so. */
export function keyCount({ keys, policy }: LatchkeyOptions): 1 | 2 {
  const replaced = keys === "invalid-client" && policy.invalidKey === "replace";
  return keys === "fingerprint" || replaced ? 2 : 1;
}
