// What a rate limit is, and how a sliding log or a fixed window decides one request.

export interface RateLimit {
  /** `sliding-log`: no window of the length holds more. `fixed-window`: as published, none that starts at a first request. */
  readonly algorithm: "sliding-log" | "fixed-window";
  readonly requests: number;
  readonly windowMs: number;
}

export type AdmissionReply =
  | { readonly outcome: "admitted" }
  /** `retryAfterMs`: when one more may be admitted, if nobody else asks. */
  | { readonly outcome: "limited"; readonly retryAfterMs: number };

/** The most requests of a limit, and its longest window: a million, and 31 days. */
export const limitBounds = { requests: 1_000_000, windowMs: 31 * 24 * 3_600_000 } as const;

/** A limit is legal from 1 request a millisecond up to a million requests in 31 days. */
export function isLegalLimit(limit: unknown): limit is RateLimit {
  if (typeof limit !== "object" || limit === null) return false;
  const { algorithm, requests, windowMs } = limit as Readonly<Record<string, unknown>>;
  return (
    (algorithm === "sliding-log" || algorithm === "fixed-window") &&
    isBetween(requests, 1, limitBounds.requests) &&
    isBetween(windowMs, 1, limitBounds.windowMs)
  );
}

/**
 * The sliding log: a request is admitted if the request `limit.requests` admissions ago has left
 * the window. `decisiveAtMs` is when that one was admitted, or null where there is none.
 */
export function decideSliding(
  limit: RateLimit,
  decisiveAtMs: number | null,
  now: number,
): AdmissionReply {
  if (decisiveAtMs === null || decisiveAtMs + limit.windowMs <= now) return { outcome: "admitted" };
  return { outcome: "limited", retryAfterMs: decisiveAtMs + limit.windowMs - now };
}

/** The fixed window of seed 000: it starts at the first request, and admits `limit.requests`. */
export function decideFixed(
  limit: RateLimit,
  window: { readonly startedAtMs: number; readonly admitted: number } | null,
  now: number,
): AdmissionReply {
  const isOver = window === null || window.startedAtMs + limit.windowMs <= now;
  if (isOver || window.admitted < limit.requests) return { outcome: "admitted" };
  return { outcome: "limited", retryAfterMs: window.startedAtMs + limit.windowMs - now };
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}
