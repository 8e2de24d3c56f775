// What a client reads: every answer of the gateway as a response, refusals as problems of RFC 9457.
import { answerOf, type AnswerKind } from "../model/gateway-answers.ts";
import type { Policy } from "../model/policy.ts";
import type { StoredResponse } from "./stored-response.ts";

export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  /** What happened, and what to do next; never a secret, never the request's own content. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ProblemKind = Exclude<AnswerKind, "executed" | "queued">;

/** The problem of one kind of answer; a check that knows more gives its own detail and headers. */
export function problemOf(
  policy: Policy,
  kind: ProblemKind,
  more: { readonly detail?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Problem {
  const [title, detail] = texts[kind];
  return { ...answerOf(policy, kind), title, detail, ...more };
}

export function problemResponse(problem: Problem): Response {
  const { status, code, title, detail, headers } = problem;
  const body = JSON.stringify({ type: "about:blank", title, status, code, detail });
  return new Response(body, {
    status,
    headers: { ...headers, "content-type": "application/problem+json", ...common },
  });
}

export function storedResponse(response: StoredResponse, isReplayed: boolean): Response {
  const { status, headers, body } = response;
  const marker: Record<string, string> = isReplayed ? { "idempotency-replayed": "true" } : {};
  return new Response(body, { status, headers: { ...headers, ...marker, ...common } });
}

/** Whole seconds, at least one, as `Retry-After` wants them. */
export function retryAfter(ms: number): Readonly<Record<string, string>> {
  return { "retry-after": String(Math.max(1, Math.ceil(ms / 1000))) };
}

const common = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

const texts: Readonly<Record<ProblemKind, readonly [title: string, detail: string]>> = {
  method: ["Method not allowed", "Only POST makes a trade: send POST."],
  "body-size": ["Body too large", "The body has more than 65536 bytes: send a shorter one."],
  "body-time": ["Body too slow", "The body did not come in time: send it again, without a pause."],
  "kill-switch": ["Closed by the operator", "The gateway is switched off: try again later."],
  "allow-list": ["Address not allowed", "This address is not on the allow-list."],
  "api-key": ["Not authenticated", "The API key is not known here: send one that is."],
  "rate-limit": ["Too many requests", "The rate limit is used up: wait for Retry-After."],
  "limiter-unavailable": [
    "Rate limit unavailable",
    "The rate limiter did not answer, so nothing was executed: try again with the same key.",
  ],
  "media-type": [
    "Media type not supported",
    "The payload must be application/json in UTF-8, and not encoded: set Content-Type, and no Content-Encoding.",
  ],
  key: ["Key not valid", "The idempotency key is not valid."],
  payload: ["Payload not valid", "The payload is not valid."],
  "in-flight": [
    "In flight",
    "Another attempt with this key is in flight: ask again with the same key after Retry-After.",
  ],
  "in-doubt": [
    "In doubt",
    "The outcome of an earlier attempt with this key is not known: ask for the order before a new key is used.",
  ],
  duplicate: [
    "Duplicate",
    "This key was accepted before: nothing was executed by this attempt. Use a new key for a new trade.",
  ],
  mismatch: [
    "Other payload",
    "This key belongs to another payload: repeat that payload, or use a new key.",
  ],
  unavailable: [
    "Idempotency store unavailable",
    "The store did not answer, so nothing was executed: try again with the same key.",
  ],
  failed: [
    "Trade failed",
    "The trade service refused, and nothing was executed: try again with the same key.",
  ],
  unknown: [
    "Outcome unknown",
    "Nobody knows whether the trade was executed: ask again with the same key, never with a new one.",
  ],
};
