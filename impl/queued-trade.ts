// What a queued message carries, and which bodies are such messages.
import * as v from "valibot";

export type QueuedTrade = v.InferOutput<typeof queuedTradeSchema>;

/** Reads the body of a message; null where it is none of ours. */
export function readQueuedTrade(body: unknown): QueuedTrade | null {
  const reading = v.safeParse(queuedTradeSchema, body);
  return reading.success ? reading.output : null;
}

const text = v.pipe(v.string(), v.minLength(1));
const moment = v.pipe(v.number(), v.safeInteger());
const duration = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

const queuedTradeSchema = v.object({
  schema: v.literal("latchkey.trade/1"),
  key: text,
  token: text,
  fingerprint: text,
  fence: moment,
  /** On the store's clock; past it the message is dead. */
  deadlineAtMs: moment,
  times: v.object({ deadlineMs: duration, pendingMs: duration, retentionMs: duration }),
  /** Canonical JSON of the trade. */
  body: text,
});
