// What an attempt is told: every answer of the gateway, with its status and its machine-readable code.
import type { Policy } from "./policy.ts";

/** How an attempt ends, as its client learns it. */
export type AnswerKind = keyof typeof answers | GateRefusal;

/** Why a request was turned away before the store was asked, in the order in which it is asked. */
export type GateRefusal = keyof typeof gateRefusals;

export interface Answer {
  readonly status: number;
  /** Machine-readable; empty where the effect happened or will. */
  readonly code: string;
}

/** The answer of one kind under a policy: the paper answers a duplicate with 500. */
export function answerOf(policy: Policy, kind: AnswerKind): Answer {
  if (policy.phases === "one" && kind === "duplicate") return { ...answers.duplicate, status: 500 };
  return kind in answers
    ? answers[kind as keyof typeof answers]
    : gateRefusals[kind as GateRefusal];
}

export const answers = {
  executed: { status: 200, code: "" },
  queued: { status: 202, code: "" },
  "in-flight": { status: 409, code: "IDEMPOTENCY_IN_FLIGHT" },
  "in-doubt": { status: 409, code: "IDEMPOTENCY_IN_DOUBT" },
  duplicate: { status: 409, code: "IDEMPOTENCY_DUPLICATE" },
  mismatch: { status: 422, code: "IDEMPOTENCY_MISMATCH" },
  unavailable: { status: 503, code: "IDEMPOTENCY_UNAVAILABLE" },
  failed: { status: 500, code: "EFFECT_FAILED" },
  unknown: { status: 504, code: "OUTCOME_UNKNOWN" },
} as const satisfies Readonly<Record<string, Answer>>;

export const gateRefusals = {
  method: { status: 405, code: "METHOD_NOT_ALLOWED" },
  "body-size": { status: 413, code: "BODY_TOO_LARGE" },
  "body-time": { status: 408, code: "BODY_TOO_SLOW" },
  "kill-switch": { status: 503, code: "KILL_SWITCH" },
  "allow-list": { status: 403, code: "ADDRESS_NOT_ALLOWED" },
  "api-key": { status: 403, code: "NOT_AUTHENTICATED" },
  "rate-limit": { status: 429, code: "RATE_LIMITED" },
  "limiter-unavailable": { status: 503, code: "RATE_LIMIT_UNAVAILABLE" },
  "media-type": { status: 415, code: "MEDIA_TYPE_NOT_SUPPORTED" },
  key: { status: 400, code: "KEY_NOT_VALID" },
  payload: { status: 400, code: "PAYLOAD_NOT_VALID" },
} as const satisfies Readonly<Record<string, Answer>>;
