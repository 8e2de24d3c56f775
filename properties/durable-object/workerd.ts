// Starts and stops the real runtime: a workerd process with the harness Worker in it.
import { Agent, request } from "node:http";
import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import type { MiniflareOptions } from "miniflare";
import { harnessScript } from "./bundle.ts";
import type { HarnessCalls } from "./protocol.ts";
import { makeScratchFolder } from "./scratch-folder.ts";

/** One workerd process. */
export interface Workerd {
  /** Posts one request to the harness Worker and gives its answer; rejects with what went wrong. */
  post<Path extends keyof HarnessCalls>(
    path: Path,
    body: HarnessCalls[Path]["request"],
  ): Promise<HarnessCalls[Path]["answer"]>;
  /** Ends the process and removes its files; a second call does nothing. */
  close(): Promise<void>;
}

/** The compatibility date of `wrangler.jsonc`: what is judged runs as what is deployed. */
export const compatibilityDate = "2026-04-01";

/** A fresh process with storage of its own, in memory where there is such a place. */
export async function startWorkerd(): Promise<Workerd> {
  const script = await harnessScript();
  const folder = makeScratchFolder();
  const complaints: string[] = [];
  const miniflare = startMiniflare({
    modules: [{ type: "ESModule", path: "harness-worker.js", contents: script }],
    compatibilityDate,
    durableObjects: {
      STORE: { className: "HarnessStore", useSQLite: true, unsafePreventEviction: true },
    },
    durableObjectsPersist: folder.path,
    handleRuntimeStdio: (stdout, stderr) => {
      stdout.resume();
      keepLatest(stderr, complaints);
    },
  });
  const agent = new Agent({ keepAlive: true });
  const inTurn = oneAtATime();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      agent.destroy();
      await miniflare.dispose().finally(() => folder.remove());
    })();
    return closing;
  };
  try {
    const url = await miniflare.ready;
    return {
      post: async <Path extends keyof HarnessCalls>(
        path: Path,
        body: HarnessCalls[Path]["request"],
      ) => {
        const send = async (): Promise<HarnessCalls[Path]["answer"]> =>
          JSON.parse(await post(agent, new URL(path, url), body)) as HarnessCalls[Path]["answer"];
        return runsPlans.has(path) ? inTurn(send) : send();
      },
      close,
    };
  } catch (error) {
    await close().catch(() => {});
    throw new Error(`workerd did not start: ${complaints.join(" ")}`, { cause: error });
  }
}

/** A run replaces the timers of the whole process: one request at a time, whatever is asked. */
const runsPlans: ReadonlySet<keyof HarnessCalls> = new Set(["/judge", "/run"]);

function oneAtATime(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => {});
    return mine;
  };
}

/**
 * Miniflare ends the whole process on SIGINT and SIGTERM, before the command line can report what
 * it has so far. Signals are the command line's; Miniflare stops workerd when the process exits.
 */
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
