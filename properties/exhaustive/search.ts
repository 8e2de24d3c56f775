// Decides which states are reachable, breadth first in one thread, each at its least depth.
import { NO_ORIGIN } from "./batch.ts";
import type { SearchProgress, SearchSettings, StopWhen } from "./check-options.ts";
import type { StopCause } from "./check-result.ts";
import { createTally, Expander, initialStates } from "./expansion.ts";
import type { Tally } from "./expansion.ts";
import type { PackedModel } from "./model.ts";
import type { Pacer } from "./pacer.ts";
import type { StateGraph } from "./state-graph.ts";
import { StateSet } from "./state-set.ts";

/** Searches until every reachable state was expanded, or a bound is met. */
export async function search(
  model: PackedModel,
  settings: SearchSettings,
  pacer: Pacer,
): Promise<StateGraph> {
  const set = new StateSet({
    words: model.words,
    ...settings.bounds,
  });
  const expander = new Expander(model, settings.symmetry);
  const tally = createTally();
  const enough = decides(model, settings);
  const depthStarts = [0];
  let stoppedBy: StopCause | null = insertInitial(set, expander, tally);
  let head = 0;
  let depthEnd = set.next;
  while (stoppedBy === null && head !== set.next) {
    if (head === depthEnd) {
      depthStarts.push(head);
      depthEnd = set.next;
    }
    head = expander.expandBatch(set, head, depthEnd, tally);
    stoppedBy = insertFilled(set, expander, tally) ?? enough(tally);
    if (stoppedBy === null && pacer.due()) {
      stoppedBy = await pacer.pause((elapsedMs) =>
        progressOf(set, tally, depthStarts.length - 1, elapsedMs),
      );
    }
  }
  // A clock or a wish that came with the last batch stopped nothing; a full set may have lost states of that batch.
  if (head === set.next && stoppedBy !== "maxStates" && stoppedBy !== "maxBytes") stoppedBy = null;
  const depth = depthStarts.length - (head === depthEnd && head > 0 ? 1 : 2);
  // What a stopped search found beyond the depth that it was expanding lies one deeper.
  if (set.next > depthEnd) depthStarts.push(depthEnd);
  const { words, stride, records, index } = set;
  return {
    set: { words, stride, records, index },
    parts: [{ depthStarts, end: set.next }],
    tally,
    states: set.count,
    depth,
    queueLength: set.count - tally.expanded,
    stoppedBy,
    bytes: set.bytes,
    maxPauseMs: set.maxPauseMs,
  };
}

function insertInitial(set: StateSet, expander: Expander, tally: Tally): StopCause | null {
  const initial = initialStates(expander.model);
  for (let from = 0; from * set.words < initial.length;) {
    from += expander.fillInitial(initial, from, NO_ORIGIN);
    const stoppedBy = insertFilled(set, expander, tally);
    if (stoppedBy !== null) return stoppedBy;
  }
  return null;
}

function insertFilled(set: StateSet, expander: Expander, tally: Tally): StopCause | null {
  const before = set.next;
  const outcome = set.insert(expander.batch);
  expander.mark(set, before, set.next, tally);
  return outcome === "done" ? null : outcome;
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

function progressOf(set: StateSet, tally: Tally, depth: number, elapsedMs: number): SearchProgress {
  return {
    states: set.count,
    edges: tally.edges,
    depth,
    queueLength: set.count - tally.expanded,
    bytes: set.bytes,
    elapsedMs,
    statesPerSecond: Math.round((set.count / elapsedMs) * 1000),
  };
}
