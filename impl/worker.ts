// The deployable Worker: which path and which queue leads where, and the objects that it holds.
import { digestOf, isSameDigest } from "./digest.ts";
import { deadLetterOf, type DeadLetterLog } from "./dead-letter-log.ts";
import type { ExchangeConnectionManager } from "./exchange-connection-manager.ts";
import { answerTrade, createGateway, type Gateway } from "./gateway.ts";
import { gatewaySettingsOf, type GatewayVars } from "./gateway-settings.ts";
import { liveCalls, type GatewayBindings } from "./live-calls.ts";
import { problemResponse } from "./problem.ts";
import { consumeDelivery, createConsumer, type Consumer } from "./queue-consumer.ts";

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
    const { pathname } = new URL(request.url);
    const [, first, exchange = "", ...rest] = pathname.split("/");
    if (pathname === "/trades") return trade(request, env, context);
    if (pathname === "/health") return Response.json({ status: "ok" });
    if (pathname === "/dead-letters") return showDeadLetters(request, env);
    if (first === "exchanges" && rest.join("/") === "stream") {
      return listen(request, env, exchange);
    }
    return notFound();
  },

  async queue(batch: MessageBatch, env: WorkerEnv): Promise<void> {
    const parts = partsOf(env);
    const take = batch.queue === deadLetterQueue ? record : consume;
    await Promise.all(batch.messages.map((message) => take(message, env, parts)));
  },
};

type Parts =
  | { readonly outcome: "parts"; readonly gateway: Gateway; readonly consumer: Consumer }
  | { readonly outcome: "refused"; readonly detail: string };

/** An isolate keeps one `env` for life: the machines are made once for it. */
const partsByEnv = new WeakMap<WorkerEnv, Parts>();

function partsOf(env: WorkerEnv): Parts {
  const known = partsByEnv.get(env);
  if (known !== undefined) return known;
  const made = makeParts(env);
  partsByEnv.set(env, made);
  return made;
}

function makeParts(env: WorkerEnv): Parts {
  const reading = gatewaySettingsOf(env);
  if (reading.outcome === "refused") return reading;
  const calls = liveCalls(env);
  const gateway = createGateway(reading.settings, calls);
  return { outcome: "parts", gateway, consumer: createConsumer(reading.settings, calls) };
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
  if (parts.outcome === "refused") return message.retry();
  const end = await consumeDelivery(parts.consumer, message.body, message.attempts);
  if (end.end === "ack") message.ack();
  else message.retry({ delaySeconds: end.delaySeconds });
}

async function record(message: Message, env: WorkerEnv): Promise<void> {
  const log = env.DEAD_LETTER_LOG?.getByName("dead-letters");
  if (log === undefined) return message.retry();
  try {
    const letter = await deadLetterOf(message.body, message.id);
    await log.record(letter.id, letter.reason, letter.message);
    message.ack();
  } catch {
    message.retry();
  }
}

async function showDeadLetters(request: Request, env: WorkerEnv): Promise<Response> {
  if (!(await isOperator(request, env))) return notOperator();
  const log = env.DEAD_LETTER_LOG?.getByName("dead-letters");
  if (log === undefined) return notConfigured();
  const [total, deadLetters] = await Promise.all([log.count(), log.list()]);
  return Response.json({ total, deadLetters }, { headers: { "cache-control": "no-store" } });
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

/** What exactly is not configured is the operator's to read in `gatewaySettingsOf`, not the client's. */
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

function notFound(): Response {
  return problemResponse({
    status: 404,
    code: "NOT_FOUND",
    title: "Not Found",
    detail: "Nothing is served here: POST /trades makes a trade.",
  });
}
