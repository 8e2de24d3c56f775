// Carries out decisions in one synchronous SQLite transaction each: the hardened critical section.
import type { KeyCommand, KeyRecord, KeyReply } from "../model/vocabulary.ts";
import { SqlRecords } from "./sql-records.ts";
import type { StoreInspection } from "./store-requests.ts";
import { inspectedRecords, replyOf } from "./store-shell.ts";
import type { EventOf, ShellContext, StoreShell } from "./store-shell.ts";

/** One alarm erases at most `batches` × `batchKeys` records; what is left brings the next at once. */
export const reclaimBounds = { batchKeys: 128, batches: 8 } as const;

/**
 * Read, decision and writes happen in one turn of the event loop, without an `await`: nothing of
 * the object, and nobody else has its database, comes between. The writes are one
 * `transactionSync`, so that a throw takes all of them back.
 *
 * The alarm belongs to the same transaction although `setAlarm` answers a promise. workerd keeps
 * the alarm's time in the object's own SQLite file and writes it in the turn of the call, so with
 * no `await` between it commits, or is rolled back, together with the record. Its promise is not
 * awaited: the output gate holds the reply until all is written. (Seen in workerd 2026-04-26: over
 * 300 resets right after such a write, record and alarm were both there or both gone; a throw in
 * the transaction restored the earlier alarm. `idempotency-store.workers.test.ts` repeats it.)
 *
 * `getAlarm` is asynchronous, so the time that it would give is kept in memory: read at the start,
 * set with every arming, and forgotten when an alarm begins, as the runtime forgets it.
 */
export class TransactionShell implements StoreShell {
  readonly #context: ShellContext;
  readonly #records: SqlRecords;
  #nextAlarmAtMs: number | null = null;

  constructor(context: ShellContext) {
    this.#context = context;
    this.#records = new SqlRecords(context.storage.sql);
  }

  async start(): Promise<void> {
    this.#nextAlarmAtMs = await this.#context.storage.getAlarm();
  }

  decide(key: string, eventOf: EventOf): KeyReply {
    const { record, lastFence } = this.#records.read(key);
    const { commands } = this.#context.decide(record, eventOf(lastFence + 1));
    // Most refusals write nothing; a transaction for them would cost as much as the rest.
    if (commands.some((command) => command.type !== "reply")) {
      this.#transact(() => commands.forEach((command) => this.#carryOut(key, command, lastFence)));
    }
    return replyOf(commands);
  }

  read(key: string): KeyRecord | null {
    return this.#records.read(key).record;
  }

  reclaim(): void {
    this.#nextAlarmAtMs = null;
    const now = this.#context.now();
    for (let batch = 0; batch < reclaimBounds.batches; batch++) {
      const erased = this.#transact(() => this.#eraseEnded(now));
      if (erased < reclaimBounds.batchKeys) break;
    }
    const earliestEndMs = this.#records.earliestEndMs();
    // An end that has passed already makes the runtime call again at once: more is left than fits.
    if (earliestEndMs !== null) this.#arm(earliestEndMs);
  }

  count(): number {
    return this.#records.count();
  }

  async inspect(): Promise<Omit<StoreInspection, "policy">> {
    const nextAlarmAtMs = await this.#context.storage.getAlarm();
    return {
      count: this.#records.count(),
      records: this.#records.first(inspectedRecords),
      nextAlarmAtMs,
      lastFence: this.#records.lastFence(),
    };
  }

  /** A transaction that throws leaves no trace, in memory neither. */
  #transact<Result>(body: () => Result): Result {
    const nextAlarmAtMs = this.#nextAlarmAtMs;
    try {
      return this.#context.storage.transactionSync(body);
    } catch (error) {
      this.#nextAlarmAtMs = nextAlarmAtMs;
      throw error;
    }
  }

  /** The machine, not the query, says whether a record goes: the query only finds candidates. */
  #eraseEnded(now: number): number {
    const candidates = this.#records.endedBy(now, reclaimBounds.batchKeys);
    const erased = candidates.filter(({ record }) =>
      this.#context
        .decide(record, { type: "ALARM", now })
        .commands.some((command) => command.type === "erase"),
    );
    for (const { key } of erased) this.#records.erase(key);
    return erased.length;
  }

  #carryOut(key: string, command: KeyCommand, lastFence: number): void {
    switch (command.type) {
      case "persist":
        this.#records.put(key, command.record);
        if (command.record.fence > lastFence) this.#records.setLastFence(command.record.fence);
        return;
      case "erase":
        return this.#records.erase(key);
      case "scheduleAlarm":
        if (command.mode === "replace" || this.#isEarliest(command.atMs)) this.#arm(command.atMs);
        return;
      case "reply":
        return;
    }
  }

  #isEarliest(atMs: number): boolean {
    return this.#nextAlarmAtMs === null || atMs < this.#nextAlarmAtMs;
  }

  #arm(atMs: number): void {
    this.#nextAlarmAtMs = atMs;
    void this.#context.storage.setAlarm(atMs);
  }
}
