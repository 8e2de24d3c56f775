// Judges the deployed Worker: it is healthy, and closed until it is configured.
import { SELF, createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import type { DeadLetterPage } from "./dead-letter-log.ts";
import { digestOf } from "./digest.ts";
import worker, { type WorkerEnv } from "./worker.ts";

test("says that it is healthy", async () => {
  const response = await SELF.fetch("https://latchkey.test/health");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok" });
});

test("answers every other request with a problem", async () => {
  const response = await SELF.fetch("https://latchkey.test/trade", { method: "POST" });
  expect(response.status).toBe(404);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(await response.json()).toMatchObject({ title: "Not Found", status: 404 });
});

test("trades nothing before the operator has switched it on", async () => {
  const response = await SELF.fetch("https://latchkey.test/trades", { method: "POST" });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "KILL_SWITCH" });
});

test("shows its dead letters to nobody before the operator has a key", async () => {
  const response = await SELF.fetch("https://latchkey.test/dead-letters", {
    headers: { authorization: "Bearer " },
  });
  expect(response.status).toBe(403);
});

test.each([
  ["/health", "GET, HEAD"],
  ["/dead-letters", "GET, HEAD"],
  ["/exchanges/x/stream", "GET, HEAD"],
])("%s answers no method that does not read", async (path, allow) => {
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const response = await SELF.fetch(`https://latchkey.test${path}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toMatchObject({ code: "METHOD_NOT_ALLOWED" });
  }
});

/** A batch of one message, and what became of it. */
function batchOf(queue: string, body: unknown, attempts = 1) {
  const ends: unknown[] = [];
  const message = {
    id: `message of ${queue}`,
    timestamp: new Date(0),
    body,
    attempts,
    ack: () => ends.push("ack"),
    retry: (options?: QueueRetryOptions) => ends.push(options),
  };
  const batch = { queue, messages: [message], ackAll() {}, retryAll() {} };
  return { batch: batch as unknown as MessageBatch, ends };
}

const trade = {
  schema: "latchkey.trade/1",
  fingerprint: "f",
  fence: 1,
  deadlineAtMs: 1,
  times: { deadlineMs: 50_000, pendingMs: 100_000, retentionMs: 200_000 },
  body: "{}",
};
const bound = env as unknown as WorkerEnv;

test("a dead letter that cannot be recorded waits longer each time, and is named in the log", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const broken = { getByName: () => ({ record: () => Promise.reject(new TypeError("a secret")) }) };
  for (const [attempts, delaySeconds] of [
    [1, 30],
    [2, 60],
    [100, 3_600],
  ] as const) {
    for (const log of [undefined, broken]) {
      const { batch, ends } = batchOf(
        "latchkey-dead-letters",
        { reason: "r", message: 1 },
        attempts,
      );
      await worker.queue(batch, { ...bound, DEAD_LETTER_LOG: log } as unknown as WorkerEnv);
      expect(ends).toEqual([{ delaySeconds }]);
    }
  }
  const text = logged.mock.calls.join();
  expect(text).toContain("DEAD_LETTER_LOG is not bound");
  expect(text).toMatch(/stays in its queue: TypeError/);
  expect(text).not.toContain("a secret");
  logged.mockRestore();
});

test("settings that cannot be read close the gateway, keep its messages for later, and are named in the log", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const misconfigured = { ...bound, RATE_LIMIT: "2000000" };
  const { batch, ends } = batchOf("latchkey-trades", trade, 2);
  await worker.queue(batch, misconfigured);
  expect(ends).toEqual([{ delaySeconds: 90 }]);
  const request = new Request("https://latchkey.test/trades", { method: "POST" });
  const response = await worker.fetch(request, misconfigured, createExecutionContext());
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "NOT_CONFIGURED" });
  expect(logged.mock.calls).toEqual([
    [expect.stringMatching(/RATE_LIMIT must be from 1 to 1000000/)],
  ]);
  logged.mockRestore();
});

test("a message that the queue gave up is recorded by what the store knows, unless it executed", async () => {
  const settings = { ...bound, API_KEYS: "[]", OPERATOR_KEY_SHA256: await digestOf("operator") };
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const { storeFor } = await import("./shard.ts");
  for (const key of ["executed", "claimed", "gone"]) {
    const message = { ...trade, key, token: `token of ${key}` };
    const store = storeFor(env.IDEMPOTENCY_STORE, key);
    if (key !== "gone") await store.reserve(message);
    if (key === "claimed") await store.claim({ ...message, delivery: "d" });
    if (key === "executed") await store.commit({ ...message, response: "yes" });
    const { batch, ends } = batchOf("latchkey-dead-letters", message);
    await worker.queue(batch, settings);
    expect(ends).toEqual(["ack"]);
  }
  const headers = { authorization: "Bearer operator" };
  const read = async (page: string) => {
    const request = new Request(`https://latchkey.test/dead-letters${page}`, { headers });
    return worker.fetch(request, settings, createExecutionContext());
  };
  const { total, next, deadLetters } = await (await read("")).json<DeadLetterPage>();
  expect([total, next, deadLetters.length]).toEqual([2, null, 2]);
  expect(deadLetters[0]?.reason).toMatch(/no record of it any more, it may have executed/);
  expect(deadLetters[1]?.reason).toMatch(/a delivery claimed it .* may have executed/);
  expect(await (await read("?before=2")).json()).toMatchObject({ deadLetters: [{}] });
  expect((await read("?before=x")).status).toBe(400);
  logged.mockRestore();
});
