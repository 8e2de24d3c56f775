// What one generated run of the rate limiter is made of: a limit, requests from isolates, time and resets.

export interface RateLimitPlan {
  /** How many requests of a tenant a window admits. */
  readonly limit: number;
  readonly windowMs: number;
  readonly steps: readonly RateLimitStep[];
}

export type RateLimitStep =
  | AskStep
  /** Time passes, and every alarm due on the way rings at its moment. */
  | { readonly kind: "advance"; readonly ms: number }
  /** Time passes and the alarms stay silent: they are late until time passes again. */
  | { readonly kind: "late-alarm"; readonly ms: number }
  /** The limiters of all tenants are reset: memory is gone, what was stored stays. */
  | { readonly kind: "crash" };

/** A request of a tenant asks its limiter from an isolate. */
export interface AskStep {
  readonly kind: "ask";
  /** Below `tenantCount`; each tenant has a limiter of its own. */
  readonly tenant: number;
  /** Below `isolateCount`. */
  readonly isolate: number;
  /** The next request, where one follows at once, is sent before this one is answered. */
  readonly overlaps: boolean;
}

export const tenantCount = 2;
export const isolateCount = 3;
