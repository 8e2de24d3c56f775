// On the real runtime, an exchange sees one connection for all listeners, and no order passes through it.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectionStatus } from "../../impl/exchange-connection-manager.ts";
import { localKeys, startLocalRuntime, type LocalRuntime } from "./local-runtime.ts";

let runtime: LocalRuntime;

beforeAll(async () => {
  runtime = await startLocalRuntime();
}, 120_000);

afterAll(() => runtime.close());

/** A listener, and the messages that it gets: `next` waits for one. */
async function listen(exchange: string) {
  const response = await runtime.miniflare.dispatchFetch(
    `http://gateway/exchanges/${exchange}/stream`,
    {
      headers: { upgrade: "websocket", authorization: `Bearer ${localKeys.operator}` },
    },
  );
  const socket = response.webSocket;
  if (socket === null) throw new Error(`a listener gets a WebSocket: status=${response.status}`);
  const messages: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  socket.addEventListener("message", ({ data }) => {
    const taker = waiting.shift();
    if (taker === undefined) messages.push(data);
    else taker(data);
  });
  socket.accept();
  const next = () =>
    new Promise<unknown>((resolve) => {
      if (messages.length > 0) resolve(messages.shift());
      else waiting.push(resolve);
    });
  return { socket, next };
}

async function statusOf(exchange: string): Promise<ConnectionStatus> {
  const namespace = await runtime.miniflare.getDurableObjectNamespace(
    "EXCHANGE_CONNECTIONS",
    "gateway",
  );
  const stub = namespace.get(namespace.idFromName(exchange)) as unknown as {
    status(): Promise<ConnectionStatus>;
  };
  return stub.status();
}

describe("the connection manager", () => {
  it("shares one connection between listeners, and sends each what comes", async () => {
    const one = await listen("shared");
    expect(await one.next()).toBe("hello");
    const other = await listen("shared");
    expect(await statusOf("shared")).toEqual({
      listeners: 2,
      isConnected: true,
      connects: 1,
      failures: 0,
    });
    expect(await Promise.all([one.next(), other.next()])).toEqual(["tick", "tick"]);
  }, 60_000);

  it("connects again when the exchange closes, and its listeners stay", async () => {
    const { next } = await listen("restarting");
    expect([await next(), await next()]).toEqual(["hello", "hello"]);
    expect(await statusOf("restarting")).toMatchObject({ listeners: 1 });
  }, 60_000);

  it("tells the exchange nothing that a listener says", async () => {
    const { socket, next } = await listen("deaf");
    expect(await next()).toBe("hello");
    socket.send("an order");
    // The feed echoes what it is told, long before its second tick.
    expect([await next(), await next()]).toEqual(["tick", "tick"]);
  }, 60_000);

  it("answers pings itself, and asks the exchange nothing", async () => {
    const { socket, next } = await listen("pinged");
    expect(await next()).toBe("hello");
    socket.send("ping");
    expect(await next()).toBe("pong");
  }, 60_000);

  it("opens nothing for a request that is no operator's", async () => {
    const response = await runtime.miniflare.dispatchFetch("http://gateway/exchanges/x/stream", {
      headers: { upgrade: "websocket", authorization: `Bearer ${localKeys.test}` },
    });
    expect(response.status).toBe(403);
  });
});

describe("the idempotency path", () => {
  it.each(["gateway", "live-calls", "queue-consumer"])(
    "does not know the connection manager: impl/%s.ts",
    async (name) => {
      const { metafile } = await build({
        entryPoints: [fileURLToPath(new URL(`../../impl/${name}.ts`, import.meta.url))],
        bundle: true,
        write: false,
        metafile: true,
        format: "esm",
        external: ["cloudflare:*", "node:*"],
      });
      const sources = Object.keys(metafile.inputs);
      expect(sources.some((source) => source.endsWith(`${name}.ts`))).toBe(true);
      expect(sources.filter((source) => source.includes("exchange-connection"))).toEqual([]);
    },
  );
});
