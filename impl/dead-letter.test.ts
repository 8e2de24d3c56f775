import { describe, expect, it } from "vitest";
import { clientOrderIdOf } from "./digest.ts";
import { readDeadLetter, recordDelaySeconds } from "./dead-letter.ts";

const trade = {
  schema: "latchkey.trade/1",
  key: "k",
  token: "the-owner-token",
  fingerprint: "f",
  fence: 1,
  deadlineAtMs: 1,
  times: { deadlineMs: 1, pendingMs: 1, retentionMs: 1 },
  body: "{}",
};

describe("a dead letter", () => {
  it("never shows an owner token, even where it is no trade or carries one deeper", async () => {
    const { times: _, ...broken } = trade;
    for (const message of [trade, broken, { message: broken }, [broken], { a: [{ b: trade }] }]) {
      for (const body of [message, { reason: "r", message }]) {
        const letter = await readDeadLetter(body, "id");
        expect(letter.message).toContain('"key":"k"');
        expect(letter.message).not.toContain(trade.token);
      }
    }
  });

  it("has one id for all deliveries of an attempt, and its message's where it is no trade", async () => {
    const [one, other] = await Promise.all(
      [trade, { reason: "r", message: trade }].map((body, at) => readDeadLetter(body, `id ${at}`)),
    );
    expect(one?.id).toBe(other?.id);
    expect((await readDeadLetter({ x: 1 }, "id 3")).id).toBe("id 3");
  });

  it("says why it died, or leaves that open where the queue itself gave it up", async () => {
    expect((await readDeadLetter({ reason: "r", message: trade }, "id")).reason).toBe("r");
    expect((await readDeadLetter(trade, "id")).reason).toBe(null);
  });

  it("names the order by which the exchange knows it", async () => {
    const { message } = await readDeadLetter(trade, "id");
    expect(message).toContain(`"clientOrderId":"${await clientOrderIdOf(trade.key)}"`);
  });

  it("is kept within bounds, and kept at all where it is no JSON", async () => {
    const long = await readDeadLetter(
      { reason: "r".repeat(9_999), message: "x".repeat(9_999) },
      "",
    );
    expect([long.reason?.length, long.message.length]).toEqual([4_096, 4_096]);
    expect((await readDeadLetter(1n, "id")).message).toContain("cannot be written");
  });

  it("is recorded again after a growing wait, over more than three days in all", () => {
    const delays = Array.from({ length: 100 }, (_, each) => recordDelaySeconds(each + 1));
    expect(delays.slice(0, 8)).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600]);
    expect(delays.reduce((sum, delay) => sum + delay, 0) / 3_600).toBeGreaterThan(93);
  });
});
