// Decides what a search leaves behind: the set of states, where each depth begins, and the tally.
import type { StopCause } from "./check-result.ts";
import type { Tally } from "./expansion.ts";
import { createBatch } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { BLOCK_SHIFT, locate } from "./state-set.ts";
import type { StateSet } from "./state-set.ts";

/** The states that one thread found, in its own numbering. */
export interface GraphPart {
  /** The index at which each depth's states begin. */
  readonly depthStarts: readonly number[];
  /** The index after the last state. */
  readonly end: number;
}

export interface StateGraph {
  /** The first of them, for records: sets that share a graph share their records. */
  readonly set: StateSet;
  /** A state is in the table of the set that {@link ownerOf} its hash names. */
  readonly sets: readonly StateSet[];
  readonly parts: readonly GraphPart[];
  readonly tally: Tally;
  readonly states: number;
  /** See `CheckResult`. */
  readonly depth: number;
  readonly queueLength: number;
  readonly stoppedBy: StopCause | null;
  readonly bytes: number;
  readonly maxPauseMs: number;
}

/** The index after the highest of any part. */
export function topOf(graph: StateGraph): number {
  return Math.max(...graph.parts.map(({ end }) => end));
}

/** The part whose numbering the index belongs to; `end` tells whether it numbers a state. */
export function partOf(graph: StateGraph, index: number): GraphPart {
  return graph.parts[(index >>> BLOCK_SHIFT) % graph.parts.length] as GraphPart;
}

/** The depth at which the search found the state. */
export function depthOf(graph: StateGraph, index: number): number {
  const { depthStarts } = partOf(graph, index);
  let depth = depthStarts.length - 1;
  while (depth > 0 && (depthStarts[depth] as number) > index) depth -= 1;
  return depth;
}

/** Which of two threads keeps the state with this hash: a bit that neither tags nor homes of any but the largest tables use. */
export function ownerOf(hash: number): number {
  return (hash >>> 4) & 1;
}

/** Writes the index of each hashed state of the batch into `places`; -1 for one that the graph does not hold. */
export function locateInGraph(graph: StateGraph, batch: Batch): void {
  if (graph.sets.length === 1) {
    locate(graph.set, batch);
    return;
  }
  for (const [owner, set] of graph.sets.entries()) locateOwned(set, batch, owner);
}

function locateOwned(set: StateSet, batch: Batch, owner: number): void {
  const { words, states, hashes, places, count } = batch;
  const own = createBatch(words, count);
  for (let i = 0; i < count; i += 1) {
    if (ownerOf(hashes[i] as number) !== owner) continue;
    const to = own.count;
    for (let word = 0; word < words; word += 1) {
      own.states[to * words + word] = states[i * words + word] as number;
    }
    own.hashes[to] = hashes[i] as number;
    own.origins[to] = i;
    own.count += 1;
  }
  locate(set, own);
  for (let i = 0; i < own.count; i += 1) {
    places[own.origins[i] as number] = own.places[i] as number;
  }
}
