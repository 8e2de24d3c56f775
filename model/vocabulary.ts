// What is said to a key and what it answers: the words of the key lifecycle as types.

/** What the store keeps of a key while a reservation or a committed response blocks it. */
export interface KeyRecord {
  readonly status: "pending" | "committed";
  /** Owner token of the attempt whose reservation or late commit made this record. */
  readonly token: string;
  /** Digest of the payload. */
  readonly fingerprint: string;
  /** Grows with each new reservation; 0 in a record that a late commit made. */
  readonly fence: number;
  readonly acceptedAtMs: number;
  /** The last moment before which an effect of this reservation may still happen (exclusive). */
  readonly deadlineAtMs: number;
  /** End of the blocking, exclusive: at this very moment the key is free. */
  readonly expiresAtMs: number;
  /** The stored response of a committed record; null while pending and where nothing is replayed. */
  readonly response: string | null;
  /** The delivery that claimed the execution of a queued message; null while unclaimed. */
  readonly claimedBy: string | null;
}

/** How long things last, in milliseconds, each a positive safe integer. */
export interface BlockingTimes {
  /** D: how long after its acceptance an effect may still happen. */
  readonly deadlineMs: number;
  /** How long a reservation blocks that nobody settles. */
  readonly pendingMs: number;
  /** How long a committed record blocks, from its commit. */
  readonly retentionMs: number;
}

export type KeyEvent = ReserveEvent | ClaimEvent | CommitEvent | ReleaseEvent | AlarmEvent;

export interface ReserveEvent {
  readonly type: "RESERVE";
  readonly token: string;
  readonly fingerprint: string;
  /** The number that the reservation gets if it is created: one more than the store gave before. */
  readonly nextFence: number;
  readonly times: BlockingTimes;
  readonly now: number;
}

/** A queue consumer asks to execute the message of `token`, for this one delivery. */
export interface ClaimEvent {
  readonly type: "CLAIM";
  readonly token: string;
  readonly delivery: string;
  readonly now: number;
}

export interface CommitEvent {
  readonly type: "COMMIT";
  readonly token: string;
  readonly fingerprint: string;
  readonly response: string;
  readonly times: BlockingTimes;
  readonly now: number;
}

export interface ReleaseEvent {
  readonly type: "RELEASE";
  readonly token: string;
  readonly now: number;
}

export interface AlarmEvent {
  readonly type: "ALARM";
  readonly now: number;
}

export type ReserveReply =
  | { readonly outcome: "proceed"; readonly fence: number; readonly deadlineAtMs: number }
  | { readonly outcome: "in-flight"; readonly inDoubt: boolean }
  | { readonly outcome: "duplicate"; readonly response: string | null }
  | { readonly outcome: "mismatch" };

export interface SettlementReply {
  readonly outcome: "done" | "stale";
}

export type KeyReply = ReserveReply | SettlementReply;

/** What the shell has to carry out, in this order and in one transaction; `reply` leaves it. */
export type KeyCommand =
  | { readonly type: "persist"; readonly record: KeyRecord }
  | { readonly type: "erase" }
  | {
      readonly type: "scheduleAlarm";
      readonly atMs: number;
      /** `earliest` keeps an alarm that is set for a sooner moment; `replace` moves it always. */
      readonly mode: "earliest" | "replace";
    }
  | { readonly type: "reply"; readonly reply: KeyReply };
