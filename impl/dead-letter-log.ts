// What is left of a message that nobody will execute: a durable record that an operator reads.
import { DurableObject } from "cloudflare:workers";
import { digestOf } from "./digest.ts";
import { readQueuedTrade } from "./queued-trade.ts";

/** What the dead-letter queue carries; a message that the queue itself gave up comes bare. */
export interface DeadLetter {
  readonly message: unknown;
  readonly reason: string;
}

export interface DeadLetterRecord {
  readonly id: string;
  readonly recordedAtMs: number;
  readonly reason: string;
  /** The message as JSON. */
  readonly message: string;
}

/** Most records that one page has. */
const deadLetterPage = 100;

/** One object keeps all dead letters: they are few, and each is a person's work. */
export class DeadLetterLog extends DurableObject {
  constructor(state: DurableObjectState, env: unknown) {
    super(state, env as never);
    state.storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS dead_letters (
        id TEXT PRIMARY KEY,
        recorded_at_ms INTEGER NOT NULL,
        reason TEXT NOT NULL,
        message TEXT NOT NULL
      );
    `);
  }

  /** Records a letter once, however often it is delivered: `id` names the attempt. */
  async record(id: string, reason: string, message: string): Promise<void> {
    this.ctx.storage.sql.exec(
      "INSERT OR IGNORE INTO dead_letters VALUES (?, ?, ?, ?)",
      id,
      Date.now(),
      reason,
      message,
    );
  }

  /** The newest letters first. */
  async list(): Promise<readonly DeadLetterRecord[]> {
    return this.ctx.storage.sql
      .exec<{ id: string; recordedAtMs: number; reason: string; message: string }>(
        `SELECT id, recorded_at_ms AS recordedAtMs, reason, message FROM dead_letters
         ORDER BY recorded_at_ms DESC, id LIMIT ?`,
        deadLetterPage,
      )
      .toArray();
  }

  /** How many there are in all. */
  async count(): Promise<number> {
    return this.ctx.storage.sql
      .exec<{ count: number }>("SELECT count(*) AS count FROM dead_letters")
      .one().count;
  }
}

/**
 * What a message of the dead-letter queue says, whoever sent it there. The owner token stays out of
 * the record, and its digest names it: an attempt has one record, however often it was delivered.
 */
export async function deadLetterOf(
  body: unknown,
  messageId: string,
): Promise<{ readonly id: string; readonly reason: string; readonly message: string }> {
  const { message, reason } = readDeadLetter(body);
  const trade = readQueuedTrade(message);
  if (trade === null) {
    return {
      id: messageId,
      reason,
      message: (JSON.stringify(message) ?? "").slice(0, longestText),
    };
  }
  const { token, ...shown } = trade;
  return { id: await digestOf(token), reason, message: JSON.stringify(shown) };
}

/** Longest text that is kept of a message that is none of the gateway's. */
const longestText = 4_096;

function readDeadLetter(body: unknown): DeadLetter {
  if (typeof body === "object" && body !== null && "reason" in body && "message" in body) {
    return { message: body.message, reason: String(body.reason) };
  }
  return { message: body, reason: "no delivery of the message could finish it: outcome=unknown" };
}
