// Serves gateway, store and simulated exchange on this machine: `npm run dev -- [--port 8787]`.
import { parseArgs } from "node:util";
import { localKeys, startLocalRuntime } from "../properties/gateway/local-runtime.ts";

const port = portOf(process.argv.slice(2));
if (port === null) {
  console.error("--port takes a number from 0 to 65535; 0 takes a free port");
  process.exitCode = 2;
} else {
  const runtime = await startLocalRuntime({ port });
  const end = () => void runtime.close();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  console.log(welcome(runtime.url));
}

function portOf(args: readonly string[]): number | null {
  try {
    const { values } = parseArgs({ args: [...args], options: { port: { type: "string" } } });
    const port = Number(values.port ?? "8787");
    return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : null;
  } catch {
    return null;
  }
}

function welcome(url: URL): string {
  return [
    `gateway    POST ${url.origin}/trades`,
    `exchange   GET  ${url.origin}/simulator/executions · POST ${url.origin}/simulator/next`,
    `keys       live: ${localKeys.live} · test: ${localKeys.test} · operator: ${localKeys.operator}`,
    "",
    `curl -i ${url.origin}/trades -H 'Authorization: Bearer ${localKeys.test}' \\`,
    `  -H 'Content-Type: application/json' -H 'Idempotency-Key: "first"' \\`,
    `  -d '{"exchange":"sim","symbol":"BTC/USDT","action":"buy","quantity":"0.1"}'`,
    "",
    "Ctrl-C ends it; nothing is kept.",
  ].join("\n");
}
