// A store in memory, written by hand from the contract, to check the machine by a second opinion.
import type { Policy } from "../../model/policy.ts";
import { capabilitiesOf, sessionTimes } from "../policy-answers.ts";
import type {
  ReserveAnswer,
  SessionOptions,
  SettlementAnswer,
  StoreSession,
  StoreTarget,
} from "../target.ts";

/** The memory store under a policy; it shares no decision with the key lifecycle machine. */
export function memoryTarget(policy: Policy): StoreTarget {
  return {
    name: "memory",
    capabilities: capabilitiesOf(policy),
    open: async (options) => new MemoryStore(policy, options),
  };
}

interface Entry {
  readonly token: string;
  readonly fingerprint: string;
  readonly fence: number;
  readonly deadlineAtMs: number;
  endMs: number;
  /** Undefined while pending. */
  response?: string;
}

class MemoryStore implements StoreSession {
  readonly #policy: Policy;
  readonly #options: SessionOptions;
  readonly #entries = new Map<string, Entry>();
  #nowMs = 0;
  #fence = 0;

  constructor(policy: Policy, options: SessionOptions) {
    this.#policy = policy;
    this.#options = options;
  }

  async reserve(
    key: string,
    { token, fingerprint }: { readonly token: string; readonly fingerprint: string },
  ): Promise<ReserveAnswer> {
    const { fingerprints, ownerTokens, refusal, repeatedReserve, replay } = this.#policy;
    const entry = this.#blocking(key);
    if (entry === undefined) return this.#accept(key, token, fingerprint);
    if (fingerprints && entry.fingerprint !== fingerprint) return { outcome: "mismatch" };
    if (entry.response !== undefined) {
      return replay ? { outcome: "duplicate", response: entry.response } : { outcome: "duplicate" };
    }
    if (ownerTokens && repeatedReserve && entry.token === token) return this.#proceed(entry);
    if (refusal === "uniform") return { outcome: "duplicate" };
    return { outcome: "in-flight", inDoubt: this.#nowMs >= entry.deadlineAtMs };
  }

  async commit(
    key: string,
    attempt: { readonly token: string; readonly fingerprint: string; readonly response: string },
  ): Promise<SettlementAnswer> {
    const { lateCommit, ownerTokens, phases, retentionFrom } = this.#policy;
    if (phases === "one") return "stale";
    const { token, fingerprint, response } = attempt;
    const endMs = this.#nowMs + this.#options.retentionMs;
    const entry = this.#blocking(key);
    if (entry === undefined) {
      if (lateCommit === "record") {
        const deadlineAtMs = this.#nowMs;
        this.#entries.set(key, { token, fingerprint, fence: 0, deadlineAtMs, endMs, response });
        return "done";
      }
      if (ownerTokens) return "stale";
      this.#entries.delete(key);
      return "done";
    }
    if (ownerTokens && entry.token !== token) return "stale";
    if (entry.response === undefined) {
      entry.response = response;
      if (retentionFrom === "commit") entry.endMs = endMs;
    }
    return "done";
  }

  async release(key: string, { token }: { readonly token: string }): Promise<SettlementAnswer> {
    if (this.#policy.phases === "one") return "stale";
    if (this.#policy.ownerTokens) {
      const entry = this.#blocking(key);
      if (entry === undefined || entry.token !== token) return "stale";
      if (entry.response !== undefined) return "stale";
    }
    this.#entries.delete(key);
    return "done";
  }

  async advance(ms: number): Promise<void> {
    this.#nowMs += ms;
    for (const key of [...this.#entries.keys()]) {
      if (this.#blocking(key) === undefined) this.#entries.delete(key);
    }
  }

  async crash(): Promise<void> {}

  async size(): Promise<number> {
    return this.#entries.size;
  }

  async close(): Promise<void> {}

  #blocking(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#nowMs < entry.endMs ? entry : undefined;
  }

  #accept(key: string, token: string, fingerprint: string): ReserveAnswer {
    const { deadlineMs, pendingMs } = sessionTimes(this.#options);
    this.#fence += 1;
    const entry: Entry = {
      token,
      fingerprint,
      fence: this.#fence,
      deadlineAtMs: this.#nowMs + deadlineMs,
      endMs: this.#nowMs + pendingMs,
    };
    this.#entries.set(key, entry);
    return this.#proceed(entry);
  }

  #proceed({ fence, deadlineAtMs }: Entry): ReserveAnswer {
    return this.#policy.ownerTokens
      ? { outcome: "proceed", fence, deadline: deadlineAtMs }
      : { outcome: "proceed" };
  }
}
