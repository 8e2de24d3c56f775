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
  /** How long an unsettled reservation blocks: past every effect it may still have, or only τ. */
  readonly pendingTime: "covers-effects" | "retention";

  // At the attempt.
  /** A reserve that failed or got no answer refuses the attempt, or lets it through (the paper). */
  readonly storeFailure: "refuse" | "permit";
  /** An attempt whose reserve got no answer releases its own token, best effort. */
  readonly releaseUnanswered: boolean;
  /** What an unknown outcome does to the reservation: it stays in doubt, or it is released. */
  readonly unknownOutcome: "in-doubt" | "release";
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
  storeFailure: "permit",
  releaseUnanswered: false,
  unknownOutcome: "release",
};

export const published: Policy = {
  ...paper,
  name: "published",
  phases: "two",
  alarm: "earliest",
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
  storeFailure: "refuse",
  releaseUnanswered: true,
  unknownOutcome: "in-doubt",
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
  switch (policy.pendingTime) {
    case "covers-effects":
      return {
        deadlineMs,
        pendingMs: deadlineMs + retentionMs + lagMs + jumpMs,
        retentionMs: retentionMs + jumpMs,
      };
    case "retention":
      return { deadlineMs, pendingMs: retentionMs, retentionMs };
  }
}
