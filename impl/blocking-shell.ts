// Carries out decisions with asynchronous storage while the object is blocked, as published.
import type { KeyCommand, KeyRecord, KeyReply } from "../model/vocabulary.ts";
import type { StoreInspection } from "./store-requests.ts";
import { inspectedRecords, replyOf } from "./store-shell.ts";
import type { EventOf, ShellContext, StoreShell } from "./store-shell.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

/** Runs `body` with nothing else of the object in between: `ctx.blockConcurrencyWhile`. */
export type CriticalSection = <Result>(body: () => Promise<Result>) => Promise<Result>;

/**
 * The published critical section (seed 000, section 2): `get`, decide, `put` inside
 * `blockConcurrencyWhile`, and an alarm that lists the whole object. A throw in there would reset
 * the object and reject every queued call, so an error leaves the section as a value.
 */
export class BlockingShell implements StoreShell {
  readonly #context: ShellContext;
  readonly #section: CriticalSection;

  constructor(context: ShellContext, section: CriticalSection) {
    this.#context = context;
    this.#section = async (body) => {
      const result = await section(() => settle(body));
      if ("error" in result) throw result.error;
      return result.value;
    };
  }

  async start(): Promise<void> {}

  decide(key: string, eventOf: EventOf): Promise<KeyReply> {
    return this.#section(async () => {
      const lastFence = await this.#lastFence();
      const record = await this.#context.storage.get<KeyRecord>(recordName(key));
      const event = eventOf(lastFence + 1);
      const { commands } = this.#context.decide(record ?? null, event);
      for (const command of commands) await this.#carryOut(key, command, lastFence);
      return replyOf(commands);
    });
  }

  read(key: string): Promise<KeyRecord | null> {
    return this.#section(async () => {
      return (await this.#context.storage.get<KeyRecord>(recordName(key))) ?? null;
    });
  }

  reclaim(): Promise<void> {
    return this.#section(async () => {
      const { storage, now } = this.#context;
      const event = { type: "ALARM", now: now() } as const;
      const ended: string[] = [];
      let earliestEndMs = Infinity;
      for (const [name, record] of await storage.list<KeyRecord>({ prefix: recordPrefix })) {
        if (this.#context.decide(record, event).record === null) ended.push(name);
        else earliestEndMs = Math.min(earliestEndMs, record.expiresAtMs);
      }
      for (let start = 0; start < ended.length; start += longestDelete) {
        await storage.delete(ended.slice(start, start + longestDelete));
      }
      if (earliestEndMs < Infinity) await storage.setAlarm(earliestEndMs);
    });
  }

  async count(): Promise<number> {
    return (await this.#context.storage.list({ prefix: recordPrefix })).size;
  }

  async inspect(): Promise<Omit<StoreInspection, "policy">> {
    const { storage } = this.#context;
    const records = [...(await storage.list<KeyRecord>({ prefix: recordPrefix }))]
      .map(([name, record]) => ({ key: keyOf(name), record }))
      .sort((a, b) => a.record.expiresAtMs - b.record.expiresAtMs);
    return {
      count: records.length,
      records: records.slice(0, inspectedRecords),
      nextAlarmAtMs: await storage.getAlarm(),
      lastFence: await this.#lastFence(),
    };
  }

  async #lastFence(): Promise<number> {
    return (await this.#context.storage.get<number>(fenceName)) ?? 0;
  }

  async #carryOut(key: string, command: KeyCommand, lastFence: number): Promise<void> {
    const { storage } = this.#context;
    switch (command.type) {
      case "persist":
        await storage.put(recordName(key), command.record);
        if (command.record.fence > lastFence) await storage.put(fenceName, command.record.fence);
        return;
      case "erase":
        await storage.delete(recordName(key));
        return;
      case "scheduleAlarm": {
        const nextAlarmAtMs = command.mode === "earliest" ? await storage.getAlarm() : null;
        if (nextAlarmAtMs !== null && nextAlarmAtMs <= command.atMs) return;
        await storage.setAlarm(command.atMs);
        return;
      }
      case "reply":
        return;
    }
  }
}

/** Production refuses to delete more names than this in one call. */
const longestDelete = 128;
const recordPrefix = "record:";
const fenceName = "fence";

function recordName(key: string): string {
  return recordPrefix + toStoredText(key);
}

function keyOf(name: string): string {
  return fromStoredText(name.slice(recordPrefix.length));
}

type Settled<Result> = { readonly value: Result } | { readonly error: unknown };

async function settle<Result>(body: () => Promise<Result>): Promise<Settled<Result>> {
  try {
    return { value: await body() };
  } catch (error) {
    return { error };
  }
}
