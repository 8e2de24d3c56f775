import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

function dev(args: readonly string[]) {
  return new Promise<{ readonly status: number | null; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, ["--import", "tsx", "bin/dev.ts", ...args], {
      cwd: root,
      timeout: 50_000,
    });
    let stderr = "";
    child.stdout.resume();
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.on("close", (status) => resolve({ status, stderr }));
  });
}

it.each([[""], ["65536"], ["1e3"], ["-1"]])(
  "exits 2 with one line where --port is %j",
  async (port) => {
    const { status, stderr } = await dev([`--port=${port}`]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^--port takes a number[^\n]*\n$/u);
  },
);

it("exits 2 with one line where the port is taken", async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  try {
    const { status, stderr } = await dev(["--port", String(port)]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^the port cannot be listened on: --port=\d+[^\n]*\n$/u);
  } finally {
    server.close();
  }
});
