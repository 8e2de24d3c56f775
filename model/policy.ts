// Which mechanisms are on: every mechanism is a switch, and every policy is a value of the switches.
import type { BlockingTimes } from "./vocabulary.ts";

export type PolicyName = "paper" | "published" | "hardened";

export interface Policy {
  /** `paper`, `published`, `hardened`, or for an ablation `hardened without …`. */
  readonly name: string;

  // At the store.
  /** One phase: a reservation is final, commit and release change nothing (the paper's Algorithm 1). */
  readonly phases: "one" | "two";
  /** Commit and release are obeyed only from the token that made the reservation. */
  readonly ownerTokens: boolean;
  /** A pending reservation answers `proceed` again to its own token. */
  readonly repeatedReserve: boolean;
  /** The same key with another payload is `mismatch` while a record blocks. */
  readonly fingerprints: boolean;
  /** A committed record answers with the stored response. */
  readonly replay: boolean;
  /** Whether a refusal tells `in-flight` from `duplicate`, or says `duplicate` for both. */
  readonly refusal: "by-status" | "uniform";
  /** From when a committed record blocks: its commit, or (as published) still its reserve. */
  readonly retentionFrom: "commit" | "reserve";
  /** A commit that finds the key free records itself, or erases what is left and says done. */
  readonly lateCommit: "record" | "ignore";
  /** The alarm is only moved earlier, or always moved to the newest expiry (the paper). */
  readonly alarm: "earliest" | "replace";
  /** One synchronous transaction, or `blockConcurrencyWhile` around asynchronous storage. */
  readonly criticalSection: "transaction" | "block-concurrency";
  /** How long an unsettled reservation blocks: past every effect it may still have (or one less: an ablation), or only τ. */
  readonly pendingTime: "covers-effects" | "one-less" | "retention";
  /** How long a committed record blocks: τ and what the store's clock may jump, or τ alone. */
  readonly committedTime: "covers-jump" | "retention";

  // At the rate limiter.
  /** A log of each admission, so that any window is bounded, or (as published) one window that starts at a first request. */
  readonly rateLimit: "sliding-log" | "fixed-window";

  // At the attempt.
  /** A reserve that failed or got no answer refuses the attempt, or lets it through (the paper). */
  readonly storeFailure: "refuse" | "permit";
  /** An attempt whose reserve got no answer releases its own token, best effort. */
  readonly releaseUnanswered: boolean;
  /** What an unknown outcome does to the reservation: it stays in doubt, or it is released. */
  readonly unknownOutcome: "in-doubt" | "release";
  /** How often an attempt sends its reserve before it takes the store for silent. */
  readonly reserveTries: 1 | 2;
  /** A token whose release was sent is never reserved again; without it the attempt releases between its tries. */
  readonly deadTokens: boolean;
  /** What a `proceed` does that arrives after the attempt gave its token up. */
  readonly lateProceed: "ignore" | "obey";
  /** From when D counts: the acceptance, as the store stamped it, or the receipt of the answer. */
  readonly deadlineFrom: "acceptance" | "receipt";
  /** What refused by fence means: the outcome is unknown, or the effect did not happen. */
  readonly fenceRefusal: "unknown" | "definite-failure";
  /** After which failures of the call an attempt turns to the queue, where it has one. */
  readonly failover: "not-connected" | "any-failure";
  /** What a client key that is not valid does: the request is refused, or the key is replaced. */
  readonly invalidKey: "refuse" | "replace";
  /** The key of a request without one: one fingerprint for the window W, or one a minute. */
  readonly fingerprintKey: "window" | "minute-bucket";

  // At downstream.
  /** Whether an effect past its deadline is refused, and whether deciding and acting are one step. */
  readonly downstreamDeadline: "one-step" | "check-then-act" | "none";
  /** Whether older fences are refused, and an equal one that was seen. */
  readonly downstreamFence: "refuse-seen" | "refuse-older" | "none";

  // At the queue and its consumer.
  /** When a queued message is committed: by the consumer that executed it, or by the gateway that enqueued it. */
  readonly commitWhen: "executed" | "enqueued";
  /** What lets a delivery execute: a claim at the store (by delivery or by token), or the absence of a mark. */
  readonly consumerGuard: "claim-by-delivery" | "claim-by-token" | "presence-mark";
  /** What a message past its deadline, or one that failed, comes to: the dead-letter queue, or nothing. */
  readonly deadMessage: "dead-letter" | "drop";
}

export const paper: Policy = {
  name: "paper",
  phases: "one",
  ownerTokens: false,
  repeatedReserve: false,
  fingerprints: false,
  replay: false,
  refusal: "uniform",
  retentionFrom: "reserve",
  lateCommit: "ignore",
  alarm: "replace",
  criticalSection: "block-concurrency",
  pendingTime: "retention",
  committedTime: "retention",
  rateLimit: "sliding-log",
  storeFailure: "permit",
  releaseUnanswered: false,
  unknownOutcome: "release",
  reserveTries: 1,
  deadTokens: true,
  lateProceed: "ignore",
  deadlineFrom: "acceptance",
  fenceRefusal: "unknown",
  failover: "any-failure",
  invalidKey: "replace",
  fingerprintKey: "minute-bucket",
  downstreamDeadline: "none",
  downstreamFence: "none",
  commitWhen: "enqueued",
  consumerGuard: "presence-mark",
  deadMessage: "dead-letter",
};

export const published: Policy = {
  ...paper,
  name: "published",
  phases: "two",
  alarm: "earliest",
  rateLimit: "fixed-window",
  storeFailure: "refuse",
};

export const hardened: Policy = {
  name: "hardened",
  phases: "two",
  ownerTokens: true,
  repeatedReserve: true,
  fingerprints: true,
  replay: true,
  refusal: "by-status",
  retentionFrom: "commit",
  lateCommit: "record",
  alarm: "earliest",
  criticalSection: "transaction",
  pendingTime: "covers-effects",
  committedTime: "covers-jump",
  rateLimit: "sliding-log",
  storeFailure: "refuse",
  releaseUnanswered: true,
  unknownOutcome: "in-doubt",
  reserveTries: 2,
  deadTokens: true,
  lateProceed: "ignore",
  deadlineFrom: "acceptance",
  fenceRefusal: "unknown",
  failover: "not-connected",
  invalidKey: "refuse",
  fingerprintKey: "window",
  downstreamDeadline: "one-step",
  downstreamFence: "refuse-seen",
  commitWhen: "executed",
  consumerGuard: "claim-by-delivery",
  deadMessage: "dead-letter",
};

export const policies: Readonly<Record<PolicyName, Policy>> = { paper, published, hardened };

/** The system's time parameters, in milliseconds, in the letters of the design. */
export interface TimeParameters {
  /** τ: how long a committed record has to block. */
  readonly retentionMs: number;
  /** D: how long after its acceptance an effect may still happen. */
  readonly deadlineMs: number;
  /** ε: how far downstream's clock may lag behind the store's. */
  readonly lagMs: number;
  /** S: how far the store's own clock may jump forward in all. */
  readonly jumpMs: number;
}

/**
 * The blocking times that a policy derives from the time parameters: under `hardened` a pending
 * record blocks D + τ + ε + S and a committed one τ + S; as published everything blocks τ.
 */
export function blockingTimes(policy: Policy, parameters: TimeParameters): BlockingTimes {
  const { retentionMs, deadlineMs, lagMs, jumpMs } = parameters;
  const coversEffectsMs = deadlineMs + retentionMs + lagMs + jumpMs;
  const pending = {
    "covers-effects": coversEffectsMs,
    "one-less": coversEffectsMs - 1,
    retention: retentionMs,
  };
  const committed = { "covers-jump": retentionMs + jumpMs, retention: retentionMs };
  return {
    deadlineMs,
    pendingMs: pending[policy.pendingTime],
    retentionMs: committed[policy.committedTime],
  };
}
