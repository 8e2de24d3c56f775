// What is recorded while a gateway plan runs: every call, what it did, who heard of it, and every response.
import type { GatewayMode } from "../../model/gateway-attempt.ts";
import type { KeyRecord } from "../../model/vocabulary.ts";
import type { PlannedRequest } from "./gateway-plan.ts";

/** Moments are in milliseconds; `atMs` is true time since the start. */
export interface GatewayHistory {
  readonly policy: string;
  readonly mode: GatewayMode;
  readonly requests: readonly PlannedRequest[];
  readonly events: readonly GatewayEvent[];
}

export type GatewayEvent = { readonly atMs: number } & (
  | {
      readonly kind: "arrival";
      readonly attempt: number;
      /** On the gateway's clock. */
      readonly gatewayMs: number;
    }
  | CallMade
  | StoreAnswered
  | Dispatched
  | { readonly kind: "enqueued"; readonly attempt: number; readonly message: number }
  /** A copy of a call is on its way, and nobody waits for it. */
  | {
      readonly kind: "copy-sent" | "copy-arrived";
      readonly attempt: number;
      readonly call: CallName;
    }
  /** The caller hears: an answer, by its word, or nothing. */
  | {
      readonly kind: "reply";
      readonly attempt: number;
      readonly by: string;
      readonly call: CallName;
      readonly heard: string;
    }
  | {
      readonly kind: "delivery";
      readonly attempt: number;
      readonly message: number;
      readonly by: string;
      /** Past the deadline that the message carries, on the gateway's clock. */
      readonly late: boolean;
    }
  /** `acknowledged` takes the message out of the queue; `buried` puts it in the dead-letter queue. */
  | {
      readonly kind: "acknowledged" | "retried" | "buried";
      readonly attempt: number;
      readonly message: number;
    }
  | Responded
  | { readonly kind: "stopped"; readonly by: string; readonly attempt: number }
  | { readonly kind: "crash" | "ring"; readonly records: Records }
  /**
   * `advance`: time passes for everybody, `atMs` is after it. `late-alarm`: the same, and no alarm
   * rings. `jump`: for the store alone.
   */
  | {
      readonly kind: "advance" | "late-alarm" | "jump";
      readonly ms: number;
      readonly records: Records;
    }
);

export type CallName =
  | "reserve"
  | "claim"
  | "commit"
  | "release"
  | "dispatch"
  | "enqueue"
  | "hasMark"
  | "mark"
  | "deadLetter";

export type Records = Readonly<Record<string, KeyRecord>>;

/** The caller has made its next call, which waits to be let through. */
export interface CallMade {
  readonly kind: "call";
  readonly attempt: number;
  /** `attempt A`, `delivery 1` … */
  readonly by: string;
  readonly call: CallName | "admit";
  /** The key in the store, where the call names one. */
  readonly key: string | null;
}

/** A call took effect at the store. */
export interface StoreAnswered {
  readonly kind: "store";
  readonly attempt: number;
  readonly by: string;
  readonly call: "reserve" | "claim" | "commit" | "release";
  readonly key: string;
  readonly token: string;
  /** Null where the call carries none. */
  readonly fingerprint: string | null;
  /** The response of a commit, as it is to be stored. */
  readonly response: string | null;
  /** What the store answered; `unknown` where it was reset meanwhile. */
  readonly answer: string;
  readonly storeMs: number;
  /** What the store held of the key and that still blocked, right before and right after. */
  readonly before: KeyRecord | null;
  readonly after: KeyRecord | null;
  readonly records: Records;
}

/** A call arrived at downstream. */
export interface Dispatched {
  readonly kind: "dispatched";
  readonly attempt: number;
  readonly by: string;
  readonly viaQueue: boolean;
  /** The attempt's owner token, or the name of its very delivery. */
  readonly token: string;
  /** The client order id. */
  readonly key: string;
  /** The key in the store whose client order id this is; null where nobody asked for such a key. */
  readonly storeKey: string | null;
  readonly executed: boolean;
  readonly said: string;
  readonly downstreamMs: number;
  /** The deadline of the queued message; null for a call of the gateway. */
  readonly messageDeadlineMs: number | null;
}

export interface Responded {
  readonly kind: "response";
  readonly attempt: number;
  readonly status: number;
  /** Machine-readable; empty where the effect happened or will. */
  readonly code: string;
  readonly replayed: boolean;
  readonly contentType: string | null;
  readonly body: string;
}

/** `attempt A` for the first, and so on. */
export function attemptName(index: number): string {
  return `attempt ${String.fromCharCode(65 + index)}`;
}
