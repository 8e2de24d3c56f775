// What a message of the dead-letter queue says, whoever sent it there, and what of it is kept.
import { clientOrderIdOf, digestOf } from "./digest.ts";
import { readQueuedTrade, type QueuedTrade } from "./queued-trade.ts";

/** What the dead-letter queue carries; a message that the queue itself gave up comes bare. */
export interface DeadLetter {
  readonly message: unknown;
  readonly reason: string;
}

export interface DeadLetterReading {
  /** Names the attempt, so that it has one record however often it was delivered. */
  readonly id: string;
  /** Null where the queue itself gave the message up. */
  readonly reason: string | null;
  /** The message as JSON, without its owner token, and with the id under which downstream knows its order. */
  readonly message: string;
  /** Null where the message is none of the gateway's. */
  readonly trade: QueuedTrade | null;
}

export async function readDeadLetter(body: unknown, messageId: string): Promise<DeadLetterReading> {
  const { message, reason } = unwrap(body);
  const trade = readQueuedTrade(message);
  if (trade === null) {
    return { id: messageId, reason, message: textOf(message).slice(0, longestText), trade };
  }
  const clientOrderId = await clientOrderIdOf(trade.key);
  const shown = textOf({ clientOrderId, ...trade });
  return { id: await digestOf(trade.token), reason, message: shown, trade };
}

/** How long the record of a dead letter waits before it is tried again, in seconds: an hour at most. */
export function recordDelaySeconds(attempts: number): number {
  return Math.min(3_600, 30 * 2 ** Math.min(Math.max(attempts, 1) - 1, 16));
}

/** Longest text that is kept of a message that is none of the gateway's, and of a reason. */
const longestText = 4_096;

function unwrap(body: unknown): {
  readonly message: unknown;
  readonly reason: string | null;
} {
  if (typeof body === "object" && body !== null && "reason" in body && "message" in body) {
    const reason = typeof body.reason === "string" ? body.reason : "no reason was given";
    return { message: body.message, reason: reason.slice(0, longestText) };
  }
  return { message: body, reason: null };
}

/** Whatever else is wrong with a message, no field of it that is named like a token is shown. */
function textOf(message: unknown): string {
  try {
    const shown = (name: string, value: unknown) => (name === "token" ? undefined : value);
    return JSON.stringify(message, shown) ?? "";
  } catch {
    return "a message that cannot be written as JSON";
  }
}
