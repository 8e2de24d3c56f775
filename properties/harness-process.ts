// Starts and stops a workerd process that has a harness Worker in it, and speaks with it over HTTP.
import { Agent, request } from "node:http";
import type { Readable } from "node:stream";
import type { Miniflare, MiniflareOptions, WorkerOptions } from "miniflare";
import { makeScratchFolder } from "./durable-object/scratch-folder.ts";
import type { CallsOf } from "./harness-serving.ts";
import { workerScript } from "./worker-script.ts";

/** The compatibility date of `wrangler.jsonc`: what is judged runs as what is deployed. */
export const compatibilityDate = "2026-04-01";

/** One workerd process; it may serve runners of several policies. */
export interface HarnessProcess<Known extends CallsOf<Known>> {
  /** Posts one request to the harness Worker and gives its answer; rejects with what went wrong. */
  post<Path extends keyof Known & string>(
    path: Path,
    body: Known[Path]["request"],
  ): Promise<Known[Path]["answer"]>;
  /** Ends the process and removes its files; a second call does nothing. */
  close(): Promise<void>;
}

type Bindings = Pick<WorkerOptions, "durableObjects" | "kvNamespaces" | "serviceBindings">;

/** A Worker beside the harness Worker, in an isolate of its own. */
export interface WorkerBeside {
  readonly name: string;
  readonly entry: URL;
  readonly bindings: Bindings;
}

/** By this name Workers beside it bind to the harness Worker and its objects. */
export const harnessName = "harness";

/** A fresh process with storage of its own, in memory where there is such a place. */
export async function startHarness<Known extends CallsOf<Known>>(
  entry: URL,
  bindings: Bindings,
  beside: readonly WorkerBeside[] = [],
): Promise<HarnessProcess<Known>> {
  const workers = await Promise.all(
    [{ name: harnessName, entry, bindings }, ...beside].map(workerOptions),
  );
  const folder = makeScratchFolder();
  const complaints: string[] = [];
  const miniflare = await startMiniflare({
    host: "127.0.0.1",
    workers,
    defaultPersistRoot: folder.path,
    handleRuntimeStdio: (stdout, stderr) => {
      stdout.resume();
      keepLatest(stderr, complaints);
    },
  });
  const agent = new Agent({ keepAlive: true });
  const inTurn = oneAtATime();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    agent.destroy();
    closing ??= miniflare.dispose().finally(() => folder.remove());
    return closing;
  };
  const url = await miniflare.ready.catch(async (error: unknown) => {
    await close().catch(() => {});
    const said = complaints.join(" ");
    throw new Error(`workerd did not start: harness=${entry.pathname} ${said}`, { cause: error });
  });
  return {
    post: <Path extends keyof Known & string>(path: Path, body: Known[Path]["request"]) => {
      const send = async (): Promise<Known[Path]["answer"]> =>
        JSON.parse(await post(agent, new URL(path, url), body)) as Known[Path]["answer"];
      return runsPlans.test(path) ? inTurn(send) : send();
    },
    close,
  };
}

/**
 * A run replaces the timers of the whole process: one request at a time, whatever is asked. The
 * turn is kept here, for in workerd one request must not wait for a promise of another.
 */
const runsPlans = /\/(?:judge|run)$/u;

function oneAtATime(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => {});
    return mine;
  };
}

async function workerOptions({ name, entry, bindings }: WorkerBeside): Promise<WorkerOptions> {
  const contents = await workerScript(entry);
  const modules = [{ type: "ESModule" as const, path: `${name}.js`, contents }];
  return { name, modules, compatibilityDate, ...bindings };
}

/**
 * Miniflare ends the whole process on SIGINT and SIGTERM, before the command line can report what
 * it has so far. Signals are the command line's; Miniflare stops workerd when the process exits.
 */
async function startMiniflare(options: MiniflareOptions): Promise<Miniflare> {
  // Half a second to load: only who starts a process pays it.
  const { Log, LogLevel, Miniflare: Runtime } = await import("miniflare");
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => process.listeners(signal));
  const miniflare = new Runtime({ log: new Log(LogLevel.NONE), ...options });
  signals.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.includes(listener) !== true) process.removeListener(signal, listener);
    }
  });
  return miniflare;
}

/** What workerd says on its error output, an aborted object's reason mostly; the latest lines. */
function keepLatest(stderr: Readable, complaints: string[]): void {
  stderr.on("data", (chunk: Buffer) => {
    complaints.push(chunk.toString());
    if (complaints.length > mostComplaints) complaints.shift();
  });
}

const mostComplaints = 20;

function post(agent: Agent, url: URL, body: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (incoming.statusCode === 200) return resolve(text);
        const { statusCode } = incoming;
        reject(new Error(`harness: status=${statusCode} path=${url.pathname}: ${text}`));
      });
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // A kept connection that workerd closed while it was idle: the request was never taken.
      if (outgoing.reusedSocket && error.code === "ECONNRESET") {
        post(agent, url, body).then(resolve, reject);
      } else {
        reject(error);
      }
    });
    outgoing.end(JSON.stringify(body));
  });
}
