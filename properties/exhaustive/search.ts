// Decides which states are reachable, breadth first in one thread, each at its least depth.
import { NO_ORIGIN } from "./batch.ts";
import type { SearchProgress, SearchSettings, StopWhen } from "./check-options.ts";
import type { StopCause } from "./check-result.ts";
import { createTally, Expander, initialStates } from "./expansion.ts";
import type { Tally } from "./expansion.ts";
import type { PackedModel } from "./model.ts";
import type { Pacer } from "./pacer.ts";
import type { StateGraph } from "./state-graph.ts";
import { StateIndex } from "./state-index.ts";
import { StateSet } from "./state-set.ts";

/** Searches until every reachable state was expanded, or a bound is met. */
export async function search(
  model: PackedModel,
  settings: SearchSettings,
  pacer: Pacer,
): Promise<StateGraph> {
  const running = new Search(model, settings);
  let stoppedBy = running.begin();
  while (stoppedBy === null && !running.isFinished) {
    stoppedBy = running.goOn(pacer);
    if (stoppedBy !== null || running.isFinished) break;
    stoppedBy = await pacer.pause((elapsedMs) => running.progress(elapsedMs));
  }
  return running.end(stoppedBy);
}

/** Search is a search between two pauses. What runs for every batch is kept from what runs once: V8 compiles them apart. */
class Search {
  readonly #set: StateSet;
  readonly #expander: Expander;
  readonly #tally = createTally();
  readonly #enough: (tally: Tally) => StopCause | null;
  readonly #depthStarts = [0];
  #head = 0;
  #depthEnd = 0;

  constructor(model: PackedModel, settings: SearchSettings) {
    this.#set = new StateSet({ words: model.words, ...settings.bounds });
    this.#expander = new Expander(model, settings.symmetry);
    this.#enough = decides(model, settings);
  }

  get isFinished(): boolean {
    return this.#head === this.#set.next;
  }

  begin(): StopCause | null {
    const initial = initialStates(this.#expander.model);
    let stoppedBy: StopCause | null = null;
    for (let from = 0; from * this.#set.words < initial.length && stoppedBy === null;) {
      from += this.#expander.fillInitial(initial, from, NO_ORIGIN);
      stoppedBy = this.#insertFilled();
    }
    this.#depthEnd = this.#set.next;
    return stoppedBy;
  }

  /** Searches on until it is time for a pause. */
  goOn(pacer: Pacer): StopCause | null {
    let stoppedBy: StopCause | null = null;
    while (stoppedBy === null && !this.isFinished && !pacer.due()) stoppedBy = this.#advance();
    return stoppedBy;
  }

  #advance(): StopCause | null {
    const set = this.#set;
    if (this.#head === this.#depthEnd) {
      this.#depthStarts.push(this.#head);
      this.#depthEnd = set.next;
    }
    this.#head = this.#expander.expandBatch(set, this.#head, this.#depthEnd, this.#tally);
    return this.#insertFilled() ?? this.#enough(this.#tally);
  }

  #insertFilled(): StopCause | null {
    const set = this.#set;
    const before = set.next;
    const outcome = set.insert(this.#expander.batch);
    this.#expander.mark(set, before, set.next, this.#tally);
    return outcome === "done" ? null : outcome;
  }

  progress(elapsedMs: number): SearchProgress {
    const { count, bytes } = this.#set;
    const { edges, expanded } = this.#tally;
    return {
      states: count,
      edges,
      depth: this.#depthStarts.length - 1,
      queueLength: count - expanded,
      bytes,
      elapsedMs,
      statesPerSecond: Math.round((count / elapsedMs) * 1000),
    };
  }

  end(cause: StopCause | null): StateGraph {
    const set = this.#set;
    const tally = this.#tally;
    const isFull = cause === "maxStates" || cause === "maxBytes";
    const depthStarts = this.#depthStarts;
    const isAtEnd = this.#head === this.#depthEnd && this.#head > 0;
    const depth = depthStarts.length - (isAtEnd ? 1 : 2);
    // What a stopped search found beyond the depth that it was expanding lies one deeper.
    if (set.next > this.#depthEnd) depthStarts.push(this.#depthEnd);
    const { words, stride, records, lookup } = set;
    return {
      set: { words, stride, records, index: lookup instanceof StateIndex ? lookup : null },
      parts: [{ depthStarts, end: set.next }],
      tally,
      states: set.count,
      depth,
      queueLength: set.count - tally.expanded,
      // A clock or a wish that came with the last batch stopped nothing; a full set may have lost states of that batch.
      stoppedBy: this.isFinished && !isFull ? null : cause,
      bytes: set.bytes,
      maxPauseMs: set.maxPauseMs,
    };
  }
}

/** A test of whether the tally decides enough to stop early. */
export function decides(
  model: PackedModel,
  settings: Pick<SearchSettings, "stopWhen" | "judgeDeadlock">,
): (tally: Tally) => StopCause | null {
  const { stopWhen, judgeDeadlock } = settings;
  const bits = (kind: string): number =>
    model.properties.reduce(
      (mask, property, bit) => (property.kind === kind ? mask | (1 << bit) : mask),
      0,
    );
  const always = bits("always");
  const early = always | bits("sometimes");
  const late = bits("reachable") | bits("eventually");
  const tests: Record<StopWhen, (tally: Tally) => StopCause | null> = {
    exhausted: () => null,
    decided: (tally) =>
      late === 0 && (tally.marked & early) === early && (!judgeDeadlock || tally.deadlocks > 0)
        ? "decided"
        : null,
    refuted: (tally) =>
      (tally.marked & always) !== 0 || (judgeDeadlock && tally.deadlocks > 0) ? "refuted" : null,
  };
  return tests[stopWhen];
}
