// How a Worker becomes one script that workerd loads.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The script of the Worker whose entry is at `entry`; built once a process. */
export function workerScript(entry: URL): Promise<string> {
  const path = fileURLToPath(entry);
  const script = scripts.get(path) ?? bundle(path);
  scripts.set(path, script);
  return script;
}

const scripts = new Map<string, Promise<string>>();

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
