// Decides what a search leaves behind: the set of states, where each depth begins, and the tally.
import type { StopCause } from "./check-result.ts";
import type { Tally } from "./expansion.ts";
import { BATCH_STATES, createBatch, selectAll } from "./batch.ts";
import { hashBatch } from "./state-hash.ts";
import { StateIndex } from "./state-index.ts";
import { BLOCK_SHIFT } from "./state-lookup.ts";
import type { StateSet } from "./state-set.ts";

/** The states that one thread found, in its own numbering. */
export interface GraphPart {
  /** The index at which each depth's states begin. */
  readonly depthStarts: readonly number[];
  /** The index after the last state. */
  readonly end: number;
}

export interface StateGraph {
  /** Its records are those of all parts; its table is whole only if there is one part. */
  readonly set: Pick<StateSet, "words" | "stride" | "records"> & {
    readonly index: StateIndex | null;
  };
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

/** Numbers all states of the graph by their words: with the table of the search if it can, with one of its own if not. */
export function indexOf(graph: StateGraph): StateIndex {
  const { words, stride, records, index } = graph.set;
  if (index !== null && graph.parts.length === 1) return index;
  const built = new StateIndex(words, records, graph.states);
  const batch = createBatch(words, BATCH_STATES);
  const top = topOf(graph);
  let entered = 0;
  for (let from = 0; from < top;) {
    batch.count = 0;
    for (; from < top && batch.count < BATCH_STATES; from += 1) {
      if (from >= partOf(graph, from).end) continue;
      const to = batch.count * words;
      for (let word = 0; word < words; word += 1) {
        batch.states[to + word] = records[from * stride + word] as number;
      }
      batch.origins[batch.count] = from;
      batch.count += 1;
    }
    hashBatch(batch);
    selectAll(batch);
    built.table.makeRoom(entered, batch.selected);
    built.fetch(batch);
    built.enter(batch);
    entered += batch.count;
  }
  return built;
}
