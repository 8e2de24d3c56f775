#!/usr/bin/env node
// Decides how the command starts: TypeScript is compiled as it loads, ours and a user's targets alike.
import process from "node:process";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `latchkey: this Node is too old: node=${process.versions.node}; install 20.19 or newer\n`,
  );
  process.exit(2);
}

/** What the command comes to; undefined until that is known. */
let status;
process.on("exit", (code) => {
  if (code === 0) process.exitCode = status; // A target may end it with 0 even after that.
  if (status !== undefined) return;
  process.exitCode = 1;
  process.stderr.write(
    `latchkey: something ended the process before there was a result: code=${code}; a target must not call process.exit, nor wait for what never comes\n`,
  );
});

// A reader that went away, such as `| head`, is no error, and does not change what the command comes to.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(`latchkey: the output cannot be written: error=${error.message}\n`);
    status = 2;
    process.exit(status);
  });
}

// Both loaders: a user's .ts or .js may lie in a package without a `type`, which Node takes for CommonJS.
const [esm, cjs] = await Promise.all([import("tsx/esm/api"), import("tsx/cjs/api")]);
cjs.register();
esm.register();
const { main } = await import("./main.ts");
const { stdout, stderr, env } = process;
status = await main(process.argv.slice(2), { stdout, stderr, env, cwd: process.cwd() });

// What a target left open (sockets, timers) does not keep the command alive.
// A write that failed says so before the turn after this one.
stdout.write("", () => stderr.write("", () => setImmediate(() => process.exit(status))));
