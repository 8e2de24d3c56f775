// Decides, over a finished graph, from which states a goal can be reached, and on which it cannot be avoided.
import { BATCH_STATES } from "./batch.ts";
import { Expander, ModelFault } from "./expansion.ts";
import type { PackedModel } from "./model.ts";
import type { Pacer } from "./pacer.ts";
import { depthOf, statesInChunk } from "./state-graph.ts";
import type { StateGraph } from "./state-graph.ts";
import { CHUNK_MASK, CHUNK_SHIFT, CHUNK_STATES, locate } from "./state-set.ts";
import type { SearchProgress, SearchSettings } from "./check-options.ts";

export interface Sweep {
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
  const { chunks } = graph.set;
  const fits = graph.bytes + chunks.length * CHUNK_STATES <= settings.bounds.maxBytes;
  const good = fits ? chunks.map(() => new Uint8Array(CHUNK_STATES)) : [];
  let stoppedBy: Sweep["stoppedBy"] = fits ? null : "maxBytes";
  let sweeps = 0;
  if (fits) {
    const sweeper = new Sweeper(model, graph, good, properties, settings.symmetry);
    do {
      sweeps += 1;
      sweeper.changed = false;
      stoppedBy = await sweeper.sweepOnce((states) => progressOf(graph, states, pacer), pacer);
    } while (stoppedBy === null && sweeper.changed);
  }
  const has = (index: number, bit: number): boolean =>
    (((good[index >>> CHUNK_SHIFT] as Uint8Array)[index & CHUNK_MASK] as number) >>>
      properties.indexOf(bit)) %
      2 ===
    1;
  return {
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
  readonly #good: readonly Uint8Array[];
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
    good: readonly Uint8Array[],
    bits: readonly number[],
    symmetry: boolean,
  ) {
    this.#model = model;
    this.#graph = graph;
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
  }

  async sweepOnce(
    progress: (states: number) => SearchProgress,
    pacer: Pacer,
  ): Promise<"maxSeconds" | "cancelled" | null> {
    let swept = 0;
    for (let chunk = this.#good.length - 1; chunk >= 0; chunk -= 1) {
      let head = statesInChunk(this.#graph, chunk) - 1;
      while (head >= 0) {
        const before = head;
        head = this.#sweepBatch(chunk, head);
        swept += before - head;
        if (!pacer.due()) continue;
        const stoppedBy = await pacer.pause(() => progress(swept));
        if (stoppedBy !== null) return stoppedBy;
      }
    }
    return null;
  }

  /** Sweeps states of one chunk from place `head` downwards, as many as a batch takes, and returns the next place. */
  #sweepBatch(chunk: number, head: number): number {
    const { batch } = this.#expander;
    const { stride, words } = this.#graph.set;
    const records = this.#graph.set.chunks[chunk] as Uint32Array;
    const good = this.#good[chunk] as Uint8Array;
    let place = head;
    let sources = 0;
    let count = 0;
    for (; place >= 0 && sources < BATCH_STATES && count < BATCH_STATES; place -= 1) {
      if (good[place] === this.#all) continue;
      const goals = this.#goals(records, place * stride);
      const known = (good[place] as number) | goals;
      if (known !== good[place]) this.#improve(good, place, known);
      if (known === this.#all) continue;
      count += this.#model.expand(
        records,
        place * stride,
        batch.states,
        count * words,
        this.#actions,
      );
      this.#sources[sources] = place;
      this.#ends[sources] = count;
      sources += 1;
    }
    batch.count = count;
    this.#expander.prepare();
    locate(this.#graph.set, batch);
    this.#combine(good, sources);
    return place;
  }

  #combine(good: Uint8Array, sources: number): void {
    const { places } = this.#expander.batch;
    let i = 0;
    for (let source = 0; source < sources; source += 1) {
      const end = this.#ends[source] as number;
      let some = 0;
      let every = i === end ? 0 : this.#every;
      for (; i < end; i += 1) {
        const index = places[i] as number;
        if (index < 0)
          throw new ModelFault(
            `expand() gave a state that it did not give before: model=${this.#model.name}; make it depend on the state alone`,
          );
        const successor = (this.#good[index >>> CHUNK_SHIFT] as Uint8Array)[
          index & CHUNK_MASK
        ] as number;
        some |= successor;
        every &= successor;
      }
      const place = this.#sources[source] as number;
      const known = (good[place] as number) | (some & this.#some) | every;
      if (known !== good[place]) this.#improve(good, place, known);
    }
  }

  #improve(good: Uint8Array, place: number, known: number): void {
    good[place] = known;
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

function shallowestWithout(graph: StateGraph, good: readonly Uint8Array[], place: number): number {
  let found = -1;
  let depth = Number.POSITIVE_INFINITY;
  for (let chunk = 0; chunk < good.length; chunk += 1) {
    const marks = good[chunk] as Uint8Array;
    const states = statesInChunk(graph, chunk);
    for (let at = 0; at < states; at += 1) {
      if (((marks[at] as number) >>> place) & 1) continue;
      const index = (chunk << CHUNK_SHIFT) | at;
      const here = depthOf(graph, index);
      if (here < depth) [found, depth] = [index, here];
      break;
    }
  }
  return found;
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
