// Judges the object on workerd: its calls, what it refuses, what it keeps over a throw and a reset.
import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { hardened } from "../model/policy.ts";
import type { KeyRecord } from "../model/vocabulary.ts";
import { IdempotencyStore } from "./idempotency-store.ts";
import { storeLimits } from "./store-limits.ts";
import type { StoreInspection } from "./store-requests.ts";
import { decisionsOf } from "./store-settings.ts";
import { TransactionShell } from "./transaction-shell.ts";

const times = { deadlineMs: 50_000, pendingMs: 100_000, retentionMs: 200_000 };
const a = { key: "k", token: "a", fingerprint: "f", times };
const b = { key: "k", token: "b", fingerprint: "f", times };
const limits = storeLimits.transaction;

let objects = 0;
/** A name that no other test uses: objects of one file share their storage. */
const freshName = (): string => `object ${objects++}`;
const storeNamed = (name: string) => env.IDEMPOTENCY_STORE.getByName(name);
const freshStore = () => storeNamed(freshName());
const nothing: StoreInspection = {
  policy: "hardened",
  count: 0,
  records: [],
  nextAlarmAtMs: null,
  lastFence: 0,
};

describe("the store's calls", () => {
  test("reserve, refuse, commit and replay a key", async () => {
    const store = freshStore();
    const accepted = await store.reserve(a);
    expect(accepted).toMatchObject({ outcome: "proceed", fence: 1 });
    expect(await store.reserve(a)).toEqual(accepted);
    expect(await store.reserve(b)).toEqual({ outcome: "in-flight", inDoubt: false });
    expect(await store.reserve({ ...b, fingerprint: "g" })).toEqual({ outcome: "mismatch" });
    expect(await store.commit({ ...b, response: "no" })).toEqual({ outcome: "stale" });
    expect(await store.commit({ ...a, response: "yes" })).toEqual({ outcome: "done" });
    expect(await store.release(a)).toEqual({ outcome: "stale" });
    expect(await store.reserve(b)).toEqual({ outcome: "duplicate", response: "yes" });
  });

  test("free a released key at once, with a larger fence", async () => {
    const store = freshStore();
    await store.reserve(a);
    expect(await store.release(b)).toEqual({ outcome: "stale" });
    expect(await store.release(a)).toEqual({ outcome: "done" });
    expect(await store.release(a)).toEqual({ outcome: "stale" });
    expect(await store.reserve(b)).toMatchObject({ outcome: "proceed", fence: 2 });
  });

  test("tell how a message stands, and change nothing by it", async () => {
    const store = freshStore();
    const asked = { key: "k", token: "a" };
    const standing = async (): Promise<string> => {
      const reply = await store.standing(asked);
      return reply.outcome === "stands" ? reply.standing : reply.outcome;
    };
    expect(await standing()).toBe("gone");
    await store.reserve(a);
    expect(await standing()).toBe("open");
    await store.claim({ ...asked, delivery: "d" });
    const before = await store.inspect();
    expect(await standing()).toBe("claimed");
    expect(await store.inspect()).toEqual(before);
    await store.commit({ ...a, response: "yes" });
    expect(await standing()).toBe("executed");
    expect(await store.standing({ ...asked, token: "b" })).toMatchObject({ standing: "gone" });
    expect(await store.standing({ ...asked, key: "" })).toMatchObject({ outcome: "invalid" });
  });

  test("let one delivery of a message execute, and no other", async () => {
    const store = freshStore();
    const first = { key: "k", token: "a", delivery: "first" };
    expect(await store.claim(first)).toEqual({ outcome: "stale" });
    await store.reserve(a);
    expect(await store.claim(first)).toEqual({ outcome: "done" });
    expect(await store.claim({ ...first, delivery: "second" })).toEqual({ outcome: "stale" });
    expect(await store.claim(first)).toEqual({ outcome: "done" });
    expect(await store.claim({ ...first, token: "b" })).toEqual({ outcome: "stale" });
  });

  test("accept one of fifty reserves that are sent at once", async () => {
    const store = freshStore();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => store.reserve({ ...a, token: `t${index}` })),
    );
    expect(replies.filter(({ outcome }) => outcome === "proceed")).toHaveLength(1);
    expect(replies.filter(({ outcome }) => outcome === "in-flight")).toHaveLength(49);
  });
});

describe("what the store keeps", () => {
  test("is every field of a record, odd strings unit by unit", async () => {
    const odd = ["\ud800", "\udfff", "a\u0000", "a", "__proto__", "'; DROP TABLE records; --", "É"];
    const store = freshStore();
    for (const text of odd) {
      const attempt = { key: text, token: text, fingerprint: text, times };
      await store.reserve(attempt);
      await store.claim({ ...attempt, delivery: text });
      await store.commit({ ...attempt, response: text });
      expect(await store.reserve({ ...attempt, token: "b" })).toEqual({
        outcome: "duplicate",
        response: text,
      });
    }
    const { count, records } = await store.inspect();
    expect(count).toBe(odd.length);
    const kept = new Map(records.map(({ key, record }) => [key, record]));
    for (const text of odd) {
      expect(kept.get(text)).toMatchObject({ token: text, claimedBy: text, response: text });
    }
  });

  test("has room for the largest row that the limits allow", async () => {
    // A control character takes 6 bytes as stored, which is the most that a code unit takes.
    const largest = (units: number): string => "\u0001".repeat(units);
    const name = largest(limits.nameUnits);
    const attempt = { key: largest(limits.keyUnits), token: name, fingerprint: name, times };
    const store = freshStore();
    expect(await store.reserve(attempt)).toMatchObject({ outcome: "proceed" });
    expect(await store.claim({ ...attempt, delivery: name })).toEqual({ outcome: "done" });
    const response = largest(limits.responseUnits);
    expect(await store.commit({ ...attempt, response })).toEqual({ outcome: "done" });
    expect(await store.reserve(attempt)).toEqual({ outcome: "duplicate", response });
  });

  test("comes with an alarm at its end, moved earlier but never later", async () => {
    const store = freshStore();
    await store.reserve({ ...a, key: "long" });
    const first = await store.inspect();
    expect(first.nextAlarmAtMs).toBe(first.records[0]?.record.expiresAtMs);
    await store.reserve({ ...a, key: "short", times: { ...times, pendingMs: 60_000 } });
    const second = await store.inspect();
    expect(second.records.map(({ key }) => key)).toEqual(["short", "long"]);
    expect(second.nextAlarmAtMs).toBe(second.records[0]?.record.expiresAtMs);
    await store.commit({ ...a, key: "short", response: "" });
    expect((await store.inspect()).nextAlarmAtMs).toBe(second.nextAlarmAtMs);
  });
});

describe("bad input", () => {
  const badReserves: [string, unknown][] = [
    ["request", null],
    ["request", "k"],
    ["key", { ...a, key: "" }],
    ["key", { ...a, key: "k".repeat(limits.keyUnits + 1) }],
    ["key", { ...a, key: new Map() }],
    ["token", { ...a, token: "" }],
    ["token", { ...a, token: "t".repeat(limits.nameUnits + 1) }],
    ["token", { ...a, token: () => "t" }],
    ["fingerprint", { ...a, fingerprint: "" }],
    ["fingerprint", { ...a, fingerprint: [1] }],
    ["times", { ...a, times: undefined }],
    ...[0, -1, 0.5, NaN, Infinity, "1", null].map((pendingMs): [string, unknown] => [
      "times.pendingMs",
      { ...a, times: { ...times, pendingMs } },
    ]),
    ["times.deadlineMs", { ...a, times: { ...times, deadlineMs: times.pendingMs + 1 } }],
    ["times.retentionMs", { ...a, times: { ...times, retentionMs: 2 ** 53 } }],
  ];

  test.each(badReserves)(
    "in the field %s is a refusal, and nothing is stored",
    async (field, bad) => {
      const store = freshStore();
      const refusal = await store.reserve(bad as typeof a);
      expect(refusal).toMatchObject({ outcome: "invalid", field });
      expect(await store.inspect()).toEqual(nothing);
    },
  );

  test("in a settlement or a claim leaves the reservation as it was", async () => {
    const store = freshStore();
    await store.reserve(a);
    const before = await store.inspect();
    const response = "r".repeat(limits.responseUnits + 1);
    expect(await store.commit({ ...a, response })).toMatchObject({ field: "response" });
    expect(await store.release({ key: "k", token: "" })).toMatchObject({ field: "token" });
    const claim = { key: "k", token: "a", delivery: 7 };
    expect(await store.claim(claim as never)).toMatchObject({ field: "delivery" });
    expect(await store.inspect()).toEqual(before);
  });

  test("does not disturb the calls beside it", async () => {
    const store = freshStore();
    const replies = await Promise.all([
      store.reserve({ ...a, key: "1" }),
      store.reserve({ ...a, key: null } as never),
      store.reserve({ ...a, key: "2" }),
    ]);
    expect(replies.map(({ outcome }) => outcome)).toEqual(["proceed", "invalid", "proceed"]);
  });
});

describe("a throw inside the transaction", () => {
  test("takes back record, fence and alarm, in the file and in memory", async () => {
    const store = freshStore();
    await store.reserve({ ...a, key: "before" });
    const before = await store.inspect();
    await runInDurableObject(store, async (_, { storage }) => {
      const now = () => Date.now();
      let sabotage = true;
      const decide = decisionsOf(hardened);
      const shell = new TransactionShell({
        storage,
        now,
        decide: (record, event) => {
          const decision = decide(record, event);
          if (!sabotage) return decision;
          // Beyond SQLite's limit, after record, fence and alarm were written.
          const tooBig = { ...(decision.record as KeyRecord), response: "x".repeat(3_000_000) };
          return {
            ...decision,
            commands: [...decision.commands, { type: "persist", record: tooBig }],
          };
        },
      });
      await shell.start();
      const sooner = { ...times, pendingMs: 60_000 };
      const reserve = (key: string) =>
        shell.decide(key, (nextFence) => {
          return { type: "RESERVE", ...a, times: sooner, nextFence, now: now() };
        });
      expect(() => reserve("thrown")).toThrow("too big");
      expect({ policy: "hardened", ...(await shell.inspect()) }).toEqual(before);
      // In memory the alarm is still the later one, so that the next reserve moves it.
      sabotage = false;
      expect(reserve("after")).toMatchObject({ outcome: "proceed", fence: 2 });
      const { records, nextAlarmAtMs } = await shell.inspect();
      expect(records.map(({ key }) => key)).toEqual(["after", "before"]);
      expect(nextAlarmAtMs).toBe(records[0]?.record.expiresAtMs);
    });
  });
});

describe("a reset of the object", () => {
  const abort = async (name: string): Promise<void> => {
    const reset = runInDurableObject(storeNamed(name), (_, state) => state.abort("reset"));
    await expect(reset).rejects.toThrow("reset");
  };

  test("loses nothing that was answered", async () => {
    const name = freshName();
    await storeNamed(name).reserve({ ...a, key: "pending" });
    await storeNamed(name).reserve({ ...a, key: "committed" });
    await storeNamed(name).commit({ ...a, key: "committed", response: "r" });
    const before = await storeNamed(name).inspect();
    await abort(name);
    expect(await storeNamed(name).inspect()).toEqual(before);
    expect(await storeNamed(name).reserve({ ...b, key: "new" })).toMatchObject({ fence: 3 });
  });

  test("keeps or loses an unanswered record together with its alarm", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const name = freshName();
      const reset = runInDurableObject(storeNamed(name), async (_, state) => {
        void new IdempotencyStore(state, {}).reserve(a).catch(() => {});
        for (let tick = 0; tick < round % 10; tick++) await Promise.resolve();
        if (round % 2 === 1) await scheduler.wait(0);
        state.abort("reset");
      });
      await expect(reset).rejects.toThrow("reset");
      const { records, nextAlarmAtMs, lastFence } = await storeNamed(name).inspect();
      const expiresAtMs = records[0]?.record.expiresAtMs ?? null;
      expect([nextAlarmAtMs, lastFence]).toEqual([expiresAtMs, records.length]);
      seen.add(records.length === 0 ? "lost" : "kept");
    }
    expect([...seen].sort()).toEqual(["kept", "lost"]);
  });

  test("knows its alarm again, so that it is not moved later", async () => {
    const name = freshName();
    await storeNamed(name).reserve({ ...a, key: "soon", times: { ...times, pendingMs: 60_000 } });
    const { nextAlarmAtMs } = await storeNamed(name).inspect();
    await abort(name);
    await storeNamed(name).reserve({ ...a, key: "later" });
    expect((await storeNamed(name).inspect()).nextAlarmAtMs).toBe(nextAlarmAtMs);
  });
});
