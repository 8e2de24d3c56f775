// The simulated exchange as a Worker: its orders, its controls, and the feed that connections share.
import type { ExchangeSimulator } from "./exchange-simulator.ts";
import { readInstruction } from "./exchange-simulator.ts";
import { dispatchHeaders } from "./live-calls.ts";

export { ExchangeSimulator } from "./exchange-simulator.ts";

export interface ExchangeSimulatorEnv {
  readonly EXCHANGE: DurableObjectNamespace<ExchangeSimulator>;
}

/**
 * `POST /trades` takes an order. `POST /simulator/next` tells what becomes of the next ones,
 * `GET /simulator/executions` shows what was executed, `GET /simulator/stream` is a WebSocket.
 */
export default {
  async fetch(request: Request, env: ExchangeSimulatorEnv): Promise<Response> {
    const exchange = env.EXCHANGE.getByName("exchange");
    switch (`${request.method} ${new URL(request.url).pathname}`) {
      case "POST /trades":
        return takeOrder(request, exchange);
      case "POST /simulator/next": {
        const instruction = readInstruction(await request.json().catch(() => null));
        if (instruction === null) return new Response("no such behaviour\n", { status: 400 });
        await exchange.instruct(instruction);
        return Response.json(instruction);
      }
      case "GET /simulator/executions":
        return Response.json({ ...(await exchange.totals()), orders: await exchange.list() });
      case "GET /simulator/stream":
        return openFeed(request);
      default:
        return new Response("not found\n", { status: 404 });
    }
  },
};

async function takeOrder(
  request: Request,
  exchange: DurableObjectStub<ExchangeSimulator>,
): Promise<Response> {
  const clientOrderId = request.headers.get(dispatchHeaders.clientOrderId);
  if (clientOrderId === null) {
    return Response.json({ error: "no client order id" }, { status: 400 });
  }
  const deadlineAtMs = numberIn(request.headers.get(dispatchHeaders.deadlineAtMs));
  const fence = numberIn(request.headers.get(dispatchHeaders.fence));
  const reply = await exchange.take({ clientOrderId, deadlineAtMs, fence });
  if (reply === null) throw new Error("the simulated exchange was told to lose this reply");
  const headers = { "content-type": "application/json" };
  return new Response(reply.body, { status: reply.status, headers });
}

function numberIn(header: string | null): number | null {
  return header === null ? null : Number(header);
}

/**
 * A feed that says hello and then ticks, and echoes what it is sent. That of an exchange whose name
 * starts with `restarting` closes after its hello.
 */
function openFeed(request: Request): Response {
  if (request.headers.get("upgrade") !== "websocket") {
    return new Response("the feed is a WebSocket\n", { status: 426 });
  }
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  server.accept();
  server.send("hello");
  const exchange = new URL(request.url).searchParams.get("exchange") ?? "";
  if (exchange.startsWith("restarting")) server.close(1012, "the exchange restarts");
  else tickOn(server);
  return new Response(null, { status: 101, webSocket: client });
}

/** How often a feed ticks. */
const tickMs = 1_000;

function tickOn(server: WebSocket): void {
  const ticking = setInterval(() => server.send("tick"), tickMs);
  const end = () => clearInterval(ticking);
  server.addEventListener("message", ({ data }) => server.send(data as string | ArrayBuffer));
  server.addEventListener("close", end);
  server.addEventListener("error", end);
}
