// Decides what a search leaves behind: the set of states, where each depth begins, and the tally.
import type { StopCause } from "./check-result.ts";
import type { Tally } from "./expansion.ts";
import { CHUNK_MASK, CHUNK_SHIFT, CHUNK_STATES } from "./state-set.ts";
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

/** How many states chunk number `chunk` holds. */
export function statesInChunk(graph: StateGraph, chunk: number): number {
  const part = graph.parts[chunk % graph.parts.length] as GraphPart;
  const last = part.end >>> CHUNK_SHIFT;
  if (chunk < last) return CHUNK_STATES;
  return chunk === last ? part.end & CHUNK_MASK : 0;
}

/** The depth at which the search found the state. */
export function depthOf(graph: StateGraph, index: number): number {
  const part = graph.parts[(index >>> CHUNK_SHIFT) % graph.parts.length] as GraphPart;
  let depth = part.depthStarts.length - 1;
  while (depth > 0 && (part.depthStarts[depth] as number) > index) depth -= 1;
  return depth;
}
