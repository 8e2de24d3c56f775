// How gateway, store, queues and simulated exchange run on this machine: miniflare, with everything bound.
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { Miniflare, WorkerOptions } from "miniflare";
import { makeScratchFolder } from "../durable-object/scratch-folder.ts";
import { compatibilityDate } from "../harness-process.ts";
import { workerScript } from "../worker-script.ts";

export interface LocalRuntimeOptions {
  /** 0 takes a free port. */
  readonly port?: number;
  /** Plain values over those of `localVars`. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Runs in the same process with the gateway bound as `GATEWAY` and the exchange as `EXCHANGE`. */
  readonly driver?: string;
  /** Bound objects that the driver brings with it, by binding. */
  readonly driverObjects?: Readonly<Record<string, string>>;
  /** Takes what the runtime writes to its output and its errors. */
  readonly onLog?: (text: string) => void;
  /** Where requests from outside go; the gateway by default. */
  readonly entry?: "gateway" | "driver";
}

export interface LocalRuntime {
  readonly miniflare: Miniflare;
  readonly url: URL;
  close(): Promise<void>;
}

/** Keys for this machine only; a deployment stores their digests as secrets. */
export const localKeys = {
  live: "local-live-key",
  test: "local-test-key",
  operator: "local-operator-key",
} as const;

/** Starts everything on a fresh store. Close it, or its process and its folder stay. */
export async function startLocalRuntime(options: LocalRuntimeOptions = {}): Promise<LocalRuntime> {
  const { Log, LogLevel, Miniflare: Runtime } = await import("miniflare");
  const { onLog } = options;
  const folder = makeScratchFolder();
  const driver = options.driver === undefined ? [] : [await driverWorker(options.driver, options)];
  const trading = [await gatewayWorker(options.vars ?? {}), await exchangeWorker()];
  const workers = options.entry === "driver" ? [...driver, ...trading] : [...trading, ...driver];
  const miniflare = new Runtime({
    host: "127.0.0.1",
    port: options.port ?? 0,
    log: new Log(LogLevel.ERROR),
    defaultPersistRoot: folder.path,
    ...(onLog && {
      handleRuntimeStdio: (out: Readable, errors: Readable) => {
        for (const stream of [out, errors]) stream.on("data", (chunk) => onLog(String(chunk)));
      },
    }),
    workers,
  });
  const url = await miniflare.ready;
  const config = await miniflare.getKVNamespace("CONFIG", "gateway");
  await config.put("gateway", JSON.stringify({ killSwitch: "off", allowedAddresses: ["*"] }));
  return {
    miniflare,
    url,
    async close() {
      await miniflare.dispose().finally(() => folder.remove());
    },
  };
}

const script = (entry: string): Promise<string> =>
  workerScript(new URL(`../../${entry}`, import.meta.url));

const localVars: Readonly<Record<string, string>> = {
  LATCHKEY_POLICY: "hardened",
  LATCHKEY_MODE: "direct",
  API_KEYS: JSON.stringify([
    { tenant: "local", mode: "live", sha256: digestOf(localKeys.live) },
    { tenant: "local", mode: "test", sha256: digestOf(localKeys.test) },
  ]),
  OPERATOR_KEY_SHA256: digestOf(localKeys.operator),
};

async function gatewayWorker(vars: Readonly<Record<string, string>>): Promise<WorkerOptions> {
  const object = (className: string) => ({ className, useSQLite: true });
  return {
    ...moduleOf("gateway", await script("impl/worker.ts")),
    durableObjects: {
      IDEMPOTENCY_STORE: object("IdempotencyStore"),
      RATE_LIMITER: object("RateLimiterStore"),
      DEAD_LETTER_LOG: object("DeadLetterLog"),
      EXCHANGE_CONNECTIONS: object("ExchangeConnectionManager"),
    },
    kvNamespaces: ["CONFIG", "MARKS"],
    serviceBindings: { TRADE_SERVICE: "exchange", EXCHANGE_FEED: "exchange" },
    queueProducers: { TRADES: "latchkey-trades", DEAD_LETTERS: "latchkey-dead-letters" },
    queueConsumers: {
      "latchkey-trades": {
        maxBatchTimeout: 1,
        maxRetries: 3,
        deadLetterQueue: "latchkey-dead-letters",
      },
      "latchkey-dead-letters": { maxBatchTimeout: 1, maxRetries: 100 },
    },
    bindings: { ...localVars, ...vars },
  };
}

async function exchangeWorker(): Promise<WorkerOptions> {
  return {
    ...moduleOf("exchange", await script("impl/exchange-simulator-worker.ts")),
    routes: ["*/simulator/*"],
    durableObjects: { EXCHANGE: { className: "ExchangeSimulator", useSQLite: true } },
  };
}

/** The driver has what the gateway has, so that it can be one itself, with its own calls in between. */
async function driverWorker(entry: string, options: LocalRuntimeOptions): Promise<WorkerOptions> {
  const ownObjects = Object.entries(options.driverObjects ?? {}).map(
    ([binding, className]) => [binding, { className, useSQLite: true }] as const,
  );
  const gatewayObject = (className: string) => ({
    className,
    scriptName: "gateway",
    useSQLite: true,
  });
  return {
    ...moduleOf("driver", await script(entry)),
    kvNamespaces: ["CONFIG", "MARKS"],
    serviceBindings: { GATEWAY: "gateway", EXCHANGE: "exchange", TRADE_SERVICE: "exchange" },
    durableObjects: {
      IDEMPOTENCY_STORE: gatewayObject("IdempotencyStore"),
      RATE_LIMITER: gatewayObject("RateLimiterStore"),
      DEAD_LETTER_LOG: gatewayObject("DeadLetterLog"),
      ...Object.fromEntries(ownObjects),
    },
    bindings: { ...localVars, ...options.vars },
  };
}

function moduleOf(name: string, contents: string) {
  return {
    name,
    compatibilityDate,
    modules: [{ type: "ESModule" as const, path: `${name}.mjs`, contents }],
  };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
