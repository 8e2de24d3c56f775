// Whether the answers of one key are those of a store that takes each operation at one moment.
import { createOpenPool, type OpenPool } from "./open-operations.ts";
import type { Operation } from "./operations.ts";
import type { SequentialSpec } from "./sequential-spec.ts";

export type LinearizabilityResult =
  | { readonly kind: "ok" }
  | {
      readonly kind: "illegal";
      /** The first completed operation whose answer nothing explains. */
      readonly operation: Operation;
      /** How many operations had completed, and were explained, before. */
      readonly explained: number;
    }
  | { readonly kind: "unknown"; readonly operation: Operation };

export interface LinearizabilityOptions {
  /** How many configurations are looked at, at most, to explain one completion. */
  readonly maxStates?: number;
}

/**
 * Just-in-time linearization: a frontier of configurations (a state, and which operations have taken
 * effect although they have not completed) goes from completion to completion; each completion is
 * explained by taking some of the operations under way, in some order, and the completed one last.
 *
 * The operations of one key, `unavailable` ones left out. An indeterminate one that completed (the
 * call rejected) took effect before that or never; one that never completed may take effect at any
 * later moment. Of configurations in the same state the one with fewer taken of those serves for
 * both, as whatever never completed can always be left out; and of those that nobody can tell apart
 * (see `open-operations.ts`) one is tried for all. Ends with `unknown` beyond the bound.
 *
 * Gavin Lowe, *Testing for linearizability* (2017); the three results are porcupine's.
 */
export function checkLinearizable<State>(
  operations: readonly Operation[],
  spec: SequentialSpec<State>,
  { maxStates = 100_000 }: LinearizabilityOptions = {},
): LinearizabilityResult {
  const pool = createOpenPool(operations);
  const search: Search<State> = { spec, pool, maxStates, underWay: [] };
  let frontier: readonly Configuration<State>[] = [{ state: spec.initial, taken: [] }];
  let explained = 0;
  for (const { operation, completes } of steps(operations)) {
    if (!completes) {
      if (isOpen(operation)) pool.add(operation);
      else search.underWay.push(operation);
      continue;
    }
    const next = explain(search, frontier, operation);
    if (next === undefined) return { kind: "unknown", operation };
    if (next.length === 0) return { kind: "illegal", operation, explained };
    search.underWay.splice(search.underWay.indexOf(operation), 1);
    pool.completed(operation);
    frontier = forgetTakenByAll(pool, next);
    explained += 1;
  }
  return { kind: "ok" };
}

interface Configuration<State> {
  readonly state: State;
  /** Operations that have taken effect and not completed. */
  readonly taken: readonly Operation[];
}

interface Search<State> {
  readonly spec: SequentialSpec<State>;
  readonly pool: OpenPool;
  readonly maxStates: number;
  /** Invoked and not yet completed; those that never complete are in the pool. */
  readonly underWay: Operation[];
}

function isOpen({ completedIndex }: Operation): boolean {
  return completedIndex === Infinity;
}

interface HistoryStep {
  readonly operation: Operation;
  readonly completes: boolean;
}

/** Invocations and completions in the order of the history. */
function steps(operations: readonly Operation[]): readonly HistoryStep[] {
  const completions = operations.filter((operation) => !isOpen(operation));
  completions.sort((one, other) => one.completedIndex - other.completedIndex);
  const merged: HistoryStep[] = [];
  let next = 0;
  for (const operation of operations) {
    for (; next < completions.length; next += 1) {
      const completion = completions[next];
      if (completion === undefined || completion.completedIndex > operation.invokedIndex) break;
      merged.push({ operation: completion, completes: true });
    }
    merged.push({ operation, completes: false });
  }
  for (const operation of completions.slice(next)) merged.push({ operation, completes: true });
  return merged;
}

/** The configurations after a completion; none if nothing explains it, undefined beyond the bound. */
function explain<State>(
  search: Search<State>,
  frontier: readonly Configuration<State>[],
  goal: Operation,
): readonly Configuration<State>[] | undefined {
  const simple = explainAlone(search, frontier, goal);
  if (simple !== undefined) return simple;
  const explained = new Frontier(search.spec);
  const visited = new Frontier(search.spec);
  for (const configuration of frontier) visited.add(configuration);
  const queue = [...frontier];
  for (let place = 0; place < queue.length; place += 1) {
    const configuration = queue[place];
    if (configuration === undefined) break;
    if (place >= search.maxStates) return undefined;
    const { state, taken } = configuration;
    if (taken.includes(goal)) {
      explained.add({ state, taken: taken.filter((each) => each !== goal) });
      continue;
    }
    // The call rejected at a crash: it may never have taken effect.
    if (goal.answer.outcome === "indeterminate") explained.add(configuration);
    for (const after of search.spec.apply(state, goal, goal.atMs, goal.latestMs))
      explained.add({ state: after, taken });
    for (const candidate of candidates(search, configuration, goal)) {
      const toMs = Math.min(candidate.latestMs, goal.latestMs);
      for (const after of search.spec.apply(state, candidate, candidate.atMs, toMs)) {
        const following = { state: after, taken: [...taken, candidate] };
        if (visited.add(following)) queue.push(following);
      }
    }
  }
  return explained.all();
}

/** The frequent case, in short: one state, nothing else under way, one way to explain it. */
function explainAlone<State>(
  { spec, pool, underWay }: Search<State>,
  frontier: readonly Configuration<State>[],
  goal: Operation,
): readonly Configuration<State>[] | undefined {
  const [only] = frontier;
  if (only === undefined || frontier.length > 1 || underWay.length > 1 || !pool.isEmpty())
    return undefined;
  if (only.taken.length > 0 || goal.answer.outcome === "indeterminate") return undefined;
  const states = spec.apply(only.state, goal, goal.atMs, goal.latestMs);
  return states.length > 1 ? undefined : states.map((state) => ({ state, taken: [] }));
}

/** The operations that may take effect next, before the goal does. */
function candidates<State>(
  { spec, pool, underWay }: Search<State>,
  { state, taken }: Configuration<State>,
  goal: Operation,
): readonly Operation[] {
  const may = underWay.filter((each) => each !== goal && !taken.includes(each));
  if (pool.isEmpty()) return may;
  const holder = spec.holderOf(state, goal.latestMs);
  const own = holder === undefined ? [] : pool.ofToken(holder.token);
  const open = own.filter((each) => !taken.includes(each));
  if (holder?.alone === true) return [...may, ...open];
  const others = pool.representatives(
    (each) => each.token !== holder?.token && !taken.includes(each),
    // What is under way may be explained before the goal is, and not otherwise.
    (each) => spec.mayMatter(each, goal) || may.some((other) => spec.mayMatter(each, other)),
  );
  return [...may, ...open, ...others];
}

/** Configurations by state and by what completes later, none of which another one serves for. */
class Frontier<State> {
  readonly #spec: SequentialSpec<State>;
  readonly #byName = new Map<string, Configuration<State>[]>();

  constructor(spec: SequentialSpec<State>) {
    this.#spec = spec;
  }

  /** False where a configuration that is there serves for this one. */
  add(configuration: Configuration<State>): boolean {
    const name = this.#spec.nameOf(configuration.state);
    const alike = this.#byName.get(name);
    if (alike === undefined) {
      this.#byName.set(name, [configuration]);
      return true;
    }
    if (alike.some((other) => servesFor(other.taken, configuration.taken))) return false;
    const kept = alike.filter((other) => !servesFor(configuration.taken, other.taken));
    this.#byName.set(name, [...kept, configuration]);
    return true;
  }

  all(): readonly Configuration<State>[] {
    return [...this.#byName.values()].flat();
  }
}

/** Whether all is taken in the other too, and nothing more there but what can be left out. */
function servesFor(taken: readonly Operation[], other: readonly Operation[]): boolean {
  return (
    taken.length <= other.length &&
    taken.every((each) => other.includes(each)) &&
    other.every((each) => isOpen(each) || taken.includes(each))
  );
}

/** What every configuration has taken is out of the game. */
function forgetTakenByAll<State>(
  pool: OpenPool,
  frontier: readonly Configuration<State>[],
): readonly Configuration<State>[] {
  const [first] = frontier;
  if (first === undefined || first.taken.length === 0) return frontier;
  const byAll = first.taken.filter(
    (each) => isOpen(each) && frontier.every(({ taken }) => taken.includes(each)),
  );
  if (byAll.length === 0) return frontier;
  for (const operation of byAll) pool.remove(operation);
  return frontier.map(({ state, taken }) => ({
    state,
    taken: taken.filter((each) => !byAll.includes(each)),
  }));
}
