// Decides what a search leaves behind: the set of states, where each depth begins, and the tally.
import type { StopCause } from "./check-result.ts";
import type { Tally } from "./expansion.ts";
import { BLOCK_SHIFT } from "./state-set.ts";
import type { StateSet } from "./state-set.ts";

/** The states that one thread found, in its own numbering. */
export interface GraphPart {
  /** The index at which each depth's states begin. */
  readonly depthStarts: readonly number[];
  /** The index after the last state. */
  readonly end: number;
}

export interface StateGraph {
  readonly set: StateSet;
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
