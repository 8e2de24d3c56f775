// Decides how SPIN, Rumur and @xstate/graph are run on the mutex and what is read from their answers.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MutexOptions } from "./mutex-model.ts";
import { mutexMurphi, mutexPromela } from "./mutex-texts.ts";
import type { PackedModel } from "./model.ts";

export interface Measurement {
  readonly states: number;
  /** null: the program does not tell. */
  readonly edges: number | null;
  readonly cpuMs: number;
  readonly elapsedMs: number;
  /** Of states and table; of another program, its largest resident set. null: not measured. */
  readonly bytes: number | null;
}

/** A checker that can be run, or the reason why not. */
export type Prepared = { readonly run: () => Promise<Measurement> } | { readonly missing: string };

/** Compiles SPIN's verifier: optimised, no partial-order reduction, safety only, its hash table of two slots or more a state. */
export async function prepareSpin(
  system: MutexOptions,
  states: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Prepared> {
  const hashBits = Math.ceil(Math.log2(2 * states));
  const folder = await mkdtemp(join(tmpdir(), "latchkey-spin-"));
  await writeFile(join(folder, "mutex.pml"), mutexPromela(system));
  const spin = await runProgram("spin", ["-a", "mutex.pml"], folder);
  if (spin === null) return missing("spin");
  const flags = [
    "-O2",
    "-DSAFETY",
    "-DNOREDUCE",
    "-DNOFAIR",
    "-DMEMLIM=16000",
    "-o",
    "pan",
    "pan.c",
  ];
  if ((await runProgram("gcc", flags, folder)) === null) return missing("gcc");
  const run = async (): Promise<Measurement> => {
    const ended = await runProgram("./pan", ["-m1000000", `-w${hashBits}`], folder, env);
    if (ended === null)
      throw new Error(`SPIN's verifier did not start: folder=${folder}; run it by hand`);
    const states = numberAfter(ended.output, /([\d.e+]+) states, stored/);
    // Stored and matched: the initial state is stored without a step.
    const edges = numberAfter(ended.output, /([\d.e+]+) states, matched/) + states - 1;
    return { ...ended, states, edges: edges < 1e8 ? edges : null };
  };
  return { run };
}

export async function prepareRumur(system: MutexOptions): Promise<Prepared> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-rumur-"));
  await writeFile(join(folder, "mutex.m"), mutexMurphi(system));
  const rumur = await runProgram("rumur", ["--threads", "1", "mutex.m", "-o", "mutex.c"], folder);
  if (rumur === null) return missing("rumur");
  const flags = ["-O2", "-march=native", "-std=c11", "-o", "mutex", "mutex.c", "-lpthread"];
  if ((await runProgram("gcc", flags, folder)) === null) return missing("gcc");
  const run = async (): Promise<Measurement> => {
    const ended = await runProgram("./mutex", [], folder);
    if (ended === null)
      throw new Error(`Rumur's verifier did not start: folder=${folder}; run it by hand`);
    const states = numberAfter(ended.output, /(\d+) states, \d+ rules fired in/);
    const edges = numberAfter(ended.output, /\d+ states, (\d+) rules fired in/);
    return { ...ended, states, edges };
  };
  return { run };
}

/** Lets `@xstate/graph` walk a machine whose one event takes the i-th step of the model. */
export async function searchWithXState(
  model: PackedModel,
  graphModule = "@xstate/graph",
): Promise<Prepared> {
  const graph = (await import(graphModule).catch(() => null)) as {
    getAdjacencyMap(machine: unknown, options: unknown): Record<string, unknown>;
  } | null;
  if (graph === null) return { missing: "missing: npm install --save-dev @xstate/graph@3.0.4" };
  const { assign, createMachine } = await import("xstate");
  const out = new Uint32Array(model.maxSuccessors * model.words);
  const actions = new Uint32Array(model.maxSuccessors);
  type Context = { readonly state: readonly number[] };
  type Step = { readonly type: "STEP"; readonly index: number };
  const expand = ({ state }: Context): number =>
    model.expand(Uint32Array.from(state), 0, out, 0, actions);
  const machine = createMachine({
    types: {} as { context: Context; events: Step },
    context: { state: [...model.initial()] },
    on: {
      STEP: {
        actions: assign(({ context, event }) => {
          expand(context);
          return {
            state: [...out.slice(event.index * model.words, (event.index + 1) * model.words)],
          };
        }),
      },
    },
  });
  const run = async (): Promise<Measurement> => {
    const startedMs = performance.now();
    const before = process.cpuUsage();
    const map = graph.getAdjacencyMap(machine, {
      serializeState: ({ context }: { context: Context }) => context.state.join(),
      events: ({ context }: { context: Context }) =>
        Array.from({ length: expand(context) }, (_, index): Step => ({ type: "STEP", index })),
    });
    const { user, system } = process.cpuUsage(before);
    return {
      states: Object.keys(map).length,
      edges: null,
      cpuMs: (user + system) / 1000,
      elapsedMs: performance.now() - startedMs,
      bytes: null,
    };
  };
  return { run };
}

function missing(program: string): Prepared {
  return { missing: `missing: apt-get install ${program}` };
}

interface Ended {
  readonly output: string;
  readonly cpuMs: number;
  readonly elapsedMs: number;
  readonly bytes: number | null;
}

/** Runs a program to its end and measures it by /proc; null if there is no such program or it fails. */
async function runProgram(
  program: string,
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended | null> {
  const startedMs = performance.now();
  const child = spawn(program, args, { cwd: folder, env });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += data.toString()));
  let usage: { cpuMs: number; bytes: number | null } = { cpuMs: 0, bytes: null };
  const polling = setInterval(() => {
    void usageOf(child.pid).then((now) => (usage = now ?? usage));
  }, 10);
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  clearInterval(polling);
  return code === 0 ? { output, elapsedMs: performance.now() - startedMs, ...usage } : null;
}

/** Processor time (in ticks of 10 ms) and largest resident set of a running process, from Linux' /proc. */
async function usageOf(pid: number | undefined): Promise<{ cpuMs: number; bytes: number } | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const bytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    return Number.isNaN(bytes) || ticks === 0 ? null : { cpuMs: ticks * 10, bytes };
  } catch {
    return null;
  }
}

function numberAfter(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1] ?? Number.NaN);
}
