// Decides what a reader may believe that the store holds, as far as a history has told.
import type { History, StoreAnswer, StoreCall } from "../properties/history.ts";

/** What is known of one key; `certain` is false after a call whose effect nobody knows. */
export interface KnownRecord {
  readonly status: "free" | "pending" | "committed";
  readonly attempt: number;
  /** When its blocking ends by the contract. */
  readonly untilMs: number;
  readonly certain: boolean;
}

const free: KnownRecord = { status: "free", attempt: -1, untilMs: 0, certain: true };

/** Follows a history's answers, key by key. */
export class KnownRecords {
  readonly #history: History;
  readonly #records = new Map<string, KnownRecord>();
  readonly #tokens = new Map<string, string>();

  constructor(history: History) {
    this.#history = history;
  }

  at(key: string, nowMs: number): KnownRecord {
    const record = this.#records.get(key) ?? free;
    return record.status !== "free" && nowMs >= record.untilMs ? free : record;
  }

  /** Takes in an answer; `atMs` is when it was given. */
  learn(call: StoreCall, answer: StoreAnswer, atMs: number): void {
    const before = this.at(call.key, atMs);
    const isKnown = answer.outcome !== "indeterminate";
    if (isKnown && answer.outcome !== "proceed" && answer.outcome !== "done") return;
    // Without owner tokens a commit that finds nothing is answered `done` as well.
    const isVoid = call.call === "commit" && before.status === "free";
    const certain = isKnown && (this.#history.capabilities.ownerTokens || !isVoid);
    this.#records.set(call.key, { ...this.#after(call, before, atMs), certain });
    if (call.call !== "release") this.#tokens.set(call.key, call.token);
  }

  #after(call: StoreCall, before: KnownRecord, atMs: number): KnownRecord {
    const { pendingMs, retentionMs } = this.#history;
    const isOwn = before.status !== "free" && this.#tokens.get(call.key) === call.token;
    switch (call.call) {
      case "reserve":
        return before.status === "pending" && isOwn
          ? before
          : { ...free, status: "pending", attempt: call.attempt, untilMs: atMs + pendingMs };
      case "commit":
        return before.status === "committed"
          ? before
          : { ...free, status: "committed", attempt: call.attempt, untilMs: atMs + retentionMs };
      case "release":
        return free;
    }
  }
}
