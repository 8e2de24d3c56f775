// How many connections an exchange sees: one, shared by every listener, and opened again when it is lost.
import { DurableObject } from "cloudflare:workers";
import { reconnectWaitMs, reconnectWaits, standingFailures } from "./reconnect-backoff.ts";

export interface ExchangeConnectionEnv {
  /** Serves the exchanges' feeds as WebSockets. */
  readonly EXCHANGE_FEED?: Fetcher;
}

export interface ConnectionStatus {
  readonly listeners: number;
  readonly isConnected: boolean;
  /** How often the exchange was connected to since this object woke up. */
  readonly connects: number;
  /** Failures in a row: dials without a connection, and connections that did not last. */
  readonly failures: number;
}

export interface ConnectionSettings {
  readonly now: () => number;
  /** How long one dial may take. */
  readonly dialMs: number;
}

/**
 * One object per exchange (seed 000, section 5). Listeners are accepted with the hibernation API,
 * so idle ones cost nothing; the connection to the exchange is outgoing, which cannot hibernate, and
 * is closed when the last listener leaves. It carries market data, and only from the exchange to
 * the listeners: what a listener says is dropped, so no order passes here, and the gateway does not
 * know it. A listener is answered at once, whether or not the exchange can be reached.
 */
export class ExchangeConnectionManager extends DurableObject<ExchangeConnectionEnv> {
  readonly #settings: ConnectionSettings;
  #connection: { readonly socket: WebSocket; readonly openedAtMs: number } | null = null;
  #isDialling = false;
  #connects = 0;

  constructor(
    state: DurableObjectState,
    env: ExchangeConnectionEnv,
    settings: ConnectionSettings = { now: Date.now, dialMs: reconnectWaits.dialMs },
  ) {
    super(state, env);
    this.#settings = settings;
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    // Listeners outlive the object; its connection does not.
    if (this.#listeners().length > 0) void state.storage.setAlarm(this.#nextDialAtMs());
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") {
      return new Response("a listener opens a WebSocket\n", { status: 426 });
    }
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.ctx.acceptWebSocket(server);
    void this.#connect();
    return new Response(null, { status: 101, webSocket: client });
  }

  async status(): Promise<ConnectionStatus> {
    return {
      listeners: this.#listeners().length,
      isConnected: this.#connection !== null,
      connects: this.#connects,
      failures: this.#failures(),
    };
  }

  /** Dropped: this way leads to nobody. */
  override async webSocketMessage(): Promise<void> {}

  override async webSocketClose(listener: WebSocket): Promise<void> {
    listener.close();
    await this.#leave(listener);
  }

  override async webSocketError(listener: WebSocket): Promise<void> {
    await this.#leave(listener);
  }

  override async alarm(): Promise<void> {
    if (this.#listeners().length > 0) await this.#connect();
  }

  async #leave(listener: WebSocket): Promise<void> {
    if (this.#listeners().some((each) => each !== listener)) return;
    const connection = this.#connection;
    this.#connection = null;
    connection?.socket.close(1000, "nobody listens");
    await this.ctx.storage.deleteAlarm();
  }

  /** Dials unless somebody does already; before the next dial's time it only sees that the alarm is set. */
  async #connect(): Promise<void> {
    if (this.#connection !== null || this.#isDialling) return;
    const nextDialAtMs = this.#nextDialAtMs();
    if (this.#settings.now() < nextDialAtMs) return this.ctx.storage.setAlarm(nextDialAtMs);
    this.#isDialling = true;
    const socket = await this.#dial();
    this.#isDialling = false;
    if (socket === null) return this.#fail();
    socket.accept();
    // The last listener may have left while the exchange made up its mind.
    if (this.#listeners().length === 0) return socket.close(1000, "nobody listens");
    this.#open(socket);
  }

  #open(socket: WebSocket): void {
    this.#connection = { socket, openedAtMs: this.#settings.now() };
    this.#connects++;
    socket.addEventListener("message", ({ data }) => this.#broadcast(data as string | ArrayBuffer));
    const lose = () => void this.#lose(socket);
    socket.addEventListener("close", lose);
    socket.addEventListener("error", lose);
  }

  /** Null where there is no connection after `dialMs`; one that comes later is closed. */
  async #dial(): Promise<WebSocket | null> {
    const waiting = new AbortController();
    let id: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      id = setTimeout(() => resolve(null), this.#settings.dialMs);
    });
    const answered = this.#ask(waiting.signal);
    const socket = await Promise.race([answered, late]);
    clearTimeout(id);
    if (socket === null) {
      waiting.abort();
      void closeWhenItComes(answered);
    }
    return socket;
  }

  async #ask(signal: AbortSignal): Promise<WebSocket | null> {
    try {
      const name = encodeURIComponent(this.ctx.id.name ?? "exchange");
      const response = await this.env.EXCHANGE_FEED?.fetch(
        `https://exchange-feed/simulator/stream?exchange=${name}`,
        { headers: { upgrade: "websocket" }, signal },
      );
      return response?.webSocket ?? null;
    } catch {
      return null;
    }
  }

  async #lose(socket: WebSocket): Promise<void> {
    if (this.#connection?.socket !== socket) return;
    const failures = this.#failures();
    this.#connection = null;
    await this.#fail(failures);
  }

  /** Nobody dials before the wait is over, whoever asks. */
  async #fail(failures: number = this.#failures()): Promise<void> {
    const nextDialAtMs = this.#settings.now() + reconnectWaitMs(failures);
    this.ctx.storage.kv.put(backoffName, { failures: failures + 1, nextDialAtMs });
    if (this.#listeners().length > 0) await this.ctx.storage.setAlarm(nextDialAtMs);
  }

  #broadcast(data: string | ArrayBuffer): void {
    for (const listener of this.#listeners()) listener.send(data);
  }

  /** Those that are still there: one that is closing is listed by the runtime to its end. */
  #listeners(): readonly WebSocket[] {
    return this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }

  #failures(): number {
    const { failures } = this.#backoff();
    if (this.#connection === null) return failures;
    return standingFailures(failures, this.#settings.now() - this.#connection.openedAtMs);
  }

  #nextDialAtMs(): number {
    return this.#backoff().nextDialAtMs;
  }

  #backoff(): Backoff {
    return this.ctx.storage.kv.get<Backoff>(backoffName) ?? { failures: 0, nextDialAtMs: 0 };
  }
}

async function closeWhenItComes(answered: Promise<WebSocket | null>): Promise<void> {
  const socket = await answered;
  socket?.accept();
  socket?.close(1000, "too late");
}

/** Kept on disk, so that an object that is started again does not dial sooner. */
interface Backoff {
  readonly failures: number;
  readonly nextDialAtMs: number;
}

const backoffName = "backoff";
