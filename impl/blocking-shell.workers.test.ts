// Judges the published critical section on workerd: one caller at a time, and no poisoned object.
import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { paper, published } from "../model/policy.ts";
import type { Policy } from "../model/policy.ts";
import { BlockingShell } from "./blocking-shell.ts";
import { IdempotencyStore } from "./idempotency-store.ts";
import { decisionsOf, shellFor } from "./store-settings.ts";

const startMs = 4_000_000_000_000;
const times = { deadlineMs: 50, pendingMs: 100, retentionMs: 100 };
const attempt = (key: string) => ({ key, token: `token of ${key}`, fingerprint: "f", times });

let objects = 0;

async function onStore(
  policy: Policy,
  body: (store: IdempotencyStore, clock: { nowMs: number }, state: DurableObjectState) => unknown,
): Promise<void> {
  const stub = env.IDEMPOTENCY_STORE.getByName(`blocking ${objects++}`);
  await runInDurableObject(stub, async (_, state) => {
    const clock = { nowMs: startMs };
    const settings = { policy, now: () => clock.nowMs, shellOf: shellFor(policy) };
    await body(new IdempotencyStore(state, {}, settings), clock, state);
  });
}

describe.each([paper, published])("the store under $name", (policy) => {
  test("accepts one of ten reserves that are sent at once", async () => {
    await onStore(policy, async (store) => {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, index) => store.reserve({ ...attempt("k"), token: `${index}` })),
      );
      expect(replies.filter(({ outcome }) => outcome === "proceed")).toHaveLength(1);
      expect(replies.filter(({ outcome }) => outcome === "duplicate")).toHaveLength(9);
    });
  });

  test("keeps odd keys apart and gives them back unit by unit", async () => {
    await onStore(policy, async (store) => {
      const odd = ["\ud800", "\udfff", "\ufffd", "a\u0000", "a", "__proto__", "record:a"];
      for (const key of odd) {
        expect(await store.reserve(attempt(key))).toMatchObject({ outcome: "proceed" });
      }
      const { records } = await store.inspect();
      expect(records.map(({ key }) => key).sort()).toEqual([...odd].sort());
    });
  });

  test("refuses a key that the storage has no room for, and stores nothing", async () => {
    await onStore(policy, async (store) => {
      const fits = { ...attempt("k"), key: "k".repeat(1_998) };
      const over = { ...fits, key: `${fits.key}k` };
      expect(await store.reserve(over)).toMatchObject({ outcome: "invalid", field: "key" });
      expect(await store.reserve(fits)).toMatchObject({ outcome: "proceed" });
      expect((await store.inspect()).count).toBe(1);
    });
  });

  test("erases all that has ended at one alarm, in deletes of 128 at most", async () => {
    await onStore(policy, async (store, clock, { storage }) => {
      for (let index = 0; index < 130; index++) await store.reserve(attempt(`k${index}`));
      clock.nowMs = startMs + 60;
      await store.reserve(attempt("left"));
      clock.nowMs = startMs + 100;
      await storage.deleteAlarm();
      await store.alarm();
      const { records, nextAlarmAtMs } = await store.inspect();
      expect(records.map(({ key }) => key)).toEqual(["left"]);
      expect(nextAlarmAtMs).toBe(startMs + 160);
    });
  });
});

test("published only moves the alarm earlier, the paper always to the newest end", async () => {
  for (const [policy, alarmAtMs] of [
    [published, startMs + 100],
    [paper, startMs + 140],
  ] as const) {
    await onStore(policy, async (store, clock) => {
      await store.reserve(attempt("1"));
      clock.nowMs = startMs + 40;
      await store.reserve(attempt("2"));
      expect((await store.inspect()).nextAlarmAtMs).toBe(alarmAtMs);
    });
  }
});

test("a throw leaves the critical section as a value and does not break the object", async () => {
  await onStore(published, async (_, __, state) => {
    let broken = true;
    const decide = decisionsOf(published);
    const shell = new BlockingShell(
      {
        storage: state.storage,
        now: () => startMs,
        decide: (record, event) => {
          if (broken) throw new Error("broken decision");
          return decide(record, event);
        },
      },
      (body) => state.blockConcurrencyWhile(body),
    );
    const reserve = () =>
      shell.decide("k", (nextFence) => {
        return { type: "RESERVE", ...attempt("k"), nextFence, now: startMs };
      });
    await expect(reserve()).rejects.toThrow("broken decision");
    broken = false;
    expect(await reserve()).toMatchObject({ outcome: "proceed" });
  });
});
