// How many requests of a session are admitted: one object per session, so that all isolates ask one log.
import { DurableObject } from "cloudflare:workers";
import {
  decideFixed,
  decideSliding,
  isLegalLimit,
  type AdmissionReply,
  type RateLimit,
} from "./rate-limit.ts";

/** Most rows that one statement of the alarm erases, and most statements that one alarm makes. */
export const reclaimBounds = { batchRows: 128, batches: 8 } as const;

export class RateLimiterStore extends DurableObject {
  readonly #storage: DurableObjectStorage;
  readonly #now: () => number;

  constructor(state: DurableObjectState, env: unknown, now: () => number = Date.now) {
    super(state, env as never);
    this.#storage = state.storage;
    this.#now = now;
    state.storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS admissions (
        seq INTEGER PRIMARY KEY,
        at_ms INTEGER NOT NULL,
        ends_at_ms INTEGER NOT NULL
      );
      CREATE TABLE IF NOT EXISTS fixed_window (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        started_at_ms INTEGER NOT NULL,
        ends_at_ms INTEGER NOT NULL,
        admitted INTEGER NOT NULL
      );
    `);
  }

  /**
   * Admits one request, or says when to come back. Timed here, at the decision: a request that
   * waited on its way counts from when it was admitted. Decision and write are one turn of the
   * event loop, so no two isolates get the last place.
   */
  async admit(limit: RateLimit): Promise<AdmissionReply | { readonly outcome: "invalid" }> {
    if (!isLegalLimit(limit)) return { outcome: "invalid" };
    return this.#storage.transactionSync(() =>
      limit.algorithm === "sliding-log" ? this.#admitSliding(limit) : this.#admitFixed(limit),
    );
  }

  /** How many rows are stored, ended ones included; for tests and the curious. */
  async size(): Promise<number> {
    return this.#count("admissions") + this.#count("fixed_window");
  }

  override async alarm(): Promise<void> {
    const now = this.#now();
    for (let batch = 0; batch < reclaimBounds.batches; batch++) {
      if (this.#eraseEnded(now) < reclaimBounds.batchRows) break;
    }
    const nextEndMs = this.#nextEndMs();
    if (nextEndMs !== null) await this.#storage.setAlarm(nextEndMs);
  }

  #admitSliding(limit: RateLimit): AdmissionReply {
    const newest = this.#newest();
    // A clock that stepped back must not put an admission before an earlier one.
    const now = Math.max(this.#now(), newest?.atMs ?? 0);
    const seq = (newest?.seq ?? 0) + 1;
    const reply = decideSliding(limit, this.#admittedAtMs(seq - limit.requests), now);
    if (reply.outcome !== "admitted") return reply;
    const endsAtMs = now + limit.windowMs;
    this.#storage.sql.exec("INSERT INTO admissions VALUES (?, ?, ?)", seq, now, endsAtMs);
    // Later admissions end later: only the first of all has to set the alarm.
    if (newest === null) void this.#storage.setAlarm(endsAtMs);
    return reply;
  }

  #admitFixed(limit: RateLimit): AdmissionReply {
    const now = this.#now();
    const window =
      this.#storage.sql
        .exec<{ startedAtMs: number; admitted: number }>(
          "SELECT started_at_ms AS startedAtMs, admitted FROM fixed_window",
        )
        .toArray()[0] ?? null;
    const reply = decideFixed(limit, window, now);
    if (reply.outcome !== "admitted") return reply;
    const isSame = window !== null && window.startedAtMs + limit.windowMs > now;
    const startedAtMs = isSame ? window.startedAtMs : now;
    this.#storage.sql.exec(
      "INSERT OR REPLACE INTO fixed_window VALUES (1, ?, ?, ?)",
      startedAtMs,
      startedAtMs + limit.windowMs,
      isSame ? window.admitted + 1 : 1,
    );
    if (!isSame) void this.#storage.setAlarm(startedAtMs + limit.windowMs);
    return reply;
  }

  #newest(): { readonly seq: number; readonly atMs: number } | null {
    return (
      this.#storage.sql
        .exec<{ seq: number; atMs: number }>(
          "SELECT seq, at_ms AS atMs FROM admissions ORDER BY seq DESC LIMIT 1",
        )
        .toArray()[0] ?? null
    );
  }

  /** When admission `seq` was; null where it is erased, and so has left its window, or never was. */
  #admittedAtMs(seq: number): number | null {
    const row = this.#storage.sql
      .exec<{ atMs: number }>("SELECT at_ms AS atMs FROM admissions WHERE seq = ?", seq)
      .toArray()[0];
    return row?.atMs ?? null;
  }

  #eraseEnded(now: number): number {
    return this.#storage.transactionSync(() => {
      this.#storage.sql.exec("DELETE FROM fixed_window WHERE ends_at_ms <= ?", now);
      // Sequence numbers are in the order of time, so the ended ones are the first ones.
      return this.#storage.sql.exec(
        `DELETE FROM admissions WHERE seq IN
           (SELECT seq FROM admissions WHERE ends_at_ms <= ? ORDER BY seq LIMIT ?)`,
        now,
        reclaimBounds.batchRows,
      ).rowsWritten;
    });
  }

  #nextEndMs(): number | null {
    return this.#storage.sql
      .exec<{ ends: number | null }>(
        `SELECT min(ends) AS ends FROM (
           SELECT min(ends_at_ms) AS ends FROM admissions
           UNION ALL SELECT ends_at_ms AS ends FROM fixed_window)`,
      )
      .one().ends;
  }

  #count(table: "admissions" | "fixed_window"): number {
    return this.#storage.sql.exec<{ count: number }>(`SELECT count(*) AS count FROM ${table}`).one()
      .count;
  }
}
