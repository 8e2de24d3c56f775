// How the harness Worker becomes one script that workerd loads.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The harness Worker's script; built once a process. */
export function harnessScript(): Promise<string> {
  script ??= bundle(fileURLToPath(new URL("harness-worker.ts", import.meta.url)));
  return script;
}

let script: Promise<string> | undefined;

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
