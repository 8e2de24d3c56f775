// Starts and stops a workerd process that has a harness Worker in it, and speaks with it over HTTP.
import { Log, LogLevel, Miniflare, type MiniflareOptions, type WorkerOptions } from "miniflare";
import { makeScratchFolder } from "./durable-object/scratch-folder.ts";
import { compatibilityDate } from "./durable-object/workerd.ts";
import { workerScript } from "./worker-script.ts";

/** Request and answer by path, as JSON bodies; every request is a POST. */
type CallsOf<Known> = Readonly<
  Record<keyof Known, { readonly request: unknown; readonly answer: unknown }>
>;

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
  const miniflare = startMiniflare({
    host: "127.0.0.1",
    log: new Log(LogLevel.NONE),
    workers,
    defaultPersistRoot: folder.path,
    handleRuntimeStdio: (stdout, stderr) => {
      // A crash that a plan asks for is told here as well, each time.
      stdout.resume();
      stderr.resume();
    },
  });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= miniflare.dispose().finally(() => folder.remove());
    return closing;
  };
  const url = await miniflare.ready.catch(async (error: unknown) => {
    await close().catch(() => {});
    throw new Error(`workerd did not start: harness=${entry.pathname}`, { cause: error });
  });
  return {
    async post<Path extends keyof Known & string>(path: Path, body: Known[Path]["request"]) {
      const request = { method: "POST", body: JSON.stringify(body) };
      const response = await fetch(new URL(path, url), request);
      const text = await response.text();
      if (!response.ok) {
        throw new Error(`harness: status=${response.status} path=${path}: ${text}`);
      }
      return JSON.parse(text) as Known[Path]["answer"];
    },
    close,
  };
}

async function workerOptions({ name, entry, bindings }: WorkerBeside): Promise<WorkerOptions> {
  const contents = await workerScript(entry);
  const modules = [{ type: "ESModule" as const, path: `${name}.js`, contents }];
  return { name, modules, compatibilityDate, ...bindings };
}

/** Miniflare ends the whole process on a signal; signals are the command line's. */
function startMiniflare(options: MiniflareOptions): Miniflare {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => process.listeners(signal));
  const miniflare = new Miniflare(options);
  signals.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.includes(listener) !== true) process.removeListener(signal, listener);
    }
  });
  return miniflare;
}
