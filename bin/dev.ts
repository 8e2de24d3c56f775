// Serves gateway, store and simulated exchange on this machine: `npm run dev -- [--port 8787]`.
import { createServer } from "node:net";
import { parseArgs } from "node:util";

const port = portOf(process.argv.slice(2));
if (port === null) {
  console.error("--port takes a number from 0 to 65535; 0 takes a free port");
  process.exitCode = 2;
} else if (!(await isFree(port))) {
  console.error(
    `the port cannot be listened on: --port=${port}; give another, or 0 for a free one`,
  );
  process.exitCode = 2;
} else {
  // Loaded here: what is refused above is refused at once.
  const { localKeys, startLocalRuntime } = await import("../properties/gateway/local-runtime.ts");
  const runtime = await startLocalRuntime({ port });
  const end = () => void runtime.close();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  console.log(welcome(runtime.url, localKeys));
}

function portOf(args: readonly string[]): number | null {
  try {
    const { values } = parseArgs({ args: [...args], options: { port: { type: "string" } } });
    const given = values.port ?? "8787";
    const port = /^\d{1,5}$/u.test(given) ? Number(given) : 65_536;
    return port <= 65_535 ? port : null;
  } catch {
    return null;
  }
}

/** workerd itself tells of a port that is taken in forty lines. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function welcome(url: URL, keys: Readonly<Record<"live" | "test" | "operator", string>>): string {
  return [
    `gateway    POST ${url.origin}/trades`,
    `exchange   GET  ${url.origin}/simulator/executions · POST ${url.origin}/simulator/next`,
    `keys       live: ${keys.live} · test: ${keys.test} · operator: ${keys.operator}`,
    "",
    `curl -i ${url.origin}/trades -H 'Authorization: Bearer ${keys.test}' \\`,
    `  -H 'Content-Type: application/json' -H 'Idempotency-Key: "first"' \\`,
    `  -d '{"exchange":"sim","symbol":"BTC/USDT","action":"buy","quantity":"0.1"}'`,
    "",
    "Ctrl-C ends it; nothing is kept.",
  ].join("\n");
}
