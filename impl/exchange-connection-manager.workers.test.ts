// Judges when an exchange is dialled, on a clock that the test sets and against a feed that it plays.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ExchangeConnectionManager } from "./exchange-connection-manager.ts";

/** Whatever happens to a dial: the feed that was opened, or none. */
type Dial = () => Promise<Response>;

const down: Dial = async () => new Response("down", { status: 503 });

/** A connection, and what the exchange does with its end of it. */
function opening(act: (exchange: WebSocket) => void): Dial {
  return async () => {
    const [client, exchange] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    exchange.accept();
    act(exchange);
    return new Response(null, { status: 101, webSocket: client });
  };
}

/** A dial that the exchange answers only when it is told to, and the end of the connection that it then is. */
function holding() {
  let answer = (): void => {};
  let end = (): void => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  const closed = new Promise<void>((resolve) => (end = resolve));
  const open = opening((exchange) => exchange.addEventListener("close", () => end()));
  const dial: Dial = () => asked.then(open);
  const answerAndClose = () => {
    answer();
    return closed;
  };
  return { dial, answerAndClose };
}

class Feed {
  dial: Dial = down;
  readonly dialledAtMs: number[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  fetch(): Promise<Response> {
    this.dialledAtMs.push(this.#now());
    return this.dial();
  }
}

interface Stage {
  readonly clock: { now: number };
  readonly feed: Feed;
  readonly manager: ExchangeConnectionManager;
  readonly state: DurableObjectState;
  readonly listen: () => Promise<WebSocket>;
  /** The alarm's time comes, and its handler runs. */
  readonly ring: () => Promise<void>;
}

/** Runs `body` on an object of its own; its clock is so far ahead that the runtime rings no alarm. */
function onStage(name: string, body: (stage: Stage) => Promise<void>, dialMs = 60_000) {
  const stub = env.EXCHANGE_CONNECTIONS.getByName(name);
  return runInDurableObject(stub, async (_, state) => {
    const clock = { now: Date.now() + 1e9 };
    const feed = new Feed(() => clock.now);
    const bound = { EXCHANGE_FEED: feed as unknown as Fetcher };
    const manager = new ExchangeConnectionManager(state, bound, { now: () => clock.now, dialMs });
    const listen = async () => {
      const headers = { upgrade: "websocket" };
      const response = await manager.fetch(new Request("https://manager", { headers }));
      if (response.webSocket === null) throw new Error("a listener gets a WebSocket");
      response.webSocket.accept();
      await settle();
      return response.webSocket;
    };
    const ring = async () => {
      clock.now = (await state.storage.getAlarm()) ?? clock.now;
      await manager.alarm();
      await settle();
    };
    await body({ clock, feed, manager, state, listen, ring });
  });
}

/** More turns than any step takes that waits for nothing but its own messages. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

function waitsOf({ dialledAtMs }: Feed): readonly number[] {
  return dialledAtMs.slice(1).map((at, each) => at - (dialledAtMs[each] ?? 0));
}

describe("the connection manager", () => {
  it("dials a feed that is down after its wait, whatever listeners do meanwhile", async () => {
    await onStage("down", async ({ feed, manager, state, listen, ring }) => {
      for (let each = 0; each < 5; each++) await listen();
      const [listener] = state.getWebSockets();
      if (listener === undefined) throw new Error("a listener is accepted");
      for (let each = 0; each < 30; each++) {
        await (manager as DurableObject).webSocketMessage?.(listener, "an order");
      }
      expect(feed.dialledAtMs.length).toBe(1);
      for (let each = 0; each < 7; each++) await ring();
      expect(waitsOf(feed)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    });
  });

  it("does not dial before its time where an alarm comes early", async () => {
    await onStage("early", async ({ clock, feed, manager, state, listen }) => {
      await listen();
      clock.now += 999;
      await manager.alarm();
      expect(feed.dialledAtMs.length).toBe(1);
      expect(await state.storage.getAlarm()).toBe(clock.now + 1);
    });
  });

  it("waits longer each time for a feed that takes a connection and closes it", async () => {
    await onStage("flaps", async ({ feed, listen, ring }) => {
      feed.dial = opening((exchange) => {
        exchange.send("hello");
        exchange.close(1012, "the exchange restarts");
      });
      await listen();
      for (let each = 0; each < 4; each++) await ring();
      expect(waitsOf(feed)).toEqual([1_000, 2_000, 4_000, 8_000]);
    });
  });

  it("forgets the failures of a feed whose connection has lasted", async () => {
    await onStage("lasts", async ({ clock, feed, manager, state, listen, ring }) => {
      await listen();
      await ring();
      const ends: WebSocket[] = [];
      feed.dial = opening((exchange) => ends.push(exchange));
      await ring();
      expect(await manager.status()).toMatchObject({ isConnected: true, failures: 2 });
      clock.now += 60_000;
      expect((await manager.status()).failures).toBe(0);
      ends[0]?.close(1012, "the exchange restarts");
      await settle();
      expect(await manager.status()).toMatchObject({ isConnected: false, failures: 1 });
      expect(await state.storage.getAlarm()).toBe(clock.now + 1_000);
    });
  });

  it("closes a connection that comes when the last listener has left", async () => {
    await onStage("left", async ({ feed, manager, state, listen }) => {
      const held = holding();
      feed.dial = held.dial;
      await listen();
      const [listener] = state.getWebSockets();
      if (listener === undefined) throw new Error("a listener is accepted");
      await manager.webSocketClose(listener);
      await held.answerAndClose();
      expect(await manager.status()).toMatchObject({ listeners: 0, isConnected: false });
    });
  });

  it.each(["webSocketClose", "webSocketError"] as const)(
    "closes its connection when the last listener leaves by %s, and not before",
    async (way) => {
      await onStage(way, async ({ feed, manager, state, listen }) => {
        const ends: WebSocket[] = [];
        feed.dial = opening((exchange) => ends.push(exchange));
        await listen();
        await listen();
        const leave = async () => {
          const [listener] = state.getWebSockets().filter(({ readyState }) => readyState === 1);
          if (listener === undefined) throw new Error("a listener is accepted");
          listener.close();
          await manager[way](listener);
        };
        await leave();
        expect((await manager.status()).isConnected).toBe(true);
        await leave();
        expect(await manager.status()).toMatchObject({ listeners: 0, isConnected: false });
      });
    },
  );

  it("answers a listener while a dial hangs, gives the dial up, and tries again", async () => {
    const hangs = async ({ feed, manager, state, listen, ring }: Stage) => {
      const held = holding();
      feed.dial = held.dial;
      await listen();
      while ((await manager.status()).failures === 0) await settle();
      expect(await manager.status()).toMatchObject({ listeners: 1, isConnected: false });
      expect(await state.storage.getAlarm()).not.toBe(null);
      // What comes after all is closed, and is not a second connection.
      await held.answerAndClose();
      feed.dial = opening(() => {});
      await ring();
      expect(await manager.status()).toMatchObject({ isConnected: true, connects: 1 });
    };
    await onStage("hangs", hangs, 1);
  });
});
