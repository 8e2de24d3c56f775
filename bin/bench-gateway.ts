// Measures what the mutex adds to a request: with and without it, interleaved in one run on one runtime.
import { Agent, request } from "node:http";
import { localKeys, startLocalRuntime } from "../properties/gateway/local-runtime.ts";

interface GatewayBench {
  readonly requests: number;
  /** Milliseconds from request to answer, over one keep-alive connection. */
  readonly withMutex: Quantiles;
  readonly withoutMutex: Quantiles;
  readonly twoBareCalls: Quantiles;
  readonly nothing: Quantiles;
  /** What the mutex adds, and what two bare object calls cost, each less its own baseline. */
  readonly addedMs: Quantiles;
  readonly bareMs: Quantiles;
  /** Added at the median, in units of two bare object calls. */
  readonly multipleOfTwoBareCalls: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

const paths = ["/with", "/without", "/two-bare-calls", "/nothing"] as const;
type Path = (typeof paths)[number];

/** Each round sends one request to each path, one after another, so that noise falls on all alike. */
async function benchGateway(rounds = 1_000, warmUpRounds = 100): Promise<GatewayBench> {
  const runtime = await startLocalRuntime({
    driver: "properties/gateway/bench-worker.ts",
    driverObjects: { BARE: "BareObject" },
    entry: "driver",
    vars: { RATE_LIMIT: "1000000" },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = new Map<Path, number[]>(paths.map((path) => [path, []]));
  try {
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      for (const path of paths) {
        const ms = await timed(agent, new URL(path, runtime.url), `key ${path} ${round}`);
        if (round >= warmUpRounds) times.get(path)?.push(ms);
      }
    }
  } finally {
    agent.destroy();
    await runtime.close();
  }
  return summarise(rounds, (path) => quantilesOf(times.get(path) ?? []));
}

function summarise(requests: number, of: (path: Path) => Quantiles): GatewayBench {
  const [withMutex, withoutMutex, twoBareCalls, nothing] = [
    of("/with"),
    of("/without"),
    of("/two-bare-calls"),
    of("/nothing"),
  ];
  const addedMs = less(withMutex, withoutMutex);
  const bareMs = less(twoBareCalls, nothing);
  const multipleOfTwoBareCalls = addedMs.p50 / bareMs.p50;
  return {
    requests,
    withMutex,
    withoutMutex,
    twoBareCalls,
    nothing,
    addedMs,
    bareMs,
    multipleOfTwoBareCalls,
  };
}

function less(one: Quantiles, other: Quantiles): Quantiles {
  return { p50: one.p50 - other.p50, p99: one.p99 - other.p99 };
}

function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function timed(agent: Agent, url: URL, key: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${localKeys.test}`,
    "content-type": "application/json",
    "idempotency-key": `"${key}"`,
  };
  const body = '{"exchange":"sim","symbol":"BTC/USDT","action":"buy","quantity":"0.1"}';
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: "POST", headers }, (response) => {
      response.resume();
      response.once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200) resolve(performance.now() - start);
        else reject(new Error(`the bench needs answers with 200: status=${response.statusCode}`));
      });
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

/** Measures and prints. */
export async function printGatewayBench(print: (line: string) => void): Promise<void> {
  const bench = await benchGateway();
  const line = (name: string, { p50, p99 }: Quantiles) =>
    `${name.padEnd(16)} p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`;
  print(`${bench.requests} requests each, interleaved`);
  print(line("with mutex", bench.withMutex));
  print(line("without mutex", bench.withoutMutex));
  print(line("mutex adds", bench.addedMs));
  print(line("two bare calls", bench.bareMs));
  print(`mutex / two bare calls at the median: ${bench.multipleOfTwoBareCalls.toFixed(1)}`);
}
