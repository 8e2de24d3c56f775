import { describe, expect, it, vi } from "vitest";
import type { Calls } from "./calls.ts";
import { gatewaySettingsOf } from "./gateway-settings.ts";
import { consumeDelivery, createConsumer } from "./queue-consumer.ts";
import type { QueuedTrade } from "./queued-trade.ts";
import {
  executionsIn,
  rememberedCalls,
  rememberedWorld,
  type RememberedWorld,
} from "./remembered-calls.ts";

async function start(policy: "published" | "hardened", replaced: Partial<Calls> = {}) {
  const reading = gatewaySettingsOf({ LATCHKEY_POLICY: policy, LATCHKEY_MODE: "queue-everywhere" });
  if (reading.outcome === "refused") throw new Error(reading.detail);
  const { settings } = reading;
  const world = rememberedWorld();
  const known = rememberedCalls(settings.policy, world);
  const times = settings.clientTimes;
  const request = { key: "k", token: "t", fingerprint: "f", times };
  await known.reserve(request);
  const message: QueuedTrade = {
    ...request,
    schema: "latchkey.trade/1",
    fence: 1,
    deadlineAtMs: world.now + times.deadlineMs,
    body: "{}",
  };
  const consumer = createConsumer(settings, { ...known, ...replaced });
  const deliver = (attempts = 1) => consumeDelivery(consumer, message, attempts);
  return { world, deliver, consumer };
}

describe("the consumer", () => {
  it("executes a message and commits its key with the response", async () => {
    const { world, deliver } = await start("hardened");
    expect(await deliver()).toEqual({ end: "ack" });
    expect(executionsIn(world)).toBe(1);
    expect(world.records.get("k")).toMatchObject({ status: "committed" });
    expect(world.records.get("k")?.response).toContain('"status":200');
  });

  it("executes once when one message is delivered twice at the same time", async () => {
    const { world, deliver } = await start("hardened");
    const ends = await Promise.all([deliver(), deliver()]);
    expect(ends.map(({ end }) => end).toSorted()).toEqual(["ack", "retry"]);
    expect(executionsIn(world)).toBe(1);
  });

  it("claims for each delivery by itself, and hands on the fence and deadline of the message", async () => {
    const claimed: string[] = [];
    const asked: unknown[] = [];
    const { world, deliver } = await start("hardened", {
      claim: async ({ delivery }) => {
        claimed.push(delivery);
        return { outcome: "done" };
      },
      dispatch: async ({ fence, deadlineAtMs }) => {
        asked.push({ fence, deadlineAtMs });
        return { status: 500, body: "" };
      },
    });
    await deliver(1);
    await deliver(2);
    expect(new Set(claimed).size).toBe(2);
    const ofMessage = { fence: 1, deadlineAtMs: world.now + 720_000 };
    expect(asked).toEqual([ofMessage, ofMessage]);
  });

  it("retries, late, what it cannot finish, and leaves a trace", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const { deliver } = await start("hardened", {
      randomToken: () => {
        throw new Error("no randomness");
      },
    });
    expect(await deliver(9)).toEqual({ end: "retry", delaySeconds: 390 });
    expect(logged.mock.calls).toEqual([
      [expect.stringMatching(/broke off: Error at .*randomToken/)],
    ]);
    logged.mockRestore();
  });

  it("executes twice when both deliveries pass the mark's check, as published", async () => {
    const { world, deliver } = await start("published");
    await Promise.all([deliver(), deliver()]);
    expect(executionsIn(world)).toBe(2);
  });

  it("acknowledges a message that an earlier delivery executed, and buries it never", async () => {
    const { world, deliver } = await start("hardened");
    expect(await deliver(1)).toEqual({ end: "ack" });
    expect(await deliver(2)).toEqual({ end: "ack" });
    world.now += 720_000;
    expect(await deliver(3)).toEqual({ end: "ack" });
    expect(world.deadLetters).toEqual([]);
    expect(executionsIn(world)).toBe(1);
  });

  it.each([
    ["nobody claimed it", "nobody executed it", async () => {}],
    [
      "the store has no record of it",
      "may have executed",
      async (world: RememberedWorld) => world.records.clear(),
    ],
  ] as const)(
    "says of a message past its deadline what is known: %s",
    async (_, reason, happen) => {
      const { world, deliver } = await start("hardened");
      await happen(world);
      world.now += 720_000;
      expect(await deliver()).toEqual({ end: "ack" });
      expect(world.deadLetters[0]?.reason).toContain(reason);
    },
  );

  it("says that a message may have executed where the store does not say how it stands", async () => {
    const silences = [
      () => Promise.reject(new Error("down")),
      () => new Promise(() => {}),
      async () => ({ outcome: "stands", standing: "dead" }),
    ];
    for (const standing of silences) {
      const { world, deliver } = await start("hardened", { standing });
      world.now += 720_000;
      expect(await deliver()).toEqual({ end: "ack" });
      expect(world.deadLetters[0]?.reason).toContain("may have executed");
    }
  });

  it.each(["lose-reply", "fail-after", "garble"] as const)(
    "leaves an unknown outcome in doubt, and says so at its deadline: %s",
    async (behaviour) => {
      const { world, deliver } = await start("hardened");
      world.behaviours = [behaviour];
      expect(await deliver(1)).toEqual({ end: "retry", delaySeconds: 30 });
      expect(await deliver(2)).toEqual({ end: "retry", delaySeconds: 90 });
      expect(await deliver(3)).toEqual({ end: "retry", delaySeconds: 390 });
      world.now += 720_000;
      expect(await deliver(4)).toEqual({ end: "ack" });
      expect(world.deadLetters[0]?.reason).toMatch(/may have executed: look at the exchange/);
      expect(executionsIn(world)).toBe(1);
    },
  );

  it("releases after a definite failure, and says why the message died", async () => {
    const { world, deliver } = await start("hardened");
    world.behaviours = ["reject"];
    expect(await deliver()).toEqual({ end: "ack" });
    expect(world.records.size).toBe(0);
    expect(world.deadLetters).toMatchObject([
      { reason: "the trade service answered: outcome=rejected" },
    ]);
  });

  it("keeps a message that cannot be buried", async () => {
    const { world, deliver } = await start("hardened", {
      deadLetter: () => Promise.reject(new Error("no such queue")),
    });
    world.now += 720_000;
    expect((await deliver()).end).toBe("retry");
  });

  it("does not execute without a claim, whatever the store does", async () => {
    const claims = [
      () => Promise.reject(new Error("down")),
      () => new Promise(() => {}),
      async () => true,
      async () => ({ outcome: "stale" }),
      async () => ({ outcome: "invalid" }),
    ];
    for (const claim of claims) {
      const { world, deliver } = await start("hardened", { claim });
      expect((await deliver()).end).toBe("retry");
      expect(executionsIn(world)).toBe(0);
    }
  });

  it("buries a message that is none of the gateway's", async () => {
    const { world, consumer } = await start("hardened");
    for (const body of [null, 1, "x", {}, { schema: "latchkey.trade/2" }]) {
      expect(await consumeDelivery(consumer, body, 1)).toEqual({ end: "ack" });
    }
    expect(world.deadLetters[0]?.reason).toBe("the message is none of the gateway's");
    expect(world.deadLetters.length).toBe(5);
    expect(executionsIn(world)).toBe(0);
  });
});
