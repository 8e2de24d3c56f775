// Judges that the objects' files are gone when the process ends, however it ends.
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeScratchFolder } from "./scratch-folder.ts";

const module = new URL("scratch-folder.ts", import.meta.url).href;

/** Runs a process that makes a folder and then ends as `ending` says; gives path and exit code. */
function endedBy(ending: string): Promise<{ path: string; code: number | null }> {
  const script = `
    import { writeFileSync } from "node:fs";
    import { makeScratchFolder } from ${JSON.stringify(module)};
    const { path } = makeScratchFolder();
    writeFileSync(path + "/file", "content");
    process.stdout.write(path);
    ${ending}`;
  const options = ["--import", "tsx", "--input-type=module", "--eval", script];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, options, (_, path) =>
      resolve({ path, code: child.exitCode }),
    );
  });
}

const lasts = "setTimeout(() => {}, 60_000);";

test.each([
  ["its last line", "", 0],
  ["an exit", "process.exit(3);", 3],
  ["an error that nobody catches", "throw new Error('uncaught');", 1],
  ["SIGINT", `${lasts} process.kill(process.pid, "SIGINT");`, 130],
  ["SIGTERM", `${lasts} process.kill(process.pid, "SIGTERM");`, 143],
  ["SIGHUP", `${lasts} process.kill(process.pid, "SIGHUP");`, 129],
])("the folder is removed when %s ends the process", async (_, ending, status) => {
  const { path, code } = await endedBy(ending);
  expect(path).toContain("latchkey-");
  expect(existsSync(path)).toBe(false);
  expect(code).toBe(status);
});

test("a signal that the command line takes is left to it", async () => {
  const { path, code } = await endedBy(`
    process.on("SIGINT", () => process.exit(42));
    ${lasts} process.kill(process.pid, "SIGINT");`);
  expect(code).toBe(42);
  expect(existsSync(path)).toBe(false);
});

test("the folder is removed with all that is in it, and twice is fine", () => {
  const folder = makeScratchFolder();
  writeFileSync(join(folder.path, "file"), "content");
  folder.remove();
  folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});
