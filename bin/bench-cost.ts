// Measures what a state costs as they become many: of the mutex beside SPIN, and of a system whose branching does not grow.
import { checkModel } from "../properties/exhaustive/check.ts";
import { gridModel } from "../properties/exhaustive/grid-model.ts";
import type { PackedModel } from "../properties/exhaustive/model.ts";
import { mutexModel } from "../properties/exhaustive/mutex-model.ts";
import type { MutexOptions } from "../properties/exhaustive/mutex-model.ts";
import { prepareSpin } from "../properties/exhaustive/other-checkers.ts";
import type { Measurement } from "../properties/exhaustive/other-checkers.ts";
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
  for (const size of sizes) {
    const { states } = await checkModel(mutexModel(size));
    const spin = await prepareSpin(size, states, withoutLargePages(process.env));
    const inLargePages = await prepareSpin(size, states, withLargePages(process.env));
    const ours: Cost[] = [];
    const theirs: Measurement[] = [];
    const theirsInLargePages: Measurement[] = [];
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await costOf(() => mutexModel(size)));
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
}

function besideSpin(name: string, ours: readonly Cost[], theirs: readonly Measurement[]): string {
  const [first] = theirs;
  if (first === undefined) return "";
  const nsPerState = median(theirs.map(({ cpuMs, states }) => (cpuMs * 1e6) / states));
  const times = nsPerState / median(ours.map((each) => each.nsPerState));
  return `  ${name} ${nsPerState.toFixed(0)} ns/state: ${times.toFixed(1)} times`;
}

export async function costBySide(
  sides: readonly number[],
  print: (line: string) => void,
): Promise<void> {
  print("cost by size, of four counters: four steps from every state");
  for (const side of sides) {
    const costs: Cost[] = [];
    for (let round = 0; round < 3; round += 1) costs.push(await costOf(() => gridModel(side)));
    printCost(costs, "", print);
  }
}

interface Cost {
  readonly states: number;
  readonly nsPerState: number;
  readonly nsPerEdge: number;
  readonly bytesPerState: number;
  readonly maxPauseMs: number;
}

/** A small search is over before the clock has moved: it is repeated, in no more memory than it needs. */
async function costOf(create: () => PackedModel): Promise<Cost> {
  const { states, edges } = await checkModel(create());
  const bounds = { maxBytes: Math.max(2 ** 20, states * 48) };
  const before = process.cpuUsage();
  let result = await checkModel(create(), { bounds });
  let runs = 1;
  for (; runs * states < 300_000; runs += 1) result = await checkModel(create(), { bounds });
  const { user, system } = process.cpuUsage(before);
  const nanoseconds = ((user + system) * 1000) / runs;
  const { bytesPerState, maxPauseMs } = result;
  return {
    states,
    nsPerState: nanoseconds / states,
    nsPerEdge: nanoseconds / edges,
    bytesPerState,
    maxPauseMs,
  };
}

function printCost(costs: readonly Cost[], beside: string, print: (line: string) => void): void {
  const of = (field: keyof Cost): number => median(costs.map((each) => each[field]));
  const pauseMs = Math.max(...costs.map((each) => each.maxPauseMs));
  print(
    `  ${thousands(of("states")).padStart(12)} states ${of("nsPerState").toFixed(0).padStart(6)} ns/state ${of("nsPerEdge").toFixed(0).padStart(5)} ns/edge  ${of("bytesPerState").toFixed(1).padStart(5)} bytes/state  longest pause ${pauseMs.toFixed(1)} ms${beside}`,
  );
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
