// Decides, over a finished graph, from which states a goal can be reached, and on which it cannot be avoided.
import { BATCH_STATES } from "./batch.ts";
import { Expander, ModelFault } from "./expansion.ts";
import type { PackedModel } from "./model.ts";
import type { Pacer } from "./pacer.ts";
import { depthOf, indexOf, partOf, topOf } from "./state-graph.ts";
import type { StateGraph } from "./state-graph.ts";
import { indexBytes } from "./state-index.ts";
import type { StateIndex } from "./state-index.ts";
import type { SearchProgress, SearchSettings } from "./check-options.ts";

export interface Sweep {
  /** Numbers the states of the graph; null if there was no memory for a sweep. */
  readonly index: StateIndex | null;
  /** Sweeps over the graph until nothing changed; one more tells that nothing did. */
  readonly sweeps: number;
  readonly stoppedBy: "maxBytes" | "maxSeconds" | "cancelled" | null;
  /** Whether the state has the property whose bit this is. */
  has(index: number, bit: number): boolean;
  /** The shallowest state without it; -1 if there is none. */
  shallowestWithout(bit: number): number;
}

/**
 * Sweeps the states from last to first, expanding them again, until no mark changes: a state is good for a
 * `reachable` if it is a goal or some successor is good, for an `eventually` if it is a goal or it has successors
 * and all are good. Edges are not stored. In reverse order of discovery most states see finished successors, so
 * that one or two sweeps do; `properties` holds the bits of at most eight properties of these kinds.
 */
export async function sweep(
  model: PackedModel,
  graph: StateGraph,
  properties: readonly number[],
  settings: SearchSettings,
  pacer: Pacer,
): Promise<Sweep> {
  const top = topOf(graph);
  // The table of the search is no longer needed, unless it is the index.
  const recordBytes = graph.states * graph.set.stride * 4;
  const fits = recordBytes + indexBytes(graph.states) + top <= settings.bounds.maxBytes;
  const index = fits ? indexOf(graph) : null;
  const good = new Uint8Array(fits ? top : 0);
  let stoppedBy: Sweep["stoppedBy"] = fits ? null : "maxBytes";
  let sweeps = 0;
  if (index !== null) {
    const sweeper = new Sweeper(model, graph, index, good, properties, settings.symmetry);
    do {
      sweeps += 1;
      sweeper.changed = false;
      stoppedBy = await sweeper.sweepOnce((states) => progressOf(graph, states, pacer), pacer);
    } while (stoppedBy === null && sweeper.changed);
  }
  const has = (index: number, bit: number): boolean =>
    ((good[index] as number) >>> properties.indexOf(bit)) % 2 === 1;
  return {
    index,
    sweeps,
    stoppedBy,
    has,
    shallowestWithout: (bit) => shallowestWithout(graph, good, properties.indexOf(bit)),
  };
}

class Sweeper {
  changed = false;
  readonly #model: PackedModel;
  readonly #graph: StateGraph;
  readonly #index: StateIndex;
  readonly #good: Uint8Array;
  readonly #bits: readonly number[];
  readonly #expander: Expander;
  readonly #all: number;
  /** The places (in the byte of marks) of properties that ask for some successor, and for all of them. */
  readonly #some: number;
  readonly #every: number;
  readonly #sources = new Int32Array(BATCH_STATES);
  readonly #ends = new Int32Array(BATCH_STATES);
  readonly #actions: Uint32Array;

  constructor(
    model: PackedModel,
    graph: StateGraph,
    index: StateIndex,
    good: Uint8Array,
    bits: readonly number[],
    symmetry: boolean,
  ) {
    this.#model = model;
    this.#graph = graph;
    this.#index = index;
    this.#good = good;
    this.#bits = bits;
    this.#expander = new Expander(model, symmetry);
    this.#all = (1 << bits.length) - 1;
    this.#every = bits.reduce(
      (mask, bit, place) =>
        model.properties[bit]?.kind === "eventually" ? mask | (1 << place) : mask,
      0,
    );
    this.#some = this.#all & ~this.#every;
    this.#actions = new Uint32Array(model.maxSuccessors);
    // Numbers that stand for no state, between the ends of the parts, need no sweeping.
    for (
      let index = Math.min(...graph.parts.map(({ end }) => end));
      index < good.length;
      index += 1
    ) {
      if (index >= partOf(graph, index).end) good[index] = this.#all;
    }
  }

  async sweepOnce(
    progress: (states: number) => SearchProgress,
    pacer: Pacer,
  ): Promise<"maxSeconds" | "cancelled" | null> {
    let head = this.#good.length - 1;
    while (head >= 0) {
      head = this.#sweepBatch(head);
      if (!pacer.due()) continue;
      const stoppedBy = await pacer.pause(() => progress(this.#good.length - head));
      if (stoppedBy !== null) return stoppedBy;
    }
    return null;
  }

  /** Sweeps states from `head` downwards, as many as a batch takes, and returns the next. */
  #sweepBatch(head: number): number {
    const { batch } = this.#expander;
    const { records, stride, words } = this.#graph.set;
    const good = this.#good;
    let index = head;
    let sources = 0;
    let count = 0;
    for (; index >= 0 && sources < BATCH_STATES && count < BATCH_STATES; index -= 1) {
      if (good[index] === this.#all) continue;
      const known = (good[index] as number) | this.#goals(records, index * stride);
      if (known !== good[index]) this.#improve(index, known);
      if (known === this.#all) continue;
      count += this.#model.expand(
        records,
        index * stride,
        batch.states,
        count * words,
        this.#actions,
      );
      this.#sources[sources] = index;
      this.#ends[sources] = count;
      sources += 1;
    }
    batch.count = count;
    this.#expander.prepare();
    this.#index.locate(batch);
    this.#combine(sources);
    return index;
  }

  #combine(sources: number): void {
    const good = this.#good;
    const { indices } = this.#expander.batch;
    let i = 0;
    for (let source = 0; source < sources; source += 1) {
      const end = this.#ends[source] as number;
      let some = 0;
      let every = i === end ? 0 : this.#every;
      for (; i < end; i += 1) {
        const index = indices[i] as number;
        if (index < 0) {
          throw new ModelFault(
            `expand() gave a state that it did not give before: model=${this.#model.name}; make it depend on the state alone`,
          );
        }
        const successor = good[index] as number;
        some |= successor;
        every &= successor;
      }
      const origin = this.#sources[source] as number;
      const known = (good[origin] as number) | (some & this.#some) | every;
      if (known !== good[origin]) this.#improve(origin, known);
    }
  }

  #improve(index: number, known: number): void {
    this.#good[index] = known;
    this.changed = true;
  }

  #goals(records: Uint32Array, at: number): number {
    const marks = this.#model.marks(records, at);
    let goals = 0;
    for (let place = 0; place < this.#bits.length; place += 1) {
      goals |= ((marks >>> (this.#bits[place] as number)) & 1) << place;
    }
    return goals;
  }
}

/** Within a part a lower index is no deeper; the parts' first ones are compared. */
function shallowestWithout(graph: StateGraph, good: Uint8Array, place: number): number {
  const firsts = new Map<unknown, number>();
  for (let index = 0; index < good.length && firsts.size < graph.parts.length; index += 1) {
    if (((good[index] as number) >>> place) & 1) continue;
    const part = partOf(graph, index);
    if (!firsts.has(part)) firsts.set(part, index);
  }
  const [first = -1, ...others] = firsts.values();
  return others.reduce(
    (least, index) => (depthOf(graph, index) < depthOf(graph, least) ? index : least),
    first,
  );
}

function progressOf(graph: StateGraph, swept: number, pacer: Pacer): SearchProgress {
  const elapsedMs = pacer.elapsedMs;
  return {
    states: graph.states,
    edges: graph.tally.edges,
    depth: graph.depth,
    queueLength: graph.states - swept,
    bytes: graph.bytes,
    elapsedMs,
    statesPerSecond: Math.round((graph.states / elapsedMs) * 1000),
  };
}
