// What a store must offer to be judged: the StoreTarget contract that every adapter implements.

/** A system under test. A target module's default export is one of these. */
export interface StoreTarget {
  /** Names the target in results and reports. */
  readonly name: string;
  readonly capabilities: TargetCapabilities;
  /**
   * Opens a fresh, empty store. An unsettled reservation blocks for `pendingMs` from its
   * acceptance, a committed record for `retentionMs` from its commit, both half-open.
   */
  open(options: SessionOptions): Promise<StoreSession>;
}

export interface TargetCapabilities {
  /** A reservation belongs to its token; fences are answered and grow. */
  readonly ownerTokens: boolean;
  /** Another payload under the same key is `mismatch` while a record blocks. */
  readonly fingerprints: boolean;
  /** A `duplicate` carries the stored response. */
  readonly replay: boolean;
  /** `crash()` really resets the store. */
  readonly crash: boolean;
  /** Time moves by `advance` alone; otherwise the suite keeps away from the edges. */
  readonly exactClock: boolean;
}

export interface SessionOptions {
  /** A positive whole number of milliseconds. */
  readonly pendingMs: number;
  /** A positive whole number of milliseconds; it may be smaller or larger than `pendingMs`. */
  readonly retentionMs: number;
}

/** One store of its own. Operations may overlap; each takes effect at one moment. */
export interface StoreSession {
  reserve(
    key: string,
    attempt: { readonly token: string; readonly fingerprint: string },
  ): Promise<ReserveAnswer>;
  commit(
    key: string,
    attempt: { readonly token: string; readonly fingerprint: string; readonly response: string },
  ): Promise<SettlementAnswer>;
  release(key: string, attempt: { readonly token: string }): Promise<SettlementAnswer>;
  /** Moves time by a whole number ≥ 0 of milliseconds; resolves when every due alarm has finished. */
  advance(ms: number): Promise<void>;
  /** Resets the store; what was answered survives. A call under way may reject. */
  crash(): Promise<void>;
  /** How many records are stored: blocking ones always, ended ones perhaps, counters never. */
  size(): Promise<number>;
  /** Gives everything back; a second call does nothing. */
  close(): Promise<void>;
}

/**
 * A `deadline` is a moment of the session's time, which starts at 0 and moves by `advance`; all of a
 * session's lie equally long after their acceptances. `inDoubt` is true from that moment on.
 */
export type ReserveAnswer =
  | { readonly outcome: "proceed"; readonly fence?: number; readonly deadline?: number }
  | { readonly outcome: "in-flight"; readonly inDoubt?: boolean }
  | { readonly outcome: "duplicate"; readonly response?: string }
  | { readonly outcome: "mismatch" }
  | { readonly outcome: "unavailable" };

export type SettlementAnswer = "done" | "stale" | "unavailable";
