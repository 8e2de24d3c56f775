// Starts and stops a workerd process with the gateway's harness Worker in it.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";
import { makeScratchFolder } from "../durable-object/scratch-folder.ts";
import { compatibilityDate } from "../durable-object/workerd.ts";
import type { GatewayHarnessCalls } from "./plan-protocol.ts";

/** One workerd process; it may serve runners of several policies. */
export interface GatewayWorkerd {
  post<Path extends keyof GatewayHarnessCalls>(
    path: Path,
    body: GatewayHarnessCalls[Path]["request"],
  ): Promise<GatewayHarnessCalls[Path]["answer"]>;
  /** Ends the process and removes its files; a second call does nothing. */
  close(): Promise<void>;
}

/** A fresh process with storage of its own, in memory where there is such a place. */
export async function startGatewayWorkerd(): Promise<GatewayWorkerd> {
  const contents = await harnessScript();
  const folder = makeScratchFolder();
  const miniflare = startMiniflare(contents, folder.path);
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= miniflare.dispose().finally(() => folder.remove());
    return closing;
  };
  const url = await miniflare.ready.catch(async (error: unknown) => {
    await close().catch(() => {});
    throw new Error("workerd did not start: the gateway's harness", { cause: error });
  });
  return {
    async post<Path extends keyof GatewayHarnessCalls>(
      path: Path,
      body: GatewayHarnessCalls[Path]["request"],
    ) {
      const request = { method: "POST", body: JSON.stringify(body) };
      const response = await fetch(new URL(path, url), request);
      const text = await response.text();
      if (!response.ok) {
        throw new Error(`harness: status=${response.status} path=${path}: ${text}`);
      }
      return JSON.parse(text) as GatewayHarnessCalls[Path]["answer"];
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
    modules: [{ type: "ESModule", path: "plan-driver.js", contents }],
    compatibilityDate,
    durableObjects: {
      STORE: { className: "HarnessStore", useSQLite: true, unsafePreventEviction: true },
    },
    durableObjectsPersist: path,
    handleRuntimeStdio: (stdout, stderr) => {
      // A crash that a plan asks for is told here as well, each time.
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

let script: Promise<string> | undefined;

/** Built once a process. */
function harnessScript(): Promise<string> {
  script ??= bundle(fileURLToPath(new URL("plan-driver.ts", import.meta.url)));
  return script;
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
