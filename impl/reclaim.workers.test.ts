// Judges the alarm on workerd: what it erases, in which batches, and when it comes again.
import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { hardened } from "../model/policy.ts";
import type { KeyRecord } from "../model/vocabulary.ts";
import { IdempotencyStore } from "./idempotency-store.ts";
import { SqlRecords } from "./sql-records.ts";
import { decisionsOf, shellFor } from "./store-settings.ts";
import { reclaimBounds } from "./transaction-shell.ts";

const startMs = 4_000_000_000_000;
const times = { deadlineMs: 50, pendingMs: 100, retentionMs: 200 };
const mostErased = reclaimBounds.batchKeys * reclaimBounds.batches;

let objects = 0;

/** Runs `body` on a store of its own, whose clock the body moves. */
async function onStore(
  body: (store: IdempotencyStore, clock: { nowMs: number }, state: DurableObjectState) => unknown,
): Promise<void> {
  const stub = env.IDEMPOTENCY_STORE.getByName(`reclaim ${objects++}`);
  await runInDurableObject(stub, async (_, state) => {
    const clock = { nowMs: startMs };
    const settings = { policy: hardened, now: () => clock.nowMs, shellOf: shellFor(hardened) };
    const store = new IdempotencyStore(state, {}, settings);
    await state.storage.getAlarm();
    await body(store, clock, state);
  });
}

const attempt = (key: string) => ({ key, token: `token of ${key}`, fingerprint: "f", times });

const record: KeyRecord = {
  status: "pending",
  token: "t",
  fingerprint: "f",
  fence: 1,
  acceptedAtMs: startMs,
  deadlineAtMs: startMs + 50,
  expiresAtMs: startMs + 100,
  response: null,
  claimedBy: null,
};

describe("the alarm", () => {
  test("erases what has ended and comes again at the earliest end that is left", async () => {
    await onStore(async (store, clock, { storage }) => {
      await store.reserve(attempt("1"));
      clock.nowMs = startMs + 40;
      await store.reserve(attempt("2"));
      clock.nowMs = startMs + 70;
      await store.reserve(attempt("3"));
      clock.nowMs = startMs + 100;
      await storage.deleteAlarm();
      await store.alarm();
      const { records, nextAlarmAtMs } = await store.inspect();
      expect(records.map(({ key }) => key)).toEqual(["2", "3"]);
      expect(nextAlarmAtMs).toBe(startMs + 140);
    });
  });

  test("erases nothing a millisecond early, and comes again", async () => {
    await onStore(async (store, clock, { storage }) => {
      await store.reserve(attempt("1"));
      clock.nowMs = startMs + 99;
      await storage.deleteAlarm();
      await store.alarm();
      expect(await store.inspect()).toMatchObject({ count: 1, nextAlarmAtMs: startMs + 100 });
      clock.nowMs = startMs + 100;
      await storage.deleteAlarm();
      await store.alarm();
      expect(await store.inspect()).toMatchObject({ count: 0, nextAlarmAtMs: null, lastFence: 1 });
    });
  });

  test("spares a record that was committed or reserved anew since it was set", async () => {
    await onStore(async (store, clock, { storage }) => {
      await store.reserve(attempt("committed"));
      await store.reserve(attempt("again"));
      clock.nowMs = startMs + 50;
      await store.commit({ ...attempt("committed"), response: "r" });
      clock.nowMs = startMs + 100;
      await store.reserve({ ...attempt("again"), token: "another" });
      await storage.deleteAlarm();
      await store.alarm();
      const { records, nextAlarmAtMs } = await store.inspect();
      expect(records.map(({ key }) => key)).toEqual(["again", "committed"]);
      expect(nextAlarmAtMs).toBe(startMs + 200);
    });
  });

  test("erases a bounded number at a time, and comes again at once for the rest", async () => {
    await onStore(async (store, clock, { storage }) => {
      const rest = 5;
      const records = new SqlRecords(storage.sql);
      for (let index = 0; index < mostErased + rest; index++) records.put(`k${index}`, record);
      clock.nowMs = startMs + 100;
      await store.alarm();
      const first = await store.inspect();
      expect(first).toMatchObject({ count: rest, nextAlarmAtMs: startMs + 100 });
      expect(first.nextAlarmAtMs).toBeLessThanOrEqual(clock.nowMs);
      await storage.deleteAlarm();
      await store.alarm();
      expect(await store.inspect()).toMatchObject({ count: 0, nextAlarmAtMs: null });
    });
  });

  test("erases by the query exactly what the machine would", async () => {
    await onStore((_, __, { storage }) => {
      const records = new SqlRecords(storage.sql);
      const decide = decisionsOf(hardened);
      for (const status of ["pending", "committed"] as const) {
        for (const offsetMs of [-1_000, -1, 0, 1, 1_000]) {
          const stored = { ...record, status, expiresAtMs: startMs + offsetMs };
          records.put(`${status} ${offsetMs}`, stored);
          const ends = decide(stored, { type: "ALARM", now: startMs }).record === null;
          const found = records.endedBy(startMs, 128).some(({ key }) => key.endsWith(` ${offsetMs}`));
          expect(found).toBe(ends);
        }
      }
      expect(records.endedBy(startMs, 128)).toHaveLength(6);
    });
  });

  test("is set whenever a record is stored, whatever call stored it", async () => {
    await onStore(async (store, clock, { storage }) => {
      const calls = [
        () => store.reserve(attempt("a")),
        () => store.commit({ ...attempt("a"), response: "r" }),
        () => store.reserve(attempt("b")),
        () => store.claim({ ...attempt("b"), delivery: "d" }),
        () => store.release(attempt("b")),
        () => store.commit({ ...attempt("late"), response: "r" }),
        () => store.reserve({ ...attempt("a"), token: "x" }),
      ];
      for (const call of calls) {
        await call();
        clock.nowMs += 30;
        const { count, records, nextAlarmAtMs } = await store.inspect();
        const earliestEndMs = records[0]?.record.expiresAtMs ?? Infinity;
        expect(count === 0 || (nextAlarmAtMs ?? Infinity) <= earliestEndMs).toBe(true);
      }
      for (let ring = 0; ring < 10; ring++) {
        const alarmAtMs = await storage.getAlarm();
        if (alarmAtMs === null) break;
        clock.nowMs = alarmAtMs;
        await storage.deleteAlarm();
        await store.alarm();
      }
      expect(await store.inspect()).toMatchObject({ count: 0, nextAlarmAtMs: null });
    });
  });

  test("runs by the runtime's own hand and is set again for what is left", async () => {
    const stub = env.IDEMPOTENCY_STORE.getByName("reclaim by the runtime");
    const short = { deadlineMs: 1, pendingMs: 1, retentionMs: 1 };
    await stub.reserve({ ...attempt("short"), times: short });
    await scheduler.wait(20);
    await stub.reserve({ ...attempt("long"), times: { ...times, pendingMs: 1_000_000 } });
    const { records, nextAlarmAtMs } = await stub.inspect();
    expect(records.map(({ key }) => key)).toEqual(["long"]);
    expect(nextAlarmAtMs).toBe(records[0]?.record.expiresAtMs);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const after = await stub.inspect();
    expect(after).toMatchObject({ count: 1, nextAlarmAtMs });
  });
});
