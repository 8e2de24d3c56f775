// What SPIN and Rumur say about a system: exports it, builds their verifiers in a temporary folder, runs them within bounds, reads the counts.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportMurphi } from "./export-murphi.ts";
import { eventuallyName, exportPromela, type ExportOptions } from "./export-promela.ts";
import { runProgram, type ProgramOutcome } from "./run-program.ts";
import type { System } from "./system-language.ts";
import { lengthOf } from "./system-values.ts";

export type CrossCheck = CrossCheckFinished | CrossCheckMissing | CrossCheckUnfinished;

export interface CrossCheckFinished {
  readonly kind: "finished";
  /** SPIN: states, stored. */
  readonly states: number;
  /** SPIN: transitions, stored plus matched. Rumur: rules fired. */
  readonly transitions: number;
  /** The deepest state seen, where the program says so: of a depth-first search not the shortest distance. */
  readonly depth: number | null;
  /** Errors in the program's own words; none: every property holds and every state was seen. */
  readonly errors: readonly CheckerError[];
  /** Rumur: how many states each `sometimes` was met in. */
  readonly covered: Readonly<Record<string, number>>;
  /** The search alone, building excluded. */
  readonly searchMs: number;
  /** What the program says that it used, where it does. */
  readonly memoryMegabytes: number | null;
  readonly stateBytes: number | null;
}

export interface CheckerError {
  readonly message: string;
  /** Steps of the program's witness, where known; of a depth-first search not the shortest. */
  readonly length: number | null;
}

export interface CrossCheckMissing {
  readonly kind: "missing";
  readonly program: string;
  /** One line: what is missing and how to get it. */
  readonly message: string;
}

export interface CrossCheckUnfinished {
  readonly kind: "unfinished";
  /** One line: which program stopped at which bound, or failed, and what to raise. */
  readonly message: string;
}

export interface CrossCheckBounds {
  /** For each program that is run. */
  readonly seconds: number;
  /** The search may use this much. */
  readonly memoryMegabytes: number;
  /** SPIN: the longest path of its depth-first search. More than the number of states is never needed. */
  readonly depth: number;
  /** SPIN: 2 to this power are the slots of its hash table. */
  readonly hashBits: number;
  /** Whether gcc optimises; without, a small system is built in a second, and searched at no telling speed. */
  readonly optimised: boolean;
}

export const defaultBounds: CrossCheckBounds = {
  seconds: 120,
  memoryMegabytes: 8000,
  depth: 1_000_000,
  hashBits: 24,
  optimised: true,
};

export interface SpinOptions extends ExportOptions {
  /** The `eventually` to judge beside: counts are then of pairs of states, and an error is an acceptance cycle. */
  readonly eventuallyId?: string;
}

/** SPIN's depth-first search without any reduction. Counts compare through `spinCounts`. */
export async function runSpin(
  system: System,
  options: SpinOptions = {},
  bounds: CrossCheckBounds = defaultBounds,
): Promise<CrossCheck> {
  return inFolder("spin", async (folder) => {
    await writeFile(join(folder, "system.pml"), exportPromela(system, options));
    const run = runner(folder, bounds);
    const { eventuallyId } = options;
    const defined = eventuallyId === undefined ? [] : [`-D${eventuallyName(eventuallyId)}`];
    const safety = eventuallyId === undefined ? ["-DSAFETY"] : [];
    const built = await inTurn([
      // SPIN calls gcc as its preprocessor, so that gcc is missed first, by name.
      () => run("gcc", ["--version"]),
      () => run("spin", ["-o1", "-o2", ...defined, "-a", "system.pml"]),
      () => run("gcc", [...spinFlags(system, bounds), ...safety, "-o", "pan", "pan.c"]),
    ]);
    if (built !== null) return built;
    const cycles = eventuallyId === undefined ? [] : ["-a"];
    const search = [...cycles, `-m${bounds.depth}`, `-w${bounds.hashBits}`];
    return finish(await run("./pan", search), readSpin);
  });
}

export interface RumurOptions extends ExportOptions {
  /** Whether states that differ by a permutation of the scalarset count as one; exhaustive, so that counts are exact. */
  readonly symmetry: boolean;
  /** Whether it goes on past the first error, and tells no steps: every invariant that breaks is named then. */
  readonly everyError?: boolean;
}

/** Rumur's breadth-first search on one thread. Counts compare through `rumurCounts`. */
export async function runRumur(
  system: System,
  options: RumurOptions,
  bounds: CrossCheckBounds = defaultBounds,
): Promise<CrossCheck> {
  return inFolder("rumur", async (folder) => {
    await writeFile(join(folder, "system.m"), exportMurphi(system, options));
    const run = runner(folder, bounds);
    const built = await inTurn([
      () => run("rumur", rumurArguments(options)),
      () => run("gcc", [...rumurFlags(bounds), "-o", "verifier", "verifier.c", "-lpthread"]),
    ]);
    if (built !== null) return built;
    return finish(await run("./verifier", []), readRumur);
  });
}

/** A bound on SPIN's state vector where its default of 1024 bytes may not do. */
function spinFlags(system: System, bounds: CrossCheckBounds): readonly string[] {
  const elements = system.variables.reduce((sum, each) => sum + lengthOf(system, each), 0);
  return [
    bounds.optimised ? "-O2" : "-O0",
    "-w",
    "-DNOREDUCE",
    `-DMEMLIM=${bounds.memoryMegabytes}`,
    ...(elements > 200 ? ["-DVECTORSZ=8192"] : []),
  ];
}

function rumurArguments({ symmetry, everyError = false }: RumurOptions): readonly string[] {
  const options = {
    "--symmetry-reduction": symmetry ? "exhaustive" : "off",
    "--deadlock-detection": "off",
    "--value-type": "int32_t",
    "--threads": "1",
    "--output-format": "machine-readable",
    "--counterexample-trace": everyError ? "off" : "diff",
    ...(everyError ? { "--max-errors": String(2 ** 31 - 1) } : {}),
    "--output": "verifier.c",
  };
  return [...Object.entries(options).flat(), "system.m"];
}

function rumurFlags(bounds: CrossCheckBounds): readonly string[] {
  // Rumur's hash table exchanges sixteen bytes at once, which x64 must be asked for.
  return [
    bounds.optimised ? "-O3" : "-O0",
    "-w",
    ...(process.arch === "x64" ? ["-march=native", "-mcx16"] : []),
  ];
}

type Finding = Omit<CrossCheckFinished, "kind" | "searchMs">;

function readSpin(output: string): Finding | string {
  const states = numberIn(output, /([\d.e+]+) states, stored/);
  const transitions = numberIn(output, /([\d.e+]+) transitions \(=/);
  if (states === null || transitions === null) return noCounts("SPIN", output);
  if (/max search depth too small/.test(output)) return "SPIN reached depth's bound; raise depth";
  if (/out of memory|reached -DMEMLIM/.test(output)) {
    return "SPIN reached memoryMegabytes' bound; raise it";
  }
  const errors = [...output.matchAll(/^pan:\d+: (.*) \(at depth (\d+)\)/gm)].map((match) => ({
    message: match[1] ?? "",
    length: Number(match[2]),
  }));
  return {
    states,
    transitions,
    depth: numberIn(output, /depth reached (\d+)/),
    errors,
    covered: {},
    memoryMegabytes: numberIn(output, /([\d.]+)\s+total actual memory usage/),
    stateBytes: numberIn(output, /State-vector (\d+) byte/),
  };
}

function readRumur(output: string): Finding | string {
  const states = numberIn(output, /<summary states="(\d+)"/);
  const transitions = numberIn(output, /rules_fired="(\d+)" errors=/);
  if (states === null || transitions === null) return noCounts("Rumur", output);
  const found = [...output.matchAll(/<error [^>]*>([\s\S]*?)<\/error>/g)].map(([, text = ""]) => ({
    message: unescaped(/<message>(.*?)<\/message>/.exec(text)?.[1] ?? "an error"),
    // The first transition is the start state.
    length: (text.match(/<transition>/g)?.length ?? 1) - 1,
  }));
  const covered = Object.fromEntries(
    [...output.matchAll(/<cover_result message="(.*?)" count="(\d+)"/g)].map((match) => [
      unescaped(match[1] ?? ""),
      Number(match[2]),
    ]),
  );
  const uncovered = Object.entries(covered)
    .filter(([, count]) => count === 0)
    .map(([id]) => ({ message: `cover "${id}" not hit`, length: null }));
  return {
    states,
    transitions,
    depth: null,
    errors: [...found, ...uncovered],
    covered,
    memoryMegabytes: null,
    stateBytes: numberIn(output, /state_size_bytes="(\d+)"/),
  };
}

function finish(outcome: ProgramOutcome, read: (output: string) => Finding | string): CrossCheck {
  // Both verifiers exit with 1 where they found an error; what counts is whether they printed counts.
  if (outcome.kind !== "ended") return stopped(outcome);
  const found = read(outcome.output);
  return typeof found === "string"
    ? { kind: "unfinished", message: found }
    : { kind: "finished", ...found, searchMs: outcome.durationMs };
}

function stopped(outcome: Exclude<ProgramOutcome, { readonly kind: "ended" }>): CrossCheck {
  if (outcome.kind === "timed out") {
    const { program, seconds } = outcome;
    return { kind: "unfinished", message: `${program} ran into seconds=${seconds}; raise it` };
  }
  const { program } = outcome;
  return {
    kind: "missing",
    program,
    message: `program=${program} is missing; get it with: apt-get install spin rumur gcc`,
  };
}

/** Runs build steps until one does not succeed; null where all did. */
async function inTurn(
  steps: readonly (() => Promise<ProgramOutcome>)[],
): Promise<CrossCheck | null> {
  for (const step of steps) {
    const outcome = await step();
    if (outcome.kind !== "ended") return stopped(outcome);
    if (outcome.exitCode !== 0) {
      const { program, output } = outcome;
      return { kind: "unfinished", message: `${program} failed: ${output.trim().slice(0, 400)}` };
    }
  }
  return null;
}

function runner(folder: string, { seconds }: CrossCheckBounds) {
  return (program: string, given: readonly string[]) =>
    runProgram({ program, arguments: given, folder, seconds });
}

async function inFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${name}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function noCounts(program: string, output: string): string {
  return `${program} printed no counts: ${output.trim().slice(-200)}`;
}

function numberIn(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
