// What is left of a message that nobody will execute: a durable record that an operator reads.
import { DurableObject } from "cloudflare:workers";

export interface DeadLetterRecord {
  readonly id: string;
  readonly recordedAtMs: number;
  readonly reason: string;
  /** The message as JSON. */
  readonly message: string;
}

export interface DeadLetterPage {
  /** How many there are in all. */
  readonly total: number;
  /** The newest first. */
  readonly deadLetters: readonly DeadLetterRecord[];
  /** Where the next page begins: what to give as `before`; null on the last. */
  readonly next: number | null;
}

/** Most records that one page has. */
export const deadLettersOfPage = 100;

/** One object keeps all dead letters: they are few, and each is a person's work. It erases none. */
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
      "INSERT INTO dead_letters VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
      id,
      Date.now(),
      reason,
      message,
    );
  }

  /** The newest letters, or those recorded before the page's end that `before` names. */
  async list(before: number | null = null): Promise<DeadLetterPage> {
    const { sql } = this.ctx.storage;
    const rows = sql
      .exec<Row>(
        // Row ids grow with each record, and nothing is erased.
        `SELECT rowid AS place, id, recorded_at_ms AS recordedAtMs, reason, message
         FROM dead_letters WHERE rowid < ? ORDER BY rowid DESC LIMIT ?`,
        before ?? Number.MAX_SAFE_INTEGER,
        deadLettersOfPage + 1,
      )
      .toArray();
    const page = rows.slice(0, deadLettersOfPage);
    return {
      total: sql.exec<{ count: number }>("SELECT count(*) AS count FROM dead_letters").one().count,
      deadLetters: page.map(({ place: _, ...letter }) => letter),
      next: rows.length > page.length ? (page.at(-1)?.place ?? null) : null,
    };
  }
}

type Row = {
  readonly place: number;
  readonly id: string;
  readonly recordedAtMs: number;
  readonly reason: string;
  readonly message: string;
};
