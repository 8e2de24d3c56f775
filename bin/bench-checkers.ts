// Measures the exhaustive checker beside SPIN, Rumur, @xstate/graph and a naive search, on one and the same mutex.
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { checkModel } from "../properties/exhaustive/check.ts";
import type { CheckResult } from "../properties/exhaustive/check-result.ts";
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
  /** Alternating runs of the comparison; the median counts. Default: 3. */
  readonly rounds?: number;
  /** The system compared on. Default: five attempts, 1.3 million states. */
  readonly shared?: MutexOptions;
  /** Sizes for the cost per state. Default: five from 10^4 to 10^7. */
  readonly sizes?: readonly MutexOptions[];
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

/** Measures and prints; about two minutes on two cores. Throws if two checkers count different states. */
export async function benchCheckers(options: BenchOptions = {}): Promise<CheckerRates> {
  const { print = printLine, rounds = 3, shared = mutex(5, 8) } = options;
  const sizes = options.sizes ?? [
    mutex(3, 4),
    mutex(3, 8),
    mutex(4, 10),
    mutex(5, 8),
    mutex(5, 12),
    mutex(5, 16),
  ];
  const rates = await compare(shared, rounds, options.graphModule, print);
  await costPerState(sizes, print);
  await twoThreads(shared, rounds, print);
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
  const ours = (words: number) => async (): Promise<Measurement> =>
    measureOurs({ ...shared, words });
  const spin = await prepareSpin(shared);
  const rumur = await prepareRumur(shared);
  const graph = await searchWithXState(mutexModel(tiny), graphModule);
  const contestants: Contestant[] = [
    { name: "latchkey, 2 words", system: shared, run: ours(2) },
    { name: "SPIN, one thread, DFS, no reductions", system: shared, ...spin },
    { name: "latchkey, 4 words", system: shared, run: ours(4) },
    { name: "Rumur, one thread", system: shared, ...rumur, once: true },
    { name: "string keys", system: small, run: async () => measureNaive(small) },
    { name: "@xstate/graph", system: tiny, ...graph, once: true },
  ];
  // Not measured: the compiler is still busy with the first search of a process.
  await measureOurs({ ...shared, words: 2 });
  await measureOurs({ ...shared, words: 4 });
  const measured = new Map<string, Measurement[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run, once } of contestants) {
      if (run === undefined || (once === true && round > 0)) continue;
      measured.get(name)?.push(await run());
    }
  }
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

async function measureOurs(system: MutexOptions): Promise<Measurement> {
  const before = process.cpuUsage();
  const result = await checkModel(mutexModel(system));
  const { user, system: kernel } = process.cpuUsage(before);
  return {
    ...countsOf(result),
    cpuMs: (user + kernel) / 1000,
    elapsedMs: result.elapsedMs,
    bytes: result.bytes,
  };
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

function countsOf({ states, edges }: CheckResult): { states: number; edges: number } {
  return { states, edges };
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

async function costPerState(
  sizes: readonly MutexOptions[],
  print: (line: string) => void,
): Promise<void> {
  print("cost by size (processor time)");
  for (const size of sizes) {
    // A small search is over before the clock has moved: repeat it, in no more memory than it needs, which is
    // reserved anew each time.
    const { states } = await checkModel(mutexModel(size));
    const bounds = { maxBytes: Math.max(2 ** 20, states * 48) };
    const cpuBefore = process.cpuUsage();
    let result = await checkModel(mutexModel(size), { bounds });
    let runs = 1;
    for (; runs * states < 300_000; runs += 1) {
      result = await checkModel(mutexModel(size), { bounds });
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const nanoseconds = ((user + system) * 1000) / runs;
    print(
      `  ${thousands(result.states).padStart(12)} states ${(nanoseconds / result.states).toFixed(0).padStart(6)} ns/state ${(nanoseconds / result.edges).toFixed(0).padStart(5)} ns/edge  ${result.bytesPerState.toFixed(1).padStart(5)} bytes/state  longest pause ${result.maxPauseMs.toFixed(1)} ms`,
    );
  }
}

async function twoThreads(
  system: MutexOptions,
  rounds: number,
  print: (line: string) => void,
): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const one = await checkModel(mutexModel(system));
    const two = await checkInParallel({ module: mutexModule, options: system });
    if (one.states !== two.states || one.edges !== two.edges) {
      throw new Error(
        `two threads count differently: states=${two.states} expected=${one.states}; report it`,
      );
    }
    ratios.push(one.searchMs / two.searchMs);
  }
  print(
    `two threads, by the clock, on ${availableParallelism()} cores: ${median(ratios).toFixed(2)} times one (${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`,
  );
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [clock, graphModule] = process.argv.slice(2);
  await benchCheckers({
    ...(clock === undefined ? {} : { shared: mutex(5, Number(clock)) }),
    ...(graphModule === undefined ? {} : { graphModule }),
  });
}
