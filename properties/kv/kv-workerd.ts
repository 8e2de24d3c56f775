// Starts and stops a workerd process with the harness Worker over Workers KV in it.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";
import { makeScratchFolder } from "../durable-object/scratch-folder.ts";
import { compatibilityDate } from "../durable-object/workerd.ts";
import type { KvHarnessCalls } from "./kv-protocol.ts";

/** One workerd process; it may serve runners of several policies. */
export interface KvWorkerd {
  post<Path extends keyof KvHarnessCalls>(
    path: Path,
    body: KvHarnessCalls[Path]["request"],
  ): Promise<KvHarnessCalls[Path]["answer"]>;
  /** Ends the process and removes its files; a second call does nothing. */
  close(): Promise<void>;
}

/** A fresh process with a KV namespace of its own, in memory where there is such a place. */
export async function startKvWorkerd(): Promise<KvWorkerd> {
  const contents = await bundle(fileURLToPath(new URL("harness-worker.ts", import.meta.url)));
  const folder = makeScratchFolder();
  const miniflare = startMiniflare(contents, folder.path);
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= miniflare.dispose().finally(() => folder.remove());
    return closing;
  };
  const url = await miniflare.ready.catch(async (error: unknown) => {
    await close().catch(() => {});
    throw new Error("workerd did not start: the harness over KV", { cause: error });
  });
  return {
    async post<Path extends keyof KvHarnessCalls>(
      path: Path,
      body: KvHarnessCalls[Path]["request"],
    ) {
      const request = { method: "POST", body: JSON.stringify(body) };
      const response = await fetch(new URL(path, url), request);
      const text = await response.text();
      if (!response.ok) {
        throw new Error(`harness: status=${response.status} path=${path}: ${text}`);
      }
      return JSON.parse(text) as KvHarnessCalls[Path]["answer"];
    },
    close,
  };
}

/** Miniflare ends the whole process on a signal; signals are the command line's. */
function startMiniflare(contents: string, path: string): Miniflare {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const before = signals.map((signal) => process.listeners(signal));
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    log: new Log(LogLevel.NONE),
    modules: [{ type: "ESModule", path: "harness-worker.js", contents }],
    compatibilityDate,
    kvNamespaces: ["RECORDS"],
    kvPersist: path,
    handleRuntimeStdio: (stdout, stderr) => {
      stdout.resume();
      stderr.resume();
    },
  });
  signals.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.includes(listener) !== true) process.removeListener(signal, listener);
    }
  });
  return miniflare;
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2023",
    external: ["cloudflare:*", "node:*"],
    conditions: ["workerd", "worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`esbuild wrote nothing: entry=${entry}`);
  return file.text;
}
