// How records and the fence counter lie in an object's SQLite tables.
import type { KeyRecord } from "../model/vocabulary.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

/**
 * Every call is synchronous: what belongs together is put in one `transactionSync`. Without row
 * ids a key is found, and written, in one tree of pages less.
 */
export class SqlRecords {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`
      CREATE TABLE IF NOT EXISTS records (
        key TEXT PRIMARY KEY,
        status TEXT NOT NULL,
        token TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        fence INTEGER NOT NULL,
        accepted_at_ms INTEGER NOT NULL,
        deadline_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL,
        response TEXT,
        claimed_by TEXT
      ) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS records_by_expiry ON records (expires_at_ms);
      CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    `);
  }

  /** A key's record and the store's last fence, in one query: every decision begins with it. */
  read(key: string): { readonly record: KeyRecord | null; readonly lastFence: number } {
    const row = this.#sql
      .exec<JoinedRow>(
        `SELECT (SELECT value FROM counters WHERE name = 'fence') AS last_fence, records.*
         FROM (SELECT 1) LEFT JOIN records ON records.key = ?`,
        toStoredText(key),
      )
      .one();
    return { record: row.key === null ? null : recordOf(row), lastFence: row.last_fence ?? 0 };
  }

  put(key: string, record: KeyRecord): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      toStoredText(key),
      record.status,
      toStoredText(record.token),
      toStoredText(record.fingerprint),
      record.fence,
      record.acceptedAtMs,
      record.deadlineAtMs,
      record.expiresAtMs,
      record.response === null ? null : toStoredText(record.response),
      record.claimedBy === null ? null : toStoredText(record.claimedBy),
    );
  }

  erase(key: string): void {
    this.#sql.exec("DELETE FROM records WHERE key = ?", toStoredText(key));
  }

  /**
   * Up to `limit` records that end at or before `atMs`, earliest end first. Their responses stay
   * on disk (null here): whether a record has ended does not depend on them. SQLite prepares a
   * statement anew for each value of a parameter that stands alone in a range or a limit.
   */
  endedBy(atMs: number, limit: number): readonly StoredRecord[] {
    return this.#sql
      .exec<RecordRow>(
        `SELECT key, status, token, fingerprint, fence, accepted_at_ms, deadline_at_ms,
                expires_at_ms, NULL AS response, claimed_by
         FROM records WHERE expires_at_ms <= ? + 0 ORDER BY expires_at_ms, key LIMIT ${limit}`,
        atMs,
      )
      .toArray()
      .map(storedRecordOf);
  }

  /** The first records in the order in which they end. */
  first(limit: number): readonly StoredRecord[] {
    return this.#sql
      .exec<RecordRow>("SELECT * FROM records ORDER BY expires_at_ms, key LIMIT ?", limit)
      .toArray()
      .map(storedRecordOf);
  }

  earliestEndMs(): number | null {
    return this.#sql
      .exec<{ earliest: number | null }>("SELECT min(expires_at_ms) AS earliest FROM records")
      .one().earliest;
  }

  count(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM records").one().count;
  }

  lastFence(): number {
    const row = this.#sql
      .exec<{ value: number }>("SELECT value FROM counters WHERE name = 'fence'")
      .toArray()[0];
    return row?.value ?? 0;
  }

  setLastFence(fence: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO counters VALUES ('fence', ?)", fence);
  }
}

export interface StoredRecord {
  readonly key: string;
  readonly record: KeyRecord;
}

type RecordRow = {
  readonly key: string;
  readonly status: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly fence: number;
  readonly accepted_at_ms: number;
  readonly deadline_at_ms: number;
  readonly expires_at_ms: number;
  readonly response: string | null;
  readonly claimed_by: string | null;
};

/** Without a record all its columns are null. */
type JoinedRow = { readonly last_fence: number | null } & (
  RecordRow | { readonly [Column in keyof RecordRow]: null }
);

function storedRecordOf(row: RecordRow): StoredRecord {
  return { key: fromStoredText(row.key), record: recordOf(row) };
}

function recordOf(row: RecordRow): KeyRecord {
  return {
    status: row.status === "committed" ? "committed" : "pending",
    token: fromStoredText(row.token),
    fingerprint: fromStoredText(row.fingerprint),
    fence: row.fence,
    acceptedAtMs: row.accepted_at_ms,
    deadlineAtMs: row.deadline_at_ms,
    expiresAtMs: row.expires_at_ms,
    response: row.response === null ? null : fromStoredText(row.response),
    claimedBy: row.claimed_by === null ? null : fromStoredText(row.claimed_by),
  };
}
