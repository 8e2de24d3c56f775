// What an answer from the world means to an attempt; nonsense is never taken for consent.
import * as v from "valibot";
import type { EnqueueResult, ReserveResult } from "../model/gateway-attempt.ts";
import { messageStandings, type MessageStanding } from "./message-standing.ts";

export type ReserveAnswer =
  | { readonly result: "proceed"; readonly fence: number; readonly deadlineAtMs: number }
  | { readonly result: "duplicate"; readonly response: string | null }
  | { readonly result: Exclude<ReserveResult, "proceed" | "duplicate"> };

export type SettlementResult = "done" | "stale" | "unavailable" | "unanswered";

export type LimiterAnswer =
  | { readonly result: "passed" }
  | { readonly result: "rate-limit"; readonly retryAfterMs: number }
  | { readonly result: "limiter-unavailable" };

/**
 * Reads the store's answer to a reserve. The store keeps nothing of what it refuses as `invalid`,
 * so that is `unavailable`; of nonsense nobody knows what the store did, so it is `unanswered`.
 */
export function readReserve(answer: unknown): ReserveAnswer {
  const reading = v.safeParse(reserveSchema, answer);
  if (!reading.success) return { result: "unanswered" };
  const { output } = reading;
  switch (output.outcome) {
    case "proceed":
      return { result: "proceed", fence: output.fence, deadlineAtMs: output.deadlineAtMs };
    case "in-flight":
      return { result: output.inDoubt ? "in-doubt" : "in-flight" };
    case "duplicate":
      return { result: "duplicate", response: output.response };
    case "mismatch":
    case "unavailable":
      return { result: output.outcome };
    case "invalid":
      return { result: "unavailable" };
  }
}

/** Reads the store's answer to a claim, a commit or a release. */
export function readSettlement(answer: unknown): SettlementResult {
  const reading = v.safeParse(settlementSchema, answer);
  if (!reading.success) return "unanswered";
  return reading.output.outcome === "invalid" ? "unavailable" : reading.output.outcome;
}

/** Reads how a message stands; null where the store did not clearly say. */
export function readStanding(answer: unknown): MessageStanding | null {
  const reading = v.safeParse(standingSchema, answer);
  return reading.success ? reading.output.standing : null;
}

/** A limiter that does not clearly admit or limit does neither: the request is refused. */
export function readAdmission(answer: unknown): LimiterAnswer {
  const reading = v.safeParse(admissionSchema, answer);
  if (!reading.success) return { result: "limiter-unavailable" };
  return reading.output.outcome === "admitted"
    ? { result: "passed" }
    : { result: "rate-limit", retryAfterMs: reading.output.retryAfterMs };
}

/** Only a queue that is not there surely took nothing. */
export function readEnqueue(answer: unknown): EnqueueResult {
  const reading = v.safeParse(enqueueSchema, answer);
  return reading.success ? reading.output.outcome : "unanswered";
}

/** Whether the published consumer may execute: only a mark that is surely absent lets it. */
export function readMark(answer: unknown): "granted" | "denied" | "unanswered" {
  if (answer === true) return "denied";
  return answer === false ? "granted" : "unanswered";
}

const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const plain = <const Outcome extends string>(outcome: Outcome) =>
  v.object({ outcome: v.literal(outcome) });

const reserveSchema = v.variant("outcome", [
  v.object({ outcome: v.literal("proceed"), fence: natural, deadlineAtMs: natural }),
  v.object({ outcome: v.literal("in-flight"), inDoubt: v.boolean() }),
  v.object({ outcome: v.literal("duplicate"), response: v.nullable(v.string()) }),
  plain("mismatch"),
  plain("unavailable"),
  plain("invalid"),
]);

const settlementSchema = v.variant("outcome", [
  plain("done"),
  plain("stale"),
  plain("unavailable"),
  plain("invalid"),
]);

const standingSchema = v.object({
  outcome: v.literal("stands"),
  standing: v.picklist(messageStandings),
});

const admissionSchema = v.variant("outcome", [
  plain("admitted"),
  v.object({ outcome: v.literal("limited"), retryAfterMs: natural }),
]);

const enqueueSchema = v.variant("outcome", [plain("accepted"), plain("failed")]);
