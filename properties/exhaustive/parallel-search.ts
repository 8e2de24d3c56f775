// Decides which states are reachable with two threads: each keeps the states that are its own, depth by depth.
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { CheckRefusal, settle } from "./check-options.ts";
import type { CheckOptions, SearchProgress, SearchSettings } from "./check-options.ts";
import { checkModel, finishCheck } from "./check.ts";
import type { CheckResult, StopCause } from "./check-result.ts";
import { createSharedMemory, isReady, stop, stoppedBy, totals } from "./exchange.ts";
import { reserveShared } from "./exchange-blocks.ts";
import type { SharedMemory, StopCode } from "./exchange.ts";
import { createTally, ModelFault } from "./expansion.ts";
import type { Tally } from "./expansion.ts";
import type { ModelModule, ModelReference, PackedModel } from "./model.ts";
import { Pacer } from "./pacer.ts";
import type { WorkerAnswer, WorkerTask } from "./search-worker.ts";
import { Searcher, type SearcherReport, type SearcherTask } from "./searcher.ts";
import { depthOf } from "./state-graph.ts";
import type { StateGraph } from "./state-graph.ts";
import { mostRecords } from "./state-index.ts";
import { BLOCK_SHIFT } from "./state-lookup.ts";
import { capacityOf } from "./state-set.ts";

/** Below so many states the second thread does not pay, and the bound could not be kept exactly enough. */
const LEAST_STATES = 1 << 14;
/** Nor does it while fewer are found at one depth. */
const HAND_OVER_AT = 20_000;

/** When the second thread takes part. */
export interface Sharing {
  /** Once a depth has so many states for each thread. Default: 20,000. */
  readonly handOverAt?: number;
  /** Begin only when it is ready, so that it surely does. Default: false. */
  readonly waits?: boolean;
}

/**
 * Checks the model with two threads; the model is made in each from the reference. Counts, verdicts and the lengths
 * of shortest witnesses are those of {@link checkModel}; which of several shortest witnesses is given depends on
 * the race. A bound of states may be undershot by some thousands, and a bound below 16,384 is checked by one thread.
 * This thread searches alone while the other starts and until so many states as `handOverAt` are found at one depth.
 */
export async function checkInParallel(
  reference: ModelReference,
  options: CheckOptions = {},
  sharing: Sharing = {},
): Promise<CheckResult> {
  const module = (await import(/* @vite-ignore */ reference.module)) as Partial<ModelModule>;
  if (typeof module.createModel !== "function") {
    throw new CheckRefusal(
      `the module exports no createModel(options): module=${reference.module}; export it`,
    );
  }
  const model = module.createModel(reference.options);
  const settings = settle(model, options);
  if (settings.bounds.maxStates < LEAST_STATES) return checkModel(model, options);
  const pacer = new Pacer(settings);
  const graph = await searchInParallel(reference, model, settings, pacer, sharing);
  const workers = graph.parts.filter(({ end }, part) => end > part << BLOCK_SHIFT).length;
  return finishCheck(model, settings, pacer, graph, Math.max(1, workers));
}

async function searchInParallel(
  reference: ModelReference,
  model: PackedModel,
  settings: SearchSettings,
  pacer: Pacer,
  { handOverAt = HAND_OVER_AT, waits = false }: Sharing,
): Promise<StateGraph> {
  const { words } = model;
  const bounds = { ...settings.bounds, maxBytes: Math.floor(settings.bounds.maxBytes / 2) };
  const memory = createSharedMemory(words);
  // The threads' blocks alternate, and either thread may come to hold all that its half of the memory can.
  const blocks = 2 * ((capacityOf({ words, ...bounds }) >>> BLOCK_SHIFT) + 1);
  const most = Math.min(blocks << BLOCK_SHIFT, mostRecords(words));
  const records = reserveShared(most * (words + 1));
  const { symmetry, stopWhen, judgeDeadlock } = settings;
  const task = {
    settings: { symmetry, stopWhen, judgeDeadlock },
    bounds,
    memory,
    records,
    handOverAt,
  };
  const second = runWorker({ ...task, reference, me: 1 });
  if (waits) await readiness(memory.control);
  const [report, answer] = await Promise.all([
    searchHere({ ...task, me: 0 }, model, settings, pacer),
    second,
  ]);
  const reports = answer === null ? [report] : [report, answer];
  return join(model, records, reports, stoppedBy(memory.control));
}

/** Searches in this thread; in the end the other stops too. */
async function searchHere(
  task: SearcherTask,
  model: PackedModel,
  settings: SearchSettings,
  pacer: Pacer,
): Promise<SearcherReport> {
  const { control } = task.memory;
  if (settings.signal?.aborted === true) stop(control, "cancelled");
  const pause = async (): Promise<void> => {
    const cause = await pacer.pause((elapsedMs) => progressOf(task.memory, elapsedMs));
    if (cause !== null) stop(control, cause);
  };
  try {
    return await new Searcher(task, model).begin(() => (pacer.due() ? pause() : null));
  } catch (error) {
    stop(control, "fault");
    throw error;
  } finally {
    stop(control, "finished");
  }
}

/** Resolves once the other thread is ready, or will not be. */
async function readiness(control: Int32Array): Promise<void> {
  while (!isReady(control) && stoppedBy(control) === null) await setTimeout(1);
}

/** Resolves with null where the first thread finished alone. */
function runWorker(task: WorkerTask): Promise<SearcherReport | null> {
  const worker = new Worker(new URL("./search-worker.mjs", import.meta.url), {
    workerData: task,
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    worker.once("message", (answer: WorkerAnswer) => {
      if (answer.kind === "fault") reject(new ModelFault(answer.message));
      else resolve(answer.kind === "idle" ? null : answer);
    });
    worker.once("error", (error) => {
      stop(task.memory.control, "fault");
      reject(error);
    });
  });
}

function progressOf(memory: SharedMemory, elapsedMs: number): SearchProgress {
  const { states, edges, expanded, depth, bytes } = totals(memory.control);
  return {
    states,
    edges,
    depth,
    queueLength: states - expanded,
    bytes,
    elapsedMs,
    statesPerSecond: Math.round((states / elapsedMs) * 1000),
  };
}

/** The graph of one thread that did it all, or of both. */
export function join(
  model: PackedModel,
  records: Uint32Array,
  reports: readonly SearcherReport[],
  cause: StopCode,
): StateGraph {
  const sum = (of: (report: SearcherReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const states = sum(({ count }) => count);
  const tally = createTally();
  const queueLength = states - sum((report) => report.tally.expanded);
  const graph: StateGraph = {
    set: { words: model.words, stride: model.words + 1, records, index: null },
    // The numbering is that of two parts, the second empty where one thread did it all.
    parts: [...reports, { depthStarts: [1 << BLOCK_SHIFT], end: 1 << BLOCK_SHIFT }].slice(0, 2),
    tally,
    states,
    depth: Math.min(...reports.map(({ depth }) => depth)),
    queueLength,
    // An empty queue does not say so: states may have been under way between the threads when they stopped.
    stoppedBy: reports.every(({ isFinished }) => isFinished) ? null : (cause as StopCause),
    bytes: sum(({ bytes }) => bytes),
    maxPauseMs: Math.max(...reports.map(({ maxPauseMs }) => maxPauseMs)),
  };
  for (const report of reports) addTally(graph, tally, report.tally);
  return graph;
}

function addTally(graph: StateGraph, sum: Tally, more: Tally): void {
  const shallower = (a: number, b: number): number => {
    if (a < 0 || b < 0) return Math.max(a, b);
    return depthOf(graph, b) < depthOf(graph, a) ? b : a;
  };
  sum.expanded += more.expanded;
  sum.edges += more.edges;
  sum.ends += more.ends;
  sum.deadlocks += more.deadlocks;
  sum.firstDeadlock = shallower(sum.firstDeadlock, more.firstDeadlock);
  sum.marked |= more.marked;
  for (let bit = 0; bit < 32; bit += 1) {
    sum.firstMarked[bit] = shallower(
      sum.firstMarked[bit] as number,
      more.firstMarked[bit] as number,
    );
  }
}
