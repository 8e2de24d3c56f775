// Decides which bounds and switches a search accepts, and refuses the absurd ones in one line.
import { MOST_SUCCESSORS } from "./batch.ts";
import { MAX_INDEXED_STATES } from "./state-index.ts";
import type { PackedModel } from "./model.ts";

/** How far a search may go. Past any of them what is not refuted is *inconclusive*. */
export interface SearchBounds {
  /** Distinct states, 1 to about 2.6 * 10^8. */
  readonly maxStates: number;
  /** Bytes of states, parents, table and marks. The search stays below; buffers of fixed size (about a megabyte) come on top. */
  readonly maxBytes: number;
  /** Seconds from the start, for the search and the sweeps together. */
  readonly maxSeconds: number;
}

const DEFAULT_BOUNDS: SearchBounds = {
  maxStates: MAX_INDEXED_STATES,
  maxBytes: 2 ** 31,
  maxSeconds: 600,
};

export interface SearchProgress {
  readonly states: number;
  readonly edges: number;
  /** The depth being expanded. */
  readonly depth: number;
  /** States found and not yet expanded. */
  readonly queueLength: number;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly statesPerSecond: number;
}

/**
 * When to stop before the whole graph is known: never, once every property is decided (which `reachable` and
 * `eventually` are only at the end), or at the first property or deadlock refuted.
 */
export type StopWhen = "exhausted" | "decided" | "refuted";

export interface CheckOptions {
  readonly bounds?: Partial<SearchBounds>;
  /** Whether to search representatives only; needs a model with `canonicalise`. Default: false. */
  readonly symmetry?: boolean;
  /** Default: "exhausted", which gives exact counts. */
  readonly stopWhen?: StopWhen;
  /** Whether a state without successors that is no proper end is judged. Default: true. */
  readonly judgeDeadlock?: boolean;
  /** Stops the search at the next yield, about every 20 ms. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SearchProgress) => void;
  /** Default: 1000. */
  readonly progressEveryMs?: number;
}

export interface SearchSettings {
  readonly bounds: SearchBounds;
  readonly symmetry: boolean;
  readonly stopWhen: StopWhen;
  readonly judgeDeadlock: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: SearchProgress) => void) | undefined;
  readonly progressEveryMs: number;
}

/** CheckRefusal tells in one line why a model or its options cannot be used and what to do. */
export class CheckRefusal extends Error {
  override readonly name = "CheckRefusal";
}

/** Checks model and options and fills in what was left out. Throws {@link CheckRefusal}. */
export function settle(model: PackedModel, options: CheckOptions): SearchSettings {
  refuseModel(model);
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  whole("maxStates", bounds.maxStates, 1, MAX_INDEXED_STATES);
  whole("maxBytes", bounds.maxBytes, 1, Number.MAX_SAFE_INTEGER);
  positive("maxSeconds", bounds.maxSeconds);
  const progressEveryMs = options.progressEveryMs ?? 1000;
  positive("progressEveryMs", progressEveryMs);
  const symmetry = options.symmetry ?? false;
  if (symmetry && model.canonicalise === undefined) {
    throw new CheckRefusal(
      `the model has no symmetry: model=${model.name}; give it canonicalise() or switch symmetry off`,
    );
  }
  return {
    bounds,
    symmetry,
    stopWhen: options.stopWhen ?? "exhausted",
    judgeDeadlock: options.judgeDeadlock ?? true,
    signal: options.signal,
    onProgress: options.onProgress,
    progressEveryMs,
  };
}

function refuseModel(model: PackedModel): void {
  whole("words", model.words, 1, 8);
  whole("maxSuccessors", model.maxSuccessors, 1, MOST_SUCCESSORS);
  whole("properties", model.properties.length, 0, 32);
  const ids = new Map(model.properties.map((property) => [property.id, property]));
  if (ids.size < model.properties.length) {
    throw new CheckRefusal(`two properties have one id: model=${model.name}; rename one`);
  }
  for (const { id, exercisedBy } of model.properties) {
    if (exercisedBy !== undefined && ids.get(exercisedBy)?.kind !== "sometimes") {
      throw new CheckRefusal(
        `exercisedBy names no "sometimes": property=${id} exercisedBy=${exercisedBy}; declare it`,
      );
    }
  }
}

function whole(field: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new CheckRefusal(
    `not a whole number in range: ${field}=${value}; give ${least} to ${most}`,
  );
}

function positive(field: string, value: number): void {
  if (value > 0) return;
  throw new CheckRefusal(`not above zero: ${field}=${value}; give a positive number`);
}
