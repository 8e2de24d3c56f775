import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { Results } from "../properties/results.ts";
import { counterexampleJson, toCounterexample } from "../reports/counterexample-json.ts";
import { zombieFinding } from "../reports/fixtures/zombie-finding.ts";

const command = fileURLToPath(new URL("latchkey.mjs", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "latchkey cli "));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], interruptAt?: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [command, ...args], {
      cwd: folder,
      timeout: 50_000,
      killSignal: "SIGKILL",
      env: { ...process.env, CI: "true", NO_COLOR: "1", GITHUB_ACTIONS: "" },
    });
    let stdout = "";
    let stderr = "";
    let interrupted = false;
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (interruptAt === undefined || interrupted || !stderr.includes(interruptAt)) return;
      interrupted = child.kill("SIGINT"); // Once: the second one ends without a result.
    });
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

const target = (name: string) => join(root, "examples/targets", name);

it("exits 2 with one line on stderr and nothing on stdout where arguments cannot be used", async () => {
  const { status, stdout, stderr } = await run(["verify", "--runs", "0"]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^latchkey: [^\n]*--runs=0[^\n]*\n$/u);
});

it("checks a broken store from any folder, exits 1, and reruns what it wrote, which exits 0", async () => {
  const args = ["check", "--target", target("release-ignores-owner.ts"), "--seed", "1"];
  const checked = await run([...args, "--runs", "100", "--claim", "ownership", "--json", "r.json"]);
  expect(checked.status).toBe(1);
  expect(checked.stderr).toContain("seed 1\n");
  expect(checked.stdout).toContain("ownership (after ");
  const { violations } = JSON.parse(readFileSync(join(folder, "r.json"), "utf8")) as {
    readonly violations: readonly { readonly counterexample: string }[];
  };
  const [violation] = violations;
  const rerun = await run(["rerun", violation?.counterexample ?? ""]);
  expect(rerun).toMatchObject({ status: 0, stderr: "" });
  expect(rerun.stdout).toContain("reproduced: ownership");
});

it("no longer reproduces on a store that was mended, which exits 1", async () => {
  const counterexample =
    "reports/out/counterexamples/contract-release-ignores-owner-ownership.json";
  const rerun = await run(["rerun", counterexample, "--target", target("correct.ts")]);
  expect(rerun.status).toBe(1);
  expect(rerun.stdout).toContain("not reproduced: ownership");
});

it("refutes at-most-once on both eventually consistent stores, and reruns both witnesses", async () => {
  const claim = "at-most-once-on-an-eventual-store";
  const args = ["verify", "--claim", claim, "--policy", "hardened", "--seed", "1"];
  const verified = await run([...args, "--out", "eventual", "--json", "eventual.json"]);
  expect(verified.status).toBe(0);
  const { claims } = JSON.parse(readFileSync(join(folder, "eventual.json"), "utf8")) as Results;
  expect(claims.map(({ target, verdict }) => [target, verdict])).toEqual([
    ["kv-model", "refuted"],
    ["kv", "refuted"],
  ]);
  const reruns = await Promise.all(
    claims.map(({ counterexample }) => run(["rerun", counterexample ?? ""])),
  );
  for (const [place, { target }] of claims.entries()) {
    expect(reruns[place]).toMatchObject({ status: 0, stderr: "" });
    expect(reruns[place]?.stdout).toContain(
      `reproduced: ${claim} under hardened on ${target}, acceptance broke.`,
    );
  }
});

it("refutes the published rate limit on the limiter that ships, tells it, and reruns it", async () => {
  const claim = "rate-limits-are-atomic";
  const args = ["verify", "--claim", claim, "--policy", "published", "--runs", "400"];
  const verified = await run([...args, "--seed", "1", "--out", "limits", "--json", "limits.json"]);
  expect(verified.status).toBe(0);
  const { claims } = JSON.parse(readFileSync(join(folder, "limits.json"), "utf8")) as Results;
  expect(claims.map(({ target, verdict }) => [target, verdict])).toEqual([
    ["rate-limiter-model", "refuted"],
    ["rate-limiter", "refuted"],
  ]);
  for (const { target, counterexample } of claims) {
    const file = counterexample ?? "";
    expect(readFileSync(join(folder, file.replace(/json$/u, "md")), "utf8")).toContain(
      "minimal: no single element of its plan can go",
    );
    const rerun = await run(["rerun", file]);
    expect(rerun).toMatchObject({ status: 0, stderr: "" });
    expect(rerun.stdout).toContain(
      `reproduced: ${claim} under published on ${target}, rate-limit broke.`,
    );
  }
});

it("exits 1 with one line where the target ends the process before there is a result", async () => {
  const exits = join(root, "bin/fixtures/exits.ts");
  const { status, stdout, stderr } = await run(["check", "--target", exits, "--seed", "1"]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^seed 1\nlatchkey: [^\n]*code=0[^\n]*\n$/u);
});

it("cancels at the first SIGINT with a truthful partial result, and exits 130", async () => {
  const args = [
    "check",
    "--target",
    target("correct.ts"),
    "--runs",
    "1000000",
    "--out",
    "cancelled",
  ];
  const { status, stdout, stderr } = await run(args, "seed ");
  expect(status).toBe(130);
  expect(stderr).toContain("cancelled by signal=SIGINT");
  expect(stdout).toMatch(/cancelled after \d+ of 1000000 histories/u);
  expect(stdout).not.toContain("✓ holds");
});

it("finds no violation in a correct store although nobody reads stderr", async () => {
  const args = ["check", "--target", target("correct.ts"), "--runs", "20", "--out", "unread"];
  const child = spawn(process.execPath, [command, ...args], { cwd: folder });
  child.stderr.destroy();
  child.stdout.resume();
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
});

it("exits 1 where a counterexample no longer reproduces although nobody reads stdout", async () => {
  const place = { claim: "exclusion", policy: "hardened", target: "durable-object" };
  const told = { ...place, rerun: "npx latchkey rerun unread.json", targetFile: null };
  const file = join(folder, "unread.json");
  writeFileSync(file, counterexampleJson(toCounterexample(zombieFinding, told)));
  const child = spawn(process.execPath, [command, "rerun", file], { cwd: folder });
  child.stdout.destroy();
  child.stderr.resume();
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
});

it("exports to stdout or to a file, and exits 2 where the file cannot be written", async () => {
  const args = ["export", "--format", "promela", "--policy", "published"];
  const small = [...args, "--scenario", "published-isolation"];
  const [shown, written, refused] = await Promise.all([
    run(small),
    run([...small, "--out", "out/system.pml"]),
    run([...small, "--out", "."]),
  ]);
  expect({ status: shown.status, stderr: shown.stderr }).toEqual({ status: 0, stderr: "" });
  expect(written).toEqual({ status: 0, stdout: "", stderr: "wrote out/system.pml\n" });
  expect(readFileSync(join(folder, "out/system.pml"), "utf8")).toBe(shown.stdout);
  expect({ status: refused.status, stdout: refused.stdout }).toEqual({ status: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^latchkey: the file is a folder: --out=\.[^\n]*\n$/u);
});

it.skipIf(!existsSync("/dev/full"))(
  "exits 2 where the disk has no room for its output",
  async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [command, "--help"], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect(status).toBe(2);
    expect(stderr).toMatch(/^latchkey: the output cannot be written: error=ENOSPC[^\n]*\n$/u);
  },
);

it("runs through a symbolic link, as npx has it", async () => {
  mkdirSync(join(folder, "linked"));
  symlinkSync(root, join(folder, "linked/latchkey"));
  const child = spawn(process.execPath, ["linked/latchkey/bin/latchkey.mjs", "--version"], {
    cwd: folder,
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  const status = await new Promise((resolve) => child.on("close", resolve));
  expect({ status, stdout }).toEqual({ status: 0, stdout: "0.1.0\n" });
});
