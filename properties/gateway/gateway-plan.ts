// What one generated run of the gateway is made of: requests, faults, clocks and schedule, all of it data.
import type { GatewayMode } from "../../model/gateway-attempt.ts";
import type { Behaviour } from "../../impl/simulated-order.ts";

/**
 * A plan that a runner carries out step by step. A step that cannot be taken, because nobody waits
 * there, is passed over: so any part of a plan can go while it shrinks.
 */
export interface GatewayPlan {
  readonly mode: GatewayMode;
  /** How far the gateway's clock is ahead of true time. */
  readonly gatewayAheadMs: number;
  /** How far downstream's clock lags behind true time: ε at most; negative where it is ahead. */
  readonly downstreamLagMs: number;
  /** One attempt each. */
  readonly requests: readonly PlannedRequest[];
  readonly steps: readonly GatewayStep[];
}

export interface PlannedRequest {
  readonly bearer: Bearer;
  /** `none` asks for the fingerprint key; the long ones have 257 characters. */
  readonly clientKey: "none" | "one" | "two" | "long" | "other-long" | "empty";
  readonly payload: "same" | "other";
  /** Another spelling of the same payload, with the client's key in it and not in the header. */
  readonly respelled: boolean;
}

/** Whose request it is; `forged` is nobody's. */
export type Bearer = "live" | "test" | "other-tenant" | "forged";

/** Who makes the next call: an attempt at the gateway, or a delivery at the consumer. */
export interface Caller {
  readonly who: "attempt" | "delivery";
  readonly index: number;
}

export type GatewayStep =
  | { readonly kind: "start"; readonly attempt: number }
  | PassStep
  /** The caller dies where it is; its calls under way go on. */
  | { readonly kind: "stop"; readonly caller: Caller }
  /** The first copies, by the order in which they were sent, of calls that nobody waits for. */
  | { readonly kind: "arrive"; readonly copy: number }
  /** The queue delivers a message, again or for the first time, while others may be under way. */
  | { readonly kind: "deliver"; readonly message: number; readonly delivery: number }
  | { readonly kind: "advance"; readonly ms: number }
  | {
      readonly kind: "advance-to";
      readonly edge: Edge;
      readonly attempt: number;
      readonly offsetMs: number;
    }
  /** Time passes and the store's alarm stays silent: it is late until time passes again. */
  | { readonly kind: "late-alarm"; readonly ms: number }
  /** The store's alarm rings out of turn, as one that is repeated. */
  | { readonly kind: "ring" }
  /** The store's clock steps forward, and true time does not; S at most in all. */
  | { readonly kind: "jump"; readonly ms: number }
  | { readonly kind: "crash" };

/** Lets the caller's next call through. */
export interface PassStep {
  readonly kind: "pass";
  readonly caller: Caller;
  readonly fault: CallFault;
  /** What downstream does, where the call goes there. */
  readonly behaviour: Behaviour;
}

/**
 * `delayed`: the caller gives up, the call arrives by a later step. `duplicated`: so does a second
 * copy of it. `crossed`: both copies arrive at once and the second one's answer comes first.
 * `slow`: it takes effect now, and the caller hears of it at its next step. `crashed`: the object is reset while the call is under way. `stale`: a read that misses the
 * latest write, which only the published consumer's mark can have.
 */
export type CallFault =
  | "none"
  | "lost-before"
  | "lost-after"
  | "failed"
  | "delayed"
  | "duplicated"
  | "crossed"
  | "slow"
  | "crashed"
  | "stale";

/** The deadline or the end of the record that blocks the attempt's key; the gateway's next minute. */
export type Edge = "deadline" | "expiry" | "minute";

/** The times of every plan, in milliseconds, in the letters of the design. */
export const planTimes = {
  retentionMs: 300_000,
  /** W, of requests without a key of their own. */
  windowMs: 60_000,
  deadlineMs: 30_000,
  lagMs: 5_000,
  jumpMs: 5_000,
} as const;
