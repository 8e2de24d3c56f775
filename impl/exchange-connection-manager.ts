// How many connections an exchange sees: one, shared by every listener, and opened again when it is lost.
import { DurableObject } from "cloudflare:workers";
import { reconnectWaitMs, reconnectWaits } from "./reconnect-backoff.ts";

export interface ExchangeConnectionEnv {
  /** Serves the exchanges' feeds as WebSockets. */
  readonly EXCHANGE_FEED?: Fetcher;
}

export interface ConnectionStatus {
  readonly listeners: number;
  readonly isConnected: boolean;
  /** How often the exchange was connected to since this object woke up. */
  readonly connects: number;
  /** Failures in a row. */
  readonly failures: number;
}

/**
 * One object per exchange (seed 000, section 5). Listeners are accepted with the hibernation API,
 * so idle ones cost nothing; the connection to the exchange is outgoing, which cannot hibernate, and
 * is closed when the last listener leaves. It carries market data only: no order and no key passes
 * here, and the gateway does not know it.
 */
export class ExchangeConnectionManager extends DurableObject<ExchangeConnectionEnv> {
  readonly #firstWaitMs: number;
  #connection: WebSocket | null = null;
  #connecting: Promise<void> | null = null;
  #connects = 0;

  constructor(
    state: DurableObjectState,
    env: ExchangeConnectionEnv,
    firstWaitMs: number = reconnectWaits.firstMs,
  ) {
    super(state, env);
    this.#firstWaitMs = firstWaitMs;
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    // Listeners outlive the object; its connection does not.
    if (state.getWebSockets().length > 0) void state.storage.setAlarm(Date.now());
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") {
      return new Response("a listener opens a WebSocket\n", { status: 426 });
    }
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.ctx.acceptWebSocket(server);
    await this.#connect();
    return new Response(null, { status: 101, webSocket: client });
  }

  async status(): Promise<ConnectionStatus> {
    return {
      listeners: this.ctx.getWebSockets().length,
      isConnected: this.#connection !== null,
      connects: this.#connects,
      failures: this.#failures(),
    };
  }

  override async webSocketMessage(_: WebSocket, message: string | ArrayBuffer): Promise<void> {
    await this.#connect();
    this.#connection?.send(message);
  }

  override async webSocketClose(listener: WebSocket): Promise<void> {
    listener.close();
    const others = this.ctx.getWebSockets().filter((each) => each !== listener);
    if (others.length > 0) return;
    const connection = this.#connection;
    this.#connection = null;
    connection?.close(1000, "nobody listens");
    await this.ctx.storage.deleteAlarm();
  }

  override async alarm(): Promise<void> {
    if (this.ctx.getWebSockets().length > 0) await this.#connect();
  }

  /** Whoever asks while a connection is being opened waits for that one. */
  async #connect(): Promise<void> {
    if (this.#connection !== null) return;
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = null;
    });
    await this.#connecting;
  }

  async #open(): Promise<void> {
    const connection = await this.#dial();
    if (connection === null) return this.#retryLater();
    connection.accept();
    this.#connection = connection;
    this.#connects++;
    this.ctx.storage.kv.put(failuresName, 0);
    connection.addEventListener("message", ({ data }) =>
      this.#broadcast(data as string | ArrayBuffer),
    );
    const lose = () => void this.#lose(connection);
    connection.addEventListener("close", lose);
    connection.addEventListener("error", lose);
  }

  async #dial(): Promise<WebSocket | null> {
    try {
      const name = encodeURIComponent(this.ctx.id.name ?? "exchange");
      const response = await this.env.EXCHANGE_FEED?.fetch(
        `https://exchange-feed/simulator/stream?exchange=${name}`,
        { headers: { upgrade: "websocket" } },
      );
      return response?.webSocket ?? null;
    } catch {
      return null;
    }
  }

  async #lose(connection: WebSocket): Promise<void> {
    if (this.#connection !== connection) return;
    this.#connection = null;
    await this.#retryLater();
  }

  async #retryLater(): Promise<void> {
    const failures = this.#failures();
    this.ctx.storage.kv.put(failuresName, failures + 1);
    await this.ctx.storage.setAlarm(Date.now() + reconnectWaitMs(failures, this.#firstWaitMs));
  }

  #broadcast(data: string | ArrayBuffer): void {
    for (const listener of this.ctx.getWebSockets()) {
      if (listener.readyState === WebSocket.OPEN) listener.send(data);
    }
  }

  #failures(): number {
    return this.ctx.storage.kv.get<number>(failuresName) ?? 0;
  }
}

const failuresName = "failures";
