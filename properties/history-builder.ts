// Builds histories by hand for tests: each line is a call and its answer, or a thing that happened.
import type {
  EffectEvent,
  History,
  HistoryEvent,
  StoreAnswer,
  StoreCall,
  TargetFaultEvent,
} from "./history.ts";
import { sessionTimes } from "./policy-answers.ts";
import type { ReserveAnswer, TargetCapabilities } from "./target.ts";

export const allCapabilities: TargetCapabilities = {
  ownerTokens: true,
  fingerprints: true,
  replay: true,
  crash: true,
  exactClock: true,
};

/** Attempts are named by their letter: A is attempt 0, with the token `token-A`. */
export interface CallDetails {
  readonly key?: string;
  readonly token?: string;
  readonly fingerprint?: string;
  readonly response?: string;
  /** False where the reply is lost. */
  readonly delivered?: boolean;
}

export interface BuilderOptions {
  readonly pendingMs?: number;
  readonly retentionMs?: number;
  readonly capabilities?: Partial<TargetCapabilities>;
}

type Answer = StoreAnswer | Exclude<StoreAnswer["outcome"], "proceed">;

export class HistoryBuilder implements History {
  readonly pendingMs: number;
  readonly retentionMs: number;
  readonly capabilities: TargetCapabilities;
  readonly events: HistoryEvent[] = [];
  #nowMs = 0;
  #operations = 0;
  readonly #deadlines = new Map<number, number>();

  constructor({ pendingMs = 100, retentionMs = 100, capabilities = {} }: BuilderOptions = {}) {
    this.pendingMs = pendingMs;
    this.retentionMs = retentionMs;
    this.capabilities = { ...allCapabilities, ...capabilities };
  }

  /** A whole reserve. */
  reserve(attempt: string, answer: Answer, details: CallDetails = {}): this {
    return this.complete(this.start("reserve", attempt, details), answer, details);
  }

  /** A reserve that is accepted, with a fence and a deadline where there are owner tokens. */
  accept(attempt: string, fence = 1, details: CallDetails = {}): this {
    return this.reserve(attempt, this.proceed(fence), details);
  }

  commit(attempt: string, answer: Answer, details: CallDetails = {}): this {
    return this.complete(this.start("commit", attempt, details), answer, details);
  }

  release(attempt: string, answer: Answer, details: CallDetails = {}): this {
    return this.complete(this.start("release", attempt, details), answer, details);
  }

  /** A `proceed` with the deadline that its fence had before, or half the pending time from now. */
  proceed(fence: number): ReserveAnswer {
    if (!this.capabilities.ownerTokens) return { outcome: "proceed" };
    const { deadlineMs } = sessionTimes(this);
    const deadline = this.#deadlines.get(fence) ?? this.#nowMs + deadlineMs;
    this.#deadlines.set(fence, deadline);
    return { outcome: "proceed", fence, deadline };
  }

  /** Invokes a call and gives its number, by which it is completed, or never. */
  start(call: StoreCall["call"], attempt: string, details: CallDetails = {}): number {
    const operation = this.#operations++;
    const invoked = callOf(call, attempt, details);
    this.events.push({ kind: "invocation", atMs: this.#nowMs, operation, ...invoked });
    return operation;
  }

  complete(operation: number, answer: Answer, { delivered = true }: CallDetails = {}): this {
    this.events.push({
      kind: "completion",
      atMs: this.#nowMs,
      operation,
      answer: typeof answer === "string" ? { outcome: answer } : answer,
      delivered,
    });
    return this;
  }

  lost(call: StoreCall["call"], attempt: string, details: CallDetails = {}): this {
    this.events.push({
      kind: "lost-call",
      atMs: this.#nowMs,
      ...callOf(call, attempt, details),
    });
    return this;
  }

  effect(attempt: string, outcome: EffectEvent["outcome"] = "success", key = "k"): this {
    const executed = outcome === "success";
    this.events.push({
      kind: "effect",
      atMs: this.#nowMs,
      attempt: numberOf(attempt),
      key,
      outcome,
      executed,
    });
    return this;
  }

  advance(ms: number): this {
    this.events.push({ kind: "advance", atMs: this.#nowMs, ms });
    this.#nowMs += ms;
    return this;
  }

  crash(): this {
    this.events.push({ kind: "crash", atMs: this.#nowMs });
    return this;
  }

  size(size: number): this {
    this.events.push({ kind: "size", atMs: this.#nowMs, size });
    return this;
  }

  fault(operation: string, problem: TargetFaultEvent["problem"], detail: string): this {
    this.events.push({ kind: "target-fault", atMs: this.#nowMs, operation, problem, detail });
    return this;
  }
}

function numberOf(attempt: string): number {
  return attempt.charCodeAt(0) - 65;
}

function callOf(call: StoreCall["call"], attempt: string, details: CallDetails): StoreCall {
  const { key = "k", token = `token-${attempt}`, fingerprint = "f", response = "ok" } = details;
  const common = { attempt: numberOf(attempt), key, token };
  switch (call) {
    case "reserve":
      return { call, ...common, fingerprint };
    case "commit":
      return { call, ...common, fingerprint, response };
    case "release":
      return { call, ...common };
  }
}
