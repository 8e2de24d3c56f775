// The deployable Worker: which path and which queue leads where, and the objects that it holds.
import type { DeadLetterLog } from "./dead-letter-log.ts";
import { readDeadLetter, recordDelaySeconds } from "./dead-letter.ts";
import { digestOf, isSameDigest } from "./digest.ts";
import type { ExchangeConnectionManager } from "./exchange-connection-manager.ts";
import { answerTrade, createGateway, type Gateway } from "./gateway.ts";
import { gatewaySettingsOf, type GatewayVars } from "./gateway-settings.ts";
import { liveCalls, type GatewayBindings } from "./live-calls.ts";
import { deadReason } from "./message-standing.ts";
import { tellOperator, traceOf } from "./operator-log.ts";
import { problemResponse } from "./problem.ts";
import {
  consumeDelivery,
  createConsumer,
  endOf,
  foreignReason,
  retryDelaySeconds,
  type Consumer,
  type MessageEnd,
} from "./queue-consumer.ts";
import type { QueuedTrade } from "./queued-trade.ts";

export { DeadLetterLog } from "./dead-letter-log.ts";
export { ExchangeConnectionManager } from "./exchange-connection-manager.ts";
export { IdempotencyStore } from "./idempotency-store.ts";
export { RateLimiterStore } from "./rate-limiter-store.ts";

export interface WorkerEnv extends GatewayBindings, GatewayVars {
  readonly DEAD_LETTER_LOG?: DurableObjectNamespace<DeadLetterLog>;
  readonly EXCHANGE_CONNECTIONS?: DurableObjectNamespace<ExchangeConnectionManager>;
  /** SHA-256 of the operator's key, in hexadecimal: a secret. */
  readonly OPERATOR_KEY_SHA256?: string;
}

/** The name of the queue whose messages are recorded, and not executed. */
const deadLetterQueue = "latchkey-dead-letters";

export default {
  async fetch(request: Request, env: WorkerEnv, context: ExecutionContext): Promise<Response> {
    const url = urlOf(request);
    if (url === null) return notFound();
    const [, first, exchange = "", ...rest] = url.pathname.split("/");
    if (url.pathname === "/trades") return trade(request, env, context);
    if (url.pathname === "/health") {
      return reading(request, async () => Response.json({ status: "ok" }));
    }
    if (url.pathname === "/dead-letters") {
      return reading(request, () => showDeadLetters(request, env, url.searchParams.get("before")));
    }
    if (first === "exchanges" && rest.join("/") === "stream") {
      return reading(request, () => listen(request, env, exchange));
    }
    return notFound();
  },

  async queue(batch: MessageBatch, env: WorkerEnv): Promise<void> {
    const parts = partsOf(env);
    const take = batch.queue === deadLetterQueue ? record : consume;
    await Promise.all(batch.messages.map((message) => take(message, env, parts)));
  },
};

/** Null where the request's Host makes a URL that is none. */
function urlOf(request: Request): URL | null {
  try {
    return new URL(request.url);
  } catch {
    return null;
  }
}

type Parts =
  | { readonly outcome: "parts"; readonly gateway: Gateway; readonly consumer: Consumer }
  | { readonly outcome: "refused" };

/** An isolate keeps one `env` for life: the machines are made once for it. */
const partsByEnv = new WeakMap<WorkerEnv, Parts>();

function partsOf(env: WorkerEnv): Parts {
  const known = partsByEnv.get(env);
  if (known !== undefined) return known;
  const made = makeParts(env);
  partsByEnv.set(env, made);
  return made;
}

/** What is wrong with the settings goes to the log, once an isolate: it is the operator's to read, not the client's. */
function makeParts(env: WorkerEnv): Parts {
  const settings = gatewaySettingsOf(env);
  if (settings.outcome === "refused") {
    tellOperator(settings.detail);
    return { outcome: "refused" };
  }
  if (settings.fault !== null) tellOperator(settings.fault);
  const calls = liveCalls(env);
  const gateway = createGateway(settings.settings, calls);
  return { outcome: "parts", gateway, consumer: createConsumer(settings.settings, calls) };
}

function trade(
  request: Request,
  env: WorkerEnv,
  context: ExecutionContext,
): Promise<Response> | Response {
  const parts = partsOf(env);
  if (parts.outcome === "refused") return notConfigured();
  const answer = answerTrade(parts.gateway, request);
  // A client that goes away must not keep its reservation from being settled.
  context.waitUntil(answer);
  return answer;
}

async function consume(message: Message, _: WorkerEnv, parts: Parts): Promise<void> {
  const { attempts } = message;
  if (parts.outcome === "refused") {
    return message.retry({ delaySeconds: retryDelaySeconds(attempts) });
  }
  const end = await consumeDelivery(parts.consumer, message.body, attempts);
  if (end.end === "ack") message.ack();
  else message.retry({ delaySeconds: end.delaySeconds });
}

/** A letter that cannot be recorded is tried again, later each time, as long as the queue keeps it. */
async function record(message: Message, env: WorkerEnv, parts: Parts): Promise<void> {
  const fault = await recordLetter(message, env, parts).catch(traceOf);
  if (fault === null) return message.ack();
  tellOperator(`a dead letter is not recorded, and stays in its queue: ${fault}`);
  message.retry({ delaySeconds: recordDelaySeconds(message.attempts) });
}

/** Null where it is recorded or no dead letter at all; otherwise why not. */
async function recordLetter(
  { body, id: messageId }: Message,
  env: WorkerEnv,
  parts: Parts,
): Promise<string | null> {
  const { id, reason, message, trade: dead } = await readDeadLetter(body, messageId);
  const end =
    reason === null ? await endOfGivenUp(dead, parts) : ({ end: "dead", reason } as const);
  if (end.end === "executed") return null;
  const log = env.DEAD_LETTER_LOG?.getByName("dead-letters");
  if (log === undefined) return "DEAD_LETTER_LOG is not bound";
  await log.record(id, end.reason, message);
  return null;
}

/** The queue itself gave the message up, after its last delivery: only the store can say why. */
async function endOfGivenUp(dead: QueuedTrade | null, parts: Parts): Promise<MessageEnd> {
  if (dead === null) return { end: "dead", reason: foreignReason };
  if (parts.outcome === "refused") return { end: "dead", reason: deadReason(null) };
  return endOf(parts.consumer, dead);
}

/** Only GET and HEAD read; the method is judged before the key, as a trade's is. */
function reading(request: Request, answer: () => Promise<Response>): Promise<Response> | Response {
  if (request.method === "GET" || request.method === "HEAD") return answer();
  return problemResponse({
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    title: "Method not allowed",
    detail: "Nothing is changed here: send GET.",
    headers: { allow: "GET, HEAD" },
  });
}

async function showDeadLetters(
  request: Request,
  env: WorkerEnv,
  before: string | null,
): Promise<Response> {
  if (!(await isOperator(request, env))) return notOperator();
  const log = env.DEAD_LETTER_LOG?.getByName("dead-letters");
  if (log === undefined) return notConfigured();
  if (before !== null && !/^[1-9][0-9]{0,14}$/.test(before)) return noSuchPage();
  const page = await log.list(before === null ? null : Number(before));
  return Response.json(page, { headers: { "cache-control": "no-store" } });
}

async function listen(request: Request, env: WorkerEnv, exchange: string): Promise<Response> {
  if (!(await isOperator(request, env))) return notOperator();
  if (!/^[a-z0-9_-]{1,32}$/.test(exchange)) return notFound();
  const manager = env.EXCHANGE_CONNECTIONS?.getByName(exchange);
  return manager === undefined ? notConfigured() : manager.fetch(request);
}

async function isOperator(request: Request, env: WorkerEnv): Promise<boolean> {
  const presented = /^Bearer +([!-~]{1,512})$/i.exec(request.headers.get("authorization") ?? "");
  const digest = await digestOf(presented?.[1] ?? "");
  return presented !== null && isSameDigest(digest, env.OPERATOR_KEY_SHA256 ?? "");
}

/** What exactly is not configured is in the log, for the operator, and not for the client. */
function notConfigured(): Response {
  return problemResponse({
    status: 503,
    code: "NOT_CONFIGURED",
    title: "Not configured",
    detail: "The gateway's settings cannot be read, so it executes nothing: the operator must act.",
  });
}

function notOperator(): Response {
  return problemResponse({
    status: 403,
    code: "NOT_AUTHENTICATED",
    title: "Not authenticated",
    detail: "Only the operator's key opens this: send it as Authorization: Bearer <key>.",
  });
}

function noSuchPage(): Response {
  return problemResponse({
    status: 400,
    code: "PAGE_NOT_VALID",
    title: "Page not valid",
    detail: "before is no page's end: give the `next` of the page before, or none.",
  });
}

function notFound(): Response {
  return problemResponse({
    status: 404,
    code: "NOT_FOUND",
    title: "Not Found",
    detail: "Nothing is served here: POST /trades makes a trade.",
  });
}
