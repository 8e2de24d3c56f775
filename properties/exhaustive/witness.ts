// Decides which execution shows that a state is reachable: the path of parents, replayed from a real initial state.
import { NO_ORIGIN } from "./batch.ts";
import type { Witness } from "./check-result.ts";
import { Expander, initialStates, ModelFault } from "./expansion.ts";
import type { PackedModel } from "./model.ts";
import type { StateGraph } from "./state-graph.ts";
import type { StateIndex } from "./state-index.ts";
import type { Sweep } from "./sweep.ts";

/** WitnessFinder rebuilds executions from the indices of a graph. */
export class WitnessFinder {
  readonly #model: PackedModel;
  readonly #graph: StateGraph;
  readonly #symmetry: boolean;
  readonly #expander: Expander;
  readonly #successors: Uint32Array;
  readonly #actions: Uint32Array;

  constructor(model: PackedModel, graph: StateGraph, symmetry: boolean) {
    this.#model = model;
    this.#graph = graph;
    this.#symmetry = symmetry;
    this.#expander = new Expander(model, symmetry);
    this.#successors = new Uint32Array(model.maxSuccessors * model.words);
    this.#actions = new Uint32Array(model.maxSuccessors);
  }

  /** A shortest execution to the state. */
  pathTo(index: number): Witness {
    const path: number[] = [];
    for (let at = index; at !== NO_ORIGIN; at = this.#recordOf(at)[this.#model.words] ?? NO_ORIGIN)
      path.push(at);
    path.reverse();
    return this.#replay(path, null);
  }

  /** An execution that never meets the goal: from an initial state along states without `bit` until one repeats or none follows. */
  avoiding(bit: number, sweep: Sweep): Witness {
    const { index } = sweep;
    if (index === null) return { states: [], actions: [], loopsTo: null };
    const path: number[] = [];
    const placeOf = new Map<number, number>();
    let loopsTo: number | null = null;
    let at = this.#locate(index, initialStates(this.#model)).find(
      (state) => !sweep.has(state, bit),
    );
    while (at !== undefined) {
      placeOf.set(at, path.length);
      path.push(at);
      const successors = this.#expand(this.#recordOf(at));
      const onwards = this.#locate(index, successors).filter((state) => !sweep.has(state, bit));
      const back = onwards.find((state) => placeOf.has(state));
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
      const choice = this.#choose(choices, this.#recordOf(index));
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

  /** Which of the states has the representative that the record begins with; -1 if none. */
  #choose(states: Uint32Array, record: Uint32Array): number {
    const { words } = this.#model;
    const representatives = states.slice();
    for (let at = 0; at < states.length; at += words) {
      if (this.#symmetry) this.#model.canonicalise?.(representatives, at);
      if (representatives.subarray(at, at + words).every((word, i) => word === record[i])) {
        return at / words;
      }
    }
    return -1;
  }

  #recordOf(index: number): Uint32Array {
    const { records, stride } = this.#graph.set;
    return records.subarray(index * stride, (index + 1) * stride);
  }

  #locate(index: StateIndex, states: Uint32Array): number[] {
    const located: number[] = [];
    while (located.length * this.#model.words < states.length) {
      const count = this.#expander.fillInitial(states, located.length, NO_ORIGIN);
      index.locate(this.#expander.batch);
      located.push(...this.#expander.batch.indices.subarray(0, count));
    }
    return located;
  }
}
