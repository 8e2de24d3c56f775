// Decides which states are reachable with two threads: each keeps the states whose hash is its own, depth by depth.
import { Worker } from "node:worker_threads";
import { CheckRefusal, settle } from "./check-options.ts";
import type { CheckOptions, SearchProgress, SearchSettings } from "./check-options.ts";
import { checkModel, finishCheck } from "./check.ts";
import type { CheckResult, StopCause } from "./check-result.ts";
import { createSharedMemory, reserveShared, stop, stoppedBy, totals } from "./exchange.ts";
import type { SharedMemory } from "./exchange.ts";
import { createTally, ModelFault } from "./expansion.ts";
import type { Tally } from "./expansion.ts";
import type { ModelModule, ModelReference, PackedModel } from "./model.ts";
import { Pacer } from "./pacer.ts";
import type { WorkerFault, WorkerReport, WorkerTask } from "./search-worker.ts";
import { depthOf } from "./state-graph.ts";
import type { StateGraph } from "./state-graph.ts";
import { BLOCK_SHIFT, capacityOf } from "./state-set.ts";

/** Below so many states the second thread does not pay, and the bound could not be kept exactly enough. */
const LEAST_STATES = 1 << 14;
const LOOK_EVERY_MS = 20;

/**
 * Checks the model with two threads; the model is made in each from the reference. Counts, verdicts and the lengths
 * of shortest witnesses are those of {@link checkModel}; which of several shortest witnesses is given depends on
 * the race. A bound of states may be undershot by some thousands, and a bound below 16,384 is checked by one thread.
 */
export async function checkInParallel(
  reference: ModelReference,
  options: CheckOptions = {},
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
  const graph = await searchInParallel(reference, model, settings, pacer);
  return finishCheck(model, settings, pacer, graph, 2);
}

async function searchInParallel(
  reference: ModelReference,
  model: PackedModel,
  settings: SearchSettings,
  pacer: Pacer,
): Promise<StateGraph> {
  const { words } = model;
  const bounds = { ...settings.bounds, maxBytes: Math.floor(settings.bounds.maxBytes / 2) };
  const memory = createSharedMemory(words);
  // The threads' blocks alternate, and either thread may come to hold all that its half of the memory can.
  const blocks = 2 * ((capacityOf({ words, ...bounds }) >>> BLOCK_SHIFT) + 1);
  const records = reserveShared(Math.min(blocks << BLOCK_SHIFT, 2 ** 28) * (words + 1));
  const { symmetry, stopWhen, judgeDeadlock } = settings;
  const tasks = [0, 1].map((me): WorkerTask => ({
    reference,
    settings: { symmetry, stopWhen, judgeDeadlock },
    bounds,
    me,
    memory,
    records,
  }));
  const looking = setInterval(() => look(memory, settings, pacer), LOOK_EVERY_MS);
  try {
    const reports = await Promise.all(tasks.map((task) => runWorker(task)));
    return join(model, records, reports, stoppedBy(memory.control));
  } finally {
    clearInterval(looking);
  }
}

function runWorker(task: WorkerTask): Promise<WorkerReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./search-worker.mjs", import.meta.url), {
      workerData: task,
      execArgv: [],
    });
    worker.once("message", (answer: WorkerReport | WorkerFault) => {
      if (answer.kind === "report") resolve(answer);
      else reject(new ModelFault(answer.message));
    });
    worker.once("error", (error) => {
      stop(task.memory.control, "fault");
      reject(error);
    });
  });
}

function look({ control }: SharedMemory, settings: SearchSettings, pacer: Pacer): void {
  if (settings.signal?.aborted === true) stop(control, "cancelled");
  if (pacer.elapsedMs > settings.bounds.maxSeconds * 1000) stop(control, "maxSeconds");
  const { states, edges, expanded, depth, bytes } = totals(control);
  pacer.report((elapsedMs): SearchProgress => ({
    states,
    edges,
    depth,
    queueLength: states - expanded,
    bytes,
    elapsedMs,
    statesPerSecond: Math.round((states / elapsedMs) * 1000),
  }));
}

function join(
  model: PackedModel,
  records: Uint32Array,
  reports: readonly WorkerReport[],
  cause: StopCause | "fault" | null,
): StateGraph {
  const sum = (of: (report: WorkerReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const states = sum(({ count }) => count);
  const tally = createTally();
  const queueLength = states - sum((report) => report.tally.expanded);
  const graph: StateGraph = {
    set: { words: model.words, stride: model.words + 1, records, index: null },
    parts: reports,
    tally,
    states,
    depth: Math.min(...reports.map(({ depth }) => depth)),
    queueLength,
    stoppedBy:
      queueLength === 0 && cause !== "maxStates" && cause !== "maxBytes"
        ? null
        : (cause as StopCause),
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
