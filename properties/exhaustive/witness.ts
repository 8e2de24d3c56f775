// Decides which execution shows that a state is reachable: the path of parents, replayed from a real initial state.
import { NO_ORIGIN } from "./batch.ts";
import type { Witness } from "./check-result.ts";
import { Expander, initialStates, ModelFault } from "./expansion.ts";
import type { PackedModel } from "./model.ts";
import { locateInGraph } from "./state-graph.ts";
import type { StateGraph } from "./state-graph.ts";
import { copyState, parentOf } from "./state-set.ts";
import type { Sweep } from "./sweep.ts";

/** WitnessFinder rebuilds executions from the indices of a graph. */
export class WitnessFinder {
  readonly #model: PackedModel;
  readonly #graph: StateGraph;
  readonly #expander: Expander;
  readonly #successors: Uint32Array;
  readonly #actions: Uint32Array;

  constructor(model: PackedModel, graph: StateGraph, symmetry: boolean) {
    this.#model = model;
    this.#graph = graph;
    this.#expander = new Expander(model, symmetry);
    this.#successors = new Uint32Array(model.maxSuccessors * model.words);
    this.#actions = new Uint32Array(model.maxSuccessors);
  }

  /** A shortest execution to the state. */
  pathTo(index: number): Witness {
    const path: number[] = [];
    for (let at = index; at !== NO_ORIGIN; at = parentOf(this.#graph.set, at)) path.push(at);
    path.reverse();
    return this.#replay(path, null);
  }

  /** An execution that never meets the goal: from an initial state along states without `bit` until one repeats or none follows. */
  avoiding(bit: number, sweep: Sweep): Witness {
    const path: number[] = [];
    const placeOf = new Map<number, number>();
    let loopsTo: number | null = null;
    let at = this.#indicesOf(initialStates(this.#model)).find((index) => !sweep.has(index, bit));
    while (at !== undefined) {
      placeOf.set(at, path.length);
      path.push(at);
      const onwards = this.#successorsOf(at).filter((index) => !sweep.has(index, bit));
      const back = onwards.find((index) => placeOf.has(index));
      if (back !== undefined) {
        path.push(back);
        loopsTo = placeOf.get(back) ?? null;
        break;
      }
      at = onwards[0];
    }
    return this.#replay(path, loopsTo);
  }

  /** Chooses at every step a successor whose representative is the next on the path: symmetric states have symmetric successors. */
  #replay(path: readonly number[], loopsTo: number | null): Witness {
    const { words } = this.#model;
    const states: Uint32Array[] = [];
    const actions: number[] = [];
    for (const index of path) {
      const before = states.at(-1);
      const choices = before === undefined ? initialStates(this.#model) : this.#expand(before);
      const choice = this.#indicesOf(choices).indexOf(index);
      if (choice < 0) {
        throw new ModelFault(
          `no successor leads along the path found: model=${this.#model.name} step=${states.length}; make expand() and canonicalise() depend on the state alone`,
        );
      }
      if (before !== undefined) actions.push(this.#actions[choice] as number);
      states.push(choices.slice(choice * words, (choice + 1) * words));
    }
    return { states, actions, loopsTo };
  }

  #expand(state: Uint32Array): Uint32Array {
    const count = this.#model.expand(state, 0, this.#successors, 0, this.#actions);
    return this.#successors.subarray(0, count * this.#model.words);
  }

  #successorsOf(index: number): number[] {
    const state = new Uint32Array(this.#model.words);
    copyState(this.#graph.set, index, state, 0);
    return this.#indicesOf(this.#expand(state));
  }

  #indicesOf(states: Uint32Array): number[] {
    const indices: number[] = [];
    while (indices.length * this.#model.words < states.length) {
      const count = this.#expander.fillInitial(states, indices.length, NO_ORIGIN);
      locateInGraph(this.#graph, this.#expander.batch);
      indices.push(...this.#expander.batch.places.subarray(0, count));
    }
    return indices;
  }
}
