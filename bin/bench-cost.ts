// Measures what a state costs as they become many: of the mutex beside SPIN, and of a system whose branching does not grow.
import type { MutexOptions } from "../properties/exhaustive/mutex-model.ts";
import { prepareSpin } from "../properties/exhaustive/other-checkers.ts";
import type { Measurement } from "../properties/exhaustive/other-checkers.ts";
import { BenchSearcher } from "./bench-searcher.ts";
import type { SearchCost } from "./bench-searcher.ts";
import { withLargePages, withoutLargePages } from "./large-pages.ts";

/** SPIN's processor time is read in ticks of 10 ms, which tells nothing of a shorter run. */
const LEAST_FOR_SPIN = 300_000;

/** Latchkey and SPIN at each size, alternating; "edge" is a step tried, and grows in number with the clock. */
export async function compareBySize(
  sizes: readonly MutexOptions[],
  rounds: number,
  print: (line: string) => void,
): Promise<void> {
  print("cost by size, of the mutex (processor time, median)");
  const searcher = new BenchSearcher();
  for (const options of sizes) {
    const measure = () => searcher.measure({ kind: "mutex", options });
    const { states } = await measure();
    const spin = await prepareSpin(options, states, withoutLargePages(process.env));
    const inLargePages = await prepareSpin(options, states, withLargePages(process.env));
    const ours: SearchCost[] = [];
    const theirs: Measurement[] = [];
    const theirsInLargePages: Measurement[] = [];
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await measure());
      // Of millions of states one run of many seconds is measure enough.
      if (states < LEAST_FOR_SPIN || (round > 0 && states > 3e6)) continue;
      if ("run" in spin) theirs.push(await spin.run());
      if ("run" in inLargePages) theirsInLargePages.push(await inLargePages.run());
    }
    const besides = [
      besideSpin("SPIN", ours, theirs),
      besideSpin("in large pages", ours, theirsInLargePages),
    ];
    printCost(ours, besides.join(""), print);
  }
  searcher.end();
}

function besideSpin(
  name: string,
  ours: readonly SearchCost[],
  theirs: readonly Measurement[],
): string {
  const [first] = theirs;
  if (first === undefined) return "";
  const nsPerState = median(theirs.map(perState));
  const times = nsPerState / median(ours.map(perState));
  return `  ${name} ${nsPerState.toFixed(0)} ns/state: ${times.toFixed(1)} times`;
}

export async function costBySide(
  sides: readonly number[],
  print: (line: string) => void,
): Promise<void> {
  print("cost by size, of four counters: four steps from every state");
  const searcher = new BenchSearcher();
  for (const side of sides) {
    const costs: SearchCost[] = [];
    for (let round = 0; round < 3; round += 1) {
      costs.push(await searcher.measure({ kind: "grid", side }));
    }
    printCost(costs, "", print);
  }
  searcher.end();
}

function perState({ cpuMs, states }: Measurement): number {
  return (cpuMs * 1e6) / states;
}

function printCost(
  costs: readonly SearchCost[],
  beside: string,
  print: (line: string) => void,
): void {
  const [first] = costs;
  if (first === undefined) return;
  const { states, edges, bytes } = first;
  const ns = median(costs.map(perState));
  const pauseMs = Math.max(...costs.map((each) => each.maxPauseMs));
  print(
    `  ${thousands(states).padStart(12)} states ${ns.toFixed(0).padStart(6)} ns/state ${((ns * states) / edges).toFixed(0).padStart(5)} ns/edge  ${(bytes / states).toFixed(1).padStart(5)} bytes/state  longest pause ${pauseMs.toFixed(1)} ms${beside}`,
  );
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
