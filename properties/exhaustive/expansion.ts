// Decides what the next step from every state is: expands states of the queue into a batch and tallies what it saw.
import { BATCH_STATES, createBatch, selectAll } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { RecentStates } from "./recent-states.ts";
import { hashBatch } from "./state-hash.ts";
import type { StateSet } from "./state-set.ts";
import type { PackedModel } from "./model.ts";

/** What a search has seen so far. Indices are those of the set; -1 for none. */
export interface Tally {
  expanded: number;
  edges: number;
  ends: number;
  deadlocks: number;
  firstDeadlock: number;
  /** The bits that some state carried, and the first state to carry each. */
  marked: number;
  readonly firstMarked: Int32Array;
}

export function createTally(): Tally {
  return {
    expanded: 0,
    edges: 0,
    ends: 0,
    deadlocks: 0,
    firstDeadlock: -1,
    marked: 0,
    firstMarked: new Int32Array(32).fill(-1),
  };
}

/** ModelFault tells how a model broke the contract of {@link PackedModel}. */
export class ModelFault extends Error {
  override readonly name = "ModelFault";
}

/** Expander owns the buffers through which states of one set become successors. */
export class Expander {
  readonly batch: Batch;
  readonly model: PackedModel;
  readonly symmetry: boolean;
  readonly #recent: RecentStates;
  readonly #actions: Uint32Array;

  constructor(model: PackedModel, symmetry: boolean) {
    this.model = model;
    this.symmetry = symmetry;
    this.batch = createBatch(model.words, BATCH_STATES + model.maxSuccessors);
    this.#recent = new RecentStates(model.words);
    this.#actions = new Uint32Array(model.maxSuccessors);
  }

  /** Fills the batch with the successors of states from `head` on, up to `end`, and returns the new head. */
  expandBatch(set: StateSet, head: number, end: number, tally: Tally): number {
    const { model, batch } = this;
    const { states, origins, words } = batch;
    const { records, stride } = set;
    const { maxSuccessors } = model;
    const actions = this.#actions;
    let next = head;
    let count = 0;
    let expanded = 0;
    while (next !== end && count < BATCH_STATES) {
      const at = Math.imul(next, stride);
      const added = model.expand(records, at, states, Math.imul(count, words), actions);
      if (added === 0) this.#tallyEnd(records, at, next, tally);
      else if (added > maxSuccessors) throw tooMany(model, added);
      const after = (count + added) | 0;
      for (let i = count; i < after; i = (i + 1) | 0) origins[i] = next;
      count = after;
      next = set.following(next);
      expanded += 1;
    }
    batch.count = count;
    tally.expanded += expanded;
    tally.edges += count;
    this.#canonicalise();
    this.#recent.hashAndSelect(batch);
    return next;
  }

  /** Makes the batch ready to be looked up, all of it: representatives, if wanted, and hashes. */
  prepare(): void {
    this.#canonicalise();
    hashBatch(this.batch);
    selectAll(this.batch);
  }

  /** Fills the batch with the initial states from the `from`-th on, and returns how many. */
  fillInitial(initial: Uint32Array, from: number, origin: number): number {
    const { states, origins, words } = this.batch;
    const count = Math.min(BATCH_STATES, initial.length / words - from);
    states.set(initial.subarray(from * words, (from + count) * words));
    origins.fill(origin, 0, count);
    this.batch.count = count;
    this.prepare();
    return count;
  }

  /** Asks for the marks of the states from `from` up to `to` and remembers the first state of each bit. */
  mark(set: StateSet, from: number, to: number, tally: Tally): void {
    const { model } = this;
    let { marked } = tally;
    for (let index = from; index !== to; index = set.following(index)) {
      const marks = model.marks(set.records, index * set.stride);
      const fresh = marks & ~marked;
      if (fresh === 0) continue;
      marked |= fresh;
      for (let bit = 0; bit < 32; bit += 1) if ((fresh >>> bit) & 1) tally.firstMarked[bit] = index;
    }
    tally.marked = marked;
  }

  #canonicalise(): void {
    if (!this.symmetry) return;
    const { states, count, words } = this.batch;
    const { model } = this;
    for (let i = 0; i < count; i += 1) model.canonicalise?.(states, i * words);
  }

  #tallyEnd(records: Uint32Array, at: number, index: number, tally: Tally): void {
    if (this.model.isEnd?.(records, at) === true) {
      tally.ends += 1;
      return;
    }
    tally.deadlocks += 1;
    if (tally.firstDeadlock < 0) tally.firstDeadlock = index;
  }
}

export function initialStates(model: PackedModel): Uint32Array {
  const initial = model.initial();
  if (initial.length === 0 || initial.length % model.words !== 0) {
    throw new ModelFault(
      `initial() gave no whole states: model=${model.name} elements=${initial.length} words=${model.words}; return count * words elements`,
    );
  }
  return initial;
}

function tooMany(model: PackedModel, added: number): ModelFault {
  return new ModelFault(
    `a state has more successors than declared: model=${model.name} successors=${added} maxSuccessors=${model.maxSuccessors}; raise maxSuccessors`,
  );
}
