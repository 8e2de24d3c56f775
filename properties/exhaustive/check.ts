// Decides every property of a model: searches the whole graph within bounds and turns what was seen into verdicts.
import { settle } from "./check-options.ts";
import type { CheckOptions, SearchSettings } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import type { PackedModel } from "./model.ts";
import { Pacer } from "./pacer.ts";
import { search } from "./search.ts";
import type { StateGraph } from "./state-graph.ts";
import { sweep } from "./sweep.ts";
import type { Sweep } from "./sweep.ts";
import { judge } from "./verdicts.ts";

/**
 * Checks the model and resolves with verdicts, counts and witnesses; the counts are exact where the result `isWhole`.
 * Rejects with `CheckRefusal` for options that cannot be used and `ModelFault` for a model that breaks its contract.
 */
export async function checkModel(
  model: PackedModel,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const settings = settle(model, options);
  const pacer = new Pacer(settings);
  const graph = await search(model, settings, pacer);
  return finishCheck(model, settings, pacer, graph, 1);
}

/** Sweeps and judges the graph that a search with so many workers left. */
export async function finishCheck(
  model: PackedModel,
  settings: SearchSettings,
  pacer: Pacer,
  graph: StateGraph,
  workers: number,
): Promise<CheckResult> {
  const searchMs = pacer.elapsedMs;
  const sweeps =
    graph.stoppedBy === null
      ? await sweepAll(model, graph, settings, pacer)
      : new Map<number, Sweep>();
  const elapsedMs = pacer.elapsedMs;
  const { tally } = graph;
  return {
    model: model.name,
    symmetry: settings.symmetry,
    workers,
    bounds: settings.bounds,
    isWhole: graph.stoppedBy === null,
    stoppedBy:
      graph.stoppedBy ??
      [...sweeps.values()].find(({ stoppedBy }) => stoppedBy !== null)?.stoppedBy ??
      null,
    states: graph.states,
    edges: tally.edges,
    depth: graph.depth,
    queueLength: graph.queueLength,
    ends: tally.ends,
    deadlocks: tally.deadlocks,
    ...judge(model, settings, graph, sweeps),
    bytes: graph.bytes,
    bytesPerState: graph.bytes / graph.states,
    elapsedMs,
    searchMs,
    sweepMs: elapsedMs - searchMs,
    sweeps: [...new Set(sweeps.values())].reduce((sum, each) => sum + each.sweeps, 0),
    maxPauseMs: graph.maxPauseMs,
    statesPerSecond: Math.round((graph.states / searchMs) * 1000),
  };
}

/** The sweep that decides each property which needs one, by its bit: a byte of marks per state takes eight at once. */
async function sweepAll(
  model: PackedModel,
  graph: StateGraph,
  settings: SearchSettings,
  pacer: Pacer,
): Promise<Map<number, Sweep>> {
  const bits = [...model.properties.keys()].filter((bit) => {
    const kind = model.properties[bit]?.kind;
    return kind === "reachable" || kind === "eventually";
  });
  const sweeps = new Map<number, Sweep>();
  for (let from = 0; from < bits.length; from += 8) {
    const some = bits.slice(from, from + 8);
    const done = await sweep(model, graph, some, settings, pacer);
    for (const bit of some) sweeps.set(bit, done);
  }
  return sweeps;
}
