// The published gateway on the real runtime: random plans alone refute it in each way that the seed names.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./main.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-gateway-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command line in this process. */
async function run(...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const status = await main(args, {
    stdout: streamTo(out),
    stderr: streamTo(err),
    env: { CI: "true" },
    cwd: folder,
  });
  return { status, stdout: out.join(""), stderr: err.join("") };
}

function streamTo(parts: string[]): NodeJS.WriteStream {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      parts.push(chunk.toString());
      done();
    },
  });
  return Object.assign(stream, { isTTY: false, columns: 100 }) as unknown as NodeJS.WriteStream;
}

/** Each witness of the seed by its name, and the claim that it refutes. */
const witnesses = [
  ["unknown outcome", "unknown-outcome-executes-once"],
  ["minute boundary", "retries-execute-once-over-the-minute"],
  ["lost release", "failed-attempts-may-retry"],
  ["redelivery", "redelivery-executes-once"],
  ["silent downgrade", "requests-are-isolated"],
] as const;

interface Saved {
  readonly schema: string;
  readonly witness: string;
  readonly minimal: boolean;
  readonly plan: { readonly kind: string; readonly requests: readonly unknown[] };
  readonly steps: readonly { readonly step: number }[];
  readonly length: number;
}

const fileOf = (claim: string) => `out/counterexamples/published-gateway-${claim}.json`;
const savedOf = (claim: string) =>
  JSON.parse(readFileSync(join(folder, fileOf(claim)), "utf8")) as Saved;

let judged: Awaited<ReturnType<typeof run>>;

beforeAll(async () => {
  const asked = witnesses.flatMap(([, claim]) => ["--claim", claim]);
  const options = ["--policy", "published", "--exhaustive", "off", "--seed", "1", "--out", "out"];
  judged = await run("verify", ...options, ...asked);
}, 180_000);

describe("random plans alone", () => {
  it("refute every claim that the register expects them to", () => {
    expect(judged.status).toBe(0);
    expect(judged.stdout).toContain("all 5 verdicts as expected");
    expect(judged.stdout).toContain("gateway        │ random, runs 1,400");
  });

  it.each(witnesses)("find %s, minimal and with at most two attempts", (name, claim) => {
    const { schema, witness, minimal, plan, steps, length } = savedOf(claim);
    expect({ schema, witness, minimal }).toEqual({
      schema: "latchkey.counterexample/1",
      witness: name,
      minimal: true,
    });
    expect(plan.kind).toBe("gateway");
    expect(plan.requests.length).toBeLessThanOrEqual(2);
    expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index + 1));
    expect(steps).toHaveLength(length);
  });

  it.each(witnesses)("tell %s as a page that names it and says how to rerun it", (name, claim) => {
    const page = readFileSync(join(folder, fileOf(claim).replace(/json$/u, "md")), "utf8");
    expect(page).toContain(`**Known as ${name}.**`);
    expect(page).toContain("1. At 0 ms");
    expect(page).toContain(`npx latchkey rerun ${fileOf(claim)}`);
  });

  it.each(witnesses)("reproduce %s", async (_, claim) => {
    const { status, stdout } = await run("rerun", fileOf(claim));
    expect({ status, says: stdout.split("\n").at(-2) }).toMatchObject({
      status: 0,
      says: expect.stringContaining(`reproduced: ${claim} under published on gateway`) as string,
    });
  });
});
