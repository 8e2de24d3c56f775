import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "./run-program.ts";

test("a missing program is told, and keeps the process that asked for it no longer", async () => {
  const module = fileURLToPath(new URL("./run-program.ts", import.meta.url));
  const run = { program: "no-such-program", arguments: [], folder: ".", seconds: 600 };
  const script = `const { runProgram } = await import(${JSON.stringify(module)});
    console.log(JSON.stringify(await runProgram(${JSON.stringify(run)})));`;
  const asked = await runProgram({
    program: process.execPath,
    arguments: ["--import", "tsx", "--input-type=module", "--eval", script],
    folder: ".",
    seconds: 20,
  });
  expect(asked).toMatchObject({ kind: "ended", exitCode: 0 });
  expect(asked).toHaveProperty("output", '{"kind":"missing","program":"no-such-program"}\n');
});

test("a program is killed after its time", async () => {
  const run = { program: process.execPath, arguments: ["--eval", "setInterval(() => {}, 1000)"] };
  expect(await runProgram({ ...run, folder: ".", seconds: 0.3 })).toEqual({
    kind: "timed out",
    program: process.execPath,
    seconds: 0.3,
  });
});
