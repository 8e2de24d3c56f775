// Measures the exhaustive checker beside SPIN, Rumur, @xstate/graph and a naive search, on one and the same mutex.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { checkModel } from "../properties/exhaustive/check.ts";
import { compileSystem } from "../properties/exhaustive/compile-system.ts";
import { runSpin } from "../properties/exhaustive/cross-check.ts";
import { latchkeySystem } from "../properties/exhaustive/latchkey-system.ts";
import { hardenedScenarios } from "../properties/exhaustive/scenarios.ts";
import { BenchSearcher } from "./bench-searcher.ts";
import { compareBySize, costBySide, median, thousands } from "./bench-cost.ts";
import { withLargePages, withoutLargePages } from "./large-pages.ts";
import { checkInParallel } from "../properties/exhaustive/parallel-search.ts";
import { mutexModel } from "../properties/exhaustive/mutex-model.ts";
import type { MutexOptions } from "../properties/exhaustive/mutex-model.ts";
import { searchNaively } from "../properties/exhaustive/naive-search.ts";
import {
  prepareRumur,
  prepareSpin,
  searchWithXState,
} from "../properties/exhaustive/other-checkers.ts";
import type { Measurement } from "../properties/exhaustive/other-checkers.ts";

export interface BenchOptions {
  readonly print?: (line: string) => void;
  /** Alternating runs of each comparison; the median counts. Default: 5. */
  readonly rounds?: number;
  /** The system compared on. Default: five attempts, 1.3 million states. */
  readonly shared?: MutexOptions;
  /** Sizes for the cost per state, SPIN's beside. Default: five from 10^4 to 10^7. */
  readonly sizes?: readonly MutexOptions[];
  /** Of the system whose branching does not grow. */
  readonly sides?: readonly number[];
  /** What two threads are measured on. Default: 17 and 36 million states. */
  readonly large?: readonly MutexOptions[];
  /** What to import for `@xstate/graph`, where it is not installed beside. */
  readonly graphModule?: string;
}

/** Medians of one comparison; null where a program is missing. */
export interface CheckerRates {
  readonly states: number;
  /** Distinct states per second of processor time. */
  readonly rates: Readonly<Record<string, number | null>>;
  readonly bytesPerState: Readonly<Record<string, number | null>>;
}

/** Measures in a process that is started as the one of `verify` is: in large pages. SPIN is run both as it comes and in such. */
export async function benchInLargePages(print: (line: string) => void): Promise<void> {
  const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(import.meta.url)], {
    env: withLargePages(process.env),
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) print(line);
  if (child.exitCode === null) await once(child, "exit");
  if (child.exitCode !== 0) {
    throw new Error(`the bench of the checkers ended: code=${child.exitCode}; see what it said`);
  }
}

/** Measures and prints; about five minutes on two cores. Throws if two checkers count different states. */
export async function benchCheckers(options: BenchOptions = {}): Promise<CheckerRates> {
  const { print = printLine, rounds = 5, shared = mutex(5, 8) } = options;
  const large = options.large ?? [mutex(5, 16), mutex(5, 20)];
  const sizes = options.sizes ?? [
    mutex(3, 4),
    mutex(3, 8),
    mutex(4, 10),
    mutex(5, 8),
    mutex(5, 12),
  ];
  const rates = await compare(shared, rounds, options.graphModule, print);
  await compareBySize(sizes, rounds, print);
  await costBySide(options.sides ?? [10, 18, 32, 57], print);
  await compareOnFullSystem(rounds, print);
  for (const system of large) await twoThreads(system, Math.min(rounds, 3), print);
  return rates;
}

const mutexModule = new URL("../properties/exhaustive/mutex-model.ts", import.meta.url).href;

function mutex(attempts: number, clock: number): MutexOptions {
  return { attempts, clock, pending: 3, retention: 4 };
}

async function compare(
  shared: MutexOptions,
  rounds: number,
  graphModule: string | undefined,
  print: (line: string) => void,
): Promise<CheckerRates> {
  const small = mutex(3, 8);
  const tiny = mutex(2, 2);
  const [narrow, wide] = [new BenchSearcher(), new BenchSearcher()];
  const ours = (searcher: BenchSearcher, words: number) => (): Promise<Measurement> =>
    searcher.measure({ kind: "mutex", options: { ...shared, words } });
  const { states } = await ours(narrow, 2)();
  const spin = await prepareSpin(shared, states, withoutLargePages(process.env));
  const spinInLargePages = await prepareSpin(shared, states, withLargePages(process.env));
  const rumur = await prepareRumur(shared);
  const graph = await searchWithXState(mutexModel(tiny), graphModule);
  const contestants: Contestant[] = [
    { name: "latchkey, 2 words", system: shared, run: ours(narrow, 2) },
    { name: "SPIN, one thread, DFS, no reductions", system: shared, ...spin },
    { name: "SPIN, the same in large pages", system: shared, ...spinInLargePages },
    { name: "latchkey, 4 words", system: shared, run: ours(wide, 4) },
    { name: "Rumur, one thread", system: shared, ...rumur, once: true },
    { name: "string keys", system: small, run: async () => measureNaive(small) },
    { name: "@xstate/graph", system: tiny, ...graph, once: true },
  ];
  const measured = new Map<string, Measurement[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run, once } of contestants) {
      if (run === undefined || (once === true && round > 0)) continue;
      measured.get(name)?.push(await run());
    }
  }
  for (const searcher of [narrow, wide]) searcher.end();
  await refuseDifferentCounts(contestants, measured);
  return printComparison(contestants, measured, rounds, print);
}

interface Contestant {
  readonly name: string;
  readonly system: MutexOptions;
  readonly run?: () => Promise<Measurement>;
  readonly once?: boolean;
  /** Why it cannot run, and how to get it. */
  readonly missing?: string;
}

function measureNaive(system: MutexOptions): Measurement {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const counts = searchNaively(mutexModel(system));
  const { user, system: kernel } = process.cpuUsage(before);
  return {
    ...counts,
    cpuMs: (user + kernel) / 1000,
    elapsedMs: performance.now() - startedMs,
    bytes: null,
  };
}

async function refuseDifferentCounts(
  contestants: readonly Contestant[],
  measured: ReadonlyMap<string, readonly Measurement[]>,
): Promise<void> {
  for (const { name, system } of contestants) {
    const { states, edges } = await checkModel(mutexModel(system));
    for (const run of measured.get(name) ?? []) {
      if (run.states === states && (run.edges ?? edges) === edges) continue;
      throw new Error(
        `checkers count differently: checker=${name} states=${run.states} edges=${run.edges} expected=${states}/${edges}; compare mutex-texts.ts with mutex-model.ts`,
      );
    }
  }
}

function printComparison(
  contestants: readonly Contestant[],
  measured: ReadonlyMap<string, readonly Measurement[]>,
  rounds: number,
  print: (line: string) => void,
): CheckerRates {
  const rateOf = (name: string): number | null => {
    const runs = measured.get(name) ?? [];
    return runs.length === 0
      ? null
      : median(runs.map(({ states, cpuMs }) => (states / cpuMs) * 1000));
  };
  const bytesOf = (name: string): number | null => {
    const run = measured.get(name)?.[0];
    return run === undefined || run.bytes === null ? null : run.bytes / run.states;
  };
  const spinRate = rateOf("SPIN, one thread, DFS, no reductions");
  print(
    `distinct states per second of processor time (median of ${rounds} alternating rounds; equal counts asserted)`,
  );
  for (const { name, missing } of contestants) {
    const rate = rateOf(name);
    const run = measured.get(name)?.[0];
    if (rate === null || run === undefined) {
      print(`  ${name.padEnd(40)}${missing ?? "not run"}`);
      continue;
    }
    const bytes = bytesOf(name);
    const times = spinRate === null ? "" : `${(rate / spinRate).toPrecision(2)} times SPIN`;
    print(
      `  ${name.padEnd(40)}${thousands(rate).padStart(11)} /s  ${thousands(run.states).padStart(10)} states  ${(bytes === null ? "-" : bytes.toFixed(1)).padStart(6)} bytes/state  ${times}`,
    );
  }
  const names = contestants.map(({ name }) => name);
  return {
    states: measured.get(names[0] ?? "")?.[0]?.states ?? 0,
    rates: Object.fromEntries(names.map((name) => [name, rateOf(name)])),
    bytesPerState: Object.fromEntries(names.map((name) => [name, bytesOf(name)])),
  };
}

/**
 * The whole system of two attempts, not reduced by symmetry, against SPIN on what `latchkey export` writes. Neither
 * compiler is measured: gcc has done its work before, and V8 does its own in a first search.
 */
async function compareOnFullSystem(rounds: number, print: (line: string) => void): Promise<void> {
  const scenario = hardenedScenarios.find(({ id }) => id === "hardened-copies");
  if (scenario === undefined) throw new Error("no scenario: id=hardened-copies; name another");
  const system = latchkeySystem(scenario.options);
  const model = compileSystem(system, { symmetry: false });
  const { states, searchMs: firstMs } = await checkModel(model);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(states / (await checkModel(model)).searchMs);
    const spin = await runSpin(system);
    if (spin.kind !== "finished") return print(`the whole system: ${spin.message}`);
    theirs.push(spin.states / spin.searchMs);
  }
  const times = (rate: number): string => `${(rate / median(theirs)).toFixed(1)} times`;
  print(
    `the whole system, ${model.words} words, ${thousands(states)} states: ${thousands(median(ours) * 1000)} /s, SPIN ${thousands(median(theirs) * 1000)} /s: ${times(median(ours))} (by the clock; median of ${rounds}); the first search, which V8 compiles as it runs: ${times(states / firstMs)}`,
  );
}

async function twoThreads(
  system: MutexOptions,
  rounds: number,
  print: (line: string) => void,
): Promise<void> {
  const ratios: number[] = [];
  const rates: number[] = [];
  let states = 0;
  for (let round = 0; round < rounds; round += 1) {
    const one = await checkModel(mutexModel(system));
    const two = await checkInParallel({ module: mutexModule, options: system });
    ({ states } = two);
    if (one.states !== two.states || one.edges !== two.edges) {
      throw new Error(
        `two threads count differently: states=${two.states} expected=${one.states}; report it`,
      );
    }
    ratios.push(one.searchMs / two.searchMs);
    rates.push((states / two.searchMs) * 1000);
  }
  print(
    `two threads, ${thousands(states)} states, by the clock, on ${availableParallelism()} cores: ${thousands(median(rates))} /s, ${median(ratios).toFixed(2)} times one (${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`,
  );
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [clock, graphModule] = process.argv.slice(2);
  await benchCheckers({
    ...(clock === undefined ? {} : { shared: mutex(5, Number(clock)) }),
    ...(graphModule === undefined ? {} : { graphModule }),
  });
}
