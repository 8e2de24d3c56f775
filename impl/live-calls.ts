// How calls become bindings: the store's shard, the limiter's object, the trade service, queues and KV.
import { readBody } from "./bounded-body.ts";
import type { Calls } from "./calls.ts";
import { digestOf } from "./digest.ts";
import type { DeadLetter } from "./dead-letter.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import { faultOfConfig, operatorConfigName } from "./operator-config.ts";
import { tellOperator } from "./operator-log.ts";
import type { QueuedTrade } from "./queued-trade.ts";
import type { RateLimiterStore } from "./rate-limiter-store.ts";
import { storeFor } from "./shard.ts";

/** Every binding may be missing: a deployment can forget it, and then the call says so. */
export interface GatewayBindings {
  readonly IDEMPOTENCY_STORE?: DurableObjectNamespace<IdempotencyStore>;
  readonly RATE_LIMITER?: DurableObjectNamespace<RateLimiterStore>;
  readonly CONFIG?: KVNamespace;
  readonly TRADE_SERVICE?: Fetcher;
  readonly TRADES?: Queue<QueuedTrade>;
  readonly DEAD_LETTERS?: Queue<DeadLetter>;
  /** Marks of the published consumer; hardened does not use it. */
  readonly MARKS?: KVNamespace;
}

/** The headers that carry what downstream has to honour. */
export const dispatchHeaders = {
  clientOrderId: "client-order-id",
  deadlineAtMs: "latchkey-deadline",
  fence: "latchkey-fence",
} as const;

export function liveCalls(env: GatewayBindings): Calls {
  return {
    ...storeCalls(env),
    ...queueCalls(env),
    ...markCalls(env),
    readConfig: configReader(env),
    async admit(session, limit) {
      return env.RATE_LIMITER?.getByName(session).admit(limit);
    },
    async dispatch(request, signal) {
      if (env.TRADE_SERVICE === undefined) return { connected: false };
      const headers = new Headers({ "content-type": "application/json" });
      headers.set(dispatchHeaders.clientOrderId, request.clientOrderId);
      if (request.deadlineAtMs !== null) {
        headers.set(dispatchHeaders.deadlineAtMs, String(request.deadlineAtMs));
      }
      if (request.fence !== null) headers.set(dispatchHeaders.fence, String(request.fence));
      const response = await env.TRADE_SERVICE.fetch("https://trade-service/trades", {
        method: "POST",
        redirect: "manual",
        headers,
        body: request.body,
        signal,
      });
      const body = await readBody(response);
      return { status: response.status, body: body.outcome === "text" ? body.text : null };
    },
    now: () => Date.now(),
    randomToken: () => crypto.randomUUID(),
    timer(ms) {
      let id: ReturnType<typeof setTimeout> | undefined;
      const ended = new Promise<void>((resolve) => {
        id = setTimeout(resolve, ms);
      });
      return { ended, cancel: () => clearTimeout(id) };
    },
  };
}

/** For how long an isolate trusts the operator's config that it read: the kill switch is that late. */
const configAgeMs = 5_000;

/**
 * KV takes longer than all that the mutex adds, so an isolate reads it now and then. What was read
 * is kept, never a promise: a request cannot wait for another one's I/O. A read that fails gives
 * nothing, whatever was known before.
 */
function configReader(env: GatewayBindings): Calls["readConfig"] {
  let known: { readonly text: string; readonly readAtMs: number } | null = null;
  let told: string | null = null;
  return async () => {
    const now = Date.now();
    if (known !== null && now >= known.readAtMs && now < known.readAtMs + configAgeMs) {
      return known.text;
    }
    known = null;
    const text: unknown = await env.CONFIG?.get(operatorConfigName);
    const fault = faultOfConfig(text);
    // Said when it changes, and not at every request.
    if (fault !== null && fault !== told) tellOperator(fault);
    told = fault;
    if (typeof text === "string") known = { text, readAtMs: now };
    return text;
  };
}

type StoreCall = "reserve" | "claim" | "commit" | "release" | "standing";

/** Not bound is `unavailable`: nothing can have changed. */
function storeCalls(env: GatewayBindings): Pick<Calls, StoreCall> {
  const storeOf = (key: string) => {
    const { IDEMPOTENCY_STORE } = env;
    return IDEMPOTENCY_STORE === undefined ? null : storeFor(IDEMPOTENCY_STORE, key);
  };
  const notBound = { outcome: "unavailable" } as const;
  return {
    reserve: async (request) => storeOf(request.key)?.reserve(request) ?? notBound,
    claim: async (request) => storeOf(request.key)?.claim(request) ?? notBound,
    commit: async (request) => storeOf(request.key)?.commit(request) ?? notBound,
    release: async (request) => storeOf(request.key)?.release(request) ?? notBound,
    standing: async (request) => storeOf(request.key)?.standing(request) ?? notBound,
  };
}

function queueCalls(env: GatewayBindings): Pick<Calls, "enqueue" | "deadLetter"> {
  return {
    async enqueue(message) {
      if (env.TRADES === undefined) return { outcome: "failed" };
      await env.TRADES.send(message);
      return { outcome: "accepted" };
    },
    async deadLetter(message, reason) {
      await env.DEAD_LETTERS?.send({ message, reason });
      return { outcome: env.DEAD_LETTERS === undefined ? "unavailable" : "done" };
    },
  };
}

/** A mark is kept for a day: longer than a queue keeps retrying. */
const markSeconds = 86_400;

function markCalls(env: GatewayBindings): Pick<Calls, "hasMark" | "mark"> {
  // KV takes names up to 512 bytes, a token may be longer.
  const nameOf = async (token: string) => `executed/${await digestOf(token)}`;
  return {
    async hasMark(token) {
      const { MARKS } = env;
      return MARKS === undefined ? null : (await MARKS.get(await nameOf(token))) !== null;
    },
    async mark(token) {
      await env.MARKS?.put(await nameOf(token), "1", { expirationTtl: markSeconds });
      return { outcome: env.MARKS === undefined ? "unavailable" : "done" };
    },
  };
}
