// Decides what the plainest search costs: breadth first over arrays of numbers, with a Set of string keys.
import type { PackedModel } from "./model.ts";

/** Counts states and edges; the baseline of the bench, and an oracle that shares no code with the search. */
export function searchNaively(model: PackedModel): { states: number; edges: number } {
  const { words } = model;
  const seen = new Set<string>();
  const queue: number[][] = [];
  const meet = (state: number[]): void => {
    const key = state.join();
    if (seen.has(key)) return;
    seen.add(key);
    queue.push(state);
  };
  const initial = model.initial();
  for (let at = 0; at < initial.length; at += words) meet([...initial.subarray(at, at + words)]);
  const out = new Uint32Array(model.maxSuccessors * words);
  const actions = new Uint32Array(model.maxSuccessors);
  let edges = 0;
  for (const state of queue) {
    const count = model.expand(Uint32Array.from(state), 0, out, 0, actions);
    edges += count;
    for (let i = 0; i < count; i += 1) meet([...out.subarray(i * words, (i + 1) * words)]);
  }
  return { states: seen.size, edges };
}
