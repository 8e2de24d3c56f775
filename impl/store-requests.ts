// What a caller sends to the store and what it gets back, as plain data that crosses RPC.
import type { BlockingTimes, KeyRecord } from "../model/vocabulary.ts";
import type { MessageStanding } from "./message-standing.ts";

export interface ReserveRequest {
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly times: BlockingTimes;
}

/** A queue consumer asks to execute the message of `token`, for this one delivery. */
export interface ClaimRequest {
  readonly key: string;
  readonly token: string;
  readonly delivery: string;
}

export interface CommitRequest {
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly response: string;
  readonly times: BlockingTimes;
}

/** Asks how the message of `token` stands; nothing changes. */
export interface StandingRequest {
  readonly key: string;
  readonly token: string;
}

export interface ReleaseRequest {
  readonly key: string;
  readonly token: string;
}

export interface StandingReply {
  readonly outcome: "stands";
  readonly standing: MessageStanding;
}

/** The store keeps nothing of a request that it refuses as invalid. */
export interface Refusal {
  readonly outcome: "invalid";
  /** Which field, for example `times.pendingMs`; `request` where it is no object at all. */
  readonly field: string;
  /** What the field may be, for example `a string of 1 to 1024 UTF-16 code units`. */
  readonly limit: string;
  /** What it was instead, without its content. */
  readonly found: string;
}

/** What an object holds, for tests, conformance and the curious; never for deciding. */
export interface StoreInspection {
  /** The name of the policy that decides here. */
  readonly policy: string;
  /** How many records are stored, ended ones included. */
  readonly count: number;
  /** The first of them (`inspectedRecords` at most), in the order in which they end. */
  readonly records: readonly { readonly key: string; readonly record: KeyRecord }[];
  readonly nextAlarmAtMs: number | null;
  /** The fence of the newest reservation; 0 before the first. */
  readonly lastFence: number;
}
