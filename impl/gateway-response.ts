// How an attempt's answer becomes the client's response: with what the checks and the store added to it.
import type { AnswerKind } from "../model/gateway-answers.ts";
import type { BlockingTimes } from "../model/vocabulary.ts";
import type { GateRefused } from "./gates.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { problemOf, problemResponse, retryAfter, storedResponse } from "./problem.ts";
import { readStoredResponse, type StoredResponse } from "./stored-response.ts";

export interface AnswerFacts {
  readonly refusal: GateRefused | null;
  /** The response of an effect that happened or will. */
  readonly response: StoredResponse | null;
  /** What the store keeps of the response that committed the key, as text. */
  readonly stored: string | null;
  readonly times: BlockingTimes | null;
}

export function answerAttempt(
  settings: GatewaySettings,
  kind: AnswerKind,
  facts: AnswerFacts,
): Response {
  const { policy } = settings;
  const { refusal, response, stored, times } = facts;
  switch (kind) {
    case "executed":
    case "queued":
      if (response === null) throw new Error(`an effect has a response: answer=${kind}`);
      return storedResponse(response, false);
    case "duplicate": {
      const replay = settings.replays ? readStoredResponse(stored) : null;
      if (replay !== null) return storedResponse(replay, true);
      return problemResponse(problemOf(policy, kind, waiting(times?.retentionMs)));
    }
    case "in-flight":
      return problemResponse(problemOf(policy, kind, waiting(shortWaitMs)));
    case "in-doubt":
    case "unknown":
      // At the longest: the store says that the reservation stands, not since when.
      return problemResponse(problemOf(policy, kind, waiting(times?.pendingMs)));
    case "unavailable":
      return problemResponse(problemOf(policy, kind, waiting(shortWaitMs)));
    case "mismatch":
    case "failed":
      return problemResponse(problemOf(policy, kind));
    case "method":
    case "body-size":
    case "body-time":
    case "kill-switch":
    case "allow-list":
    case "api-key":
    case "rate-limit":
    case "limiter-unavailable":
    case "media-type":
    case "key":
    case "payload":
      return problemResponse({ ...problemOf(policy, kind), ...detailsOf(refusal) });
  }
}

/** An attempt in flight settles in the time of a call or two. */
const shortWaitMs = 2_000;

function waiting(ms: number | undefined) {
  return ms === undefined ? {} : { headers: retryAfter(ms) };
}

function detailsOf(refusal: GateRefused | null) {
  if (refusal === null) return {};
  const { result: _, ...details } = refusal;
  return details;
}
