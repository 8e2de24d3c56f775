// What a run of a rate-limit plan leaves behind: every request with its answer, and what was stored.
import type { AdmissionReply } from "../../impl/rate-limit.ts";

export interface RateLimitHistory {
  readonly limit: number;
  readonly windowMs: number;
  readonly events: readonly RateLimitEvent[];
}

/** `atMs`: milliseconds since the start, on the limiters' clock. */
export type RateLimitEvent =
  | AskEvent
  /** `stored`: rows of each tenant's limiter after the alarms have rung. */
  | {
      readonly kind: "advance";
      readonly atMs: number;
      readonly ms: number;
      readonly stored: readonly number[];
      /** The suite's own look, which comes after the plan. */
      readonly isProbe: boolean;
    }
  | { readonly kind: "late-alarm"; readonly atMs: number; readonly ms: number }
  | { readonly kind: "crash"; readonly atMs: number };

export interface AskEvent {
  readonly kind: "ask";
  readonly atMs: number;
  /** Requests of one wave are in flight together, each sent before any of them is answered. */
  readonly wave: number;
  readonly tenant: number;
  readonly isolate: number;
  readonly reply: AdmissionReply;
}
