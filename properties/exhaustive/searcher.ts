// Decides what one of two searching threads does: expands its states, keeps those successors that are its own, sends the others.
import {
  BATCH_STATES,
  createBatch,
  LARGEST_BATCH,
  NO_ORIGIN,
  selectAll,
  selectFrom,
} from "./batch.ts";
import type { Batch } from "./batch.ts";
import type { SearchBounds, SearchSettings } from "./check-options.ts";
import { Exchange, handOver, isReady, offer, stop, stoppedBy, takePortion } from "./exchange.ts";
import { BLOCK_STATES } from "./exchange-blocks.ts";
import type { Handover, Portion, SharedMemory } from "./exchange.ts";
import { keepOwn, splitByOwner } from "./owner.ts";
import { chooseOwnerWord } from "./owner-word.ts";
import { createTally, Expander, initialStates } from "./expansion.ts";
import type { Tally } from "./expansion.ts";
import type { PackedModel } from "./model.ts";
import { decides } from "./search.ts";
import { hashBatch } from "./state-hash.ts";
import { mostRecords } from "./state-index.ts";
import { BLOCK_SHIFT } from "./state-lookup.ts";
import { StateSet } from "./state-set.ts";

/** What a thread searches with. */
export interface SearcherTask {
  readonly settings: Pick<SearchSettings, "symmetry" | "stopWhen" | "judgeDeadlock">;
  readonly bounds: SearchBounds;
  /** 0 begins alone and hands over; 1 takes over. */
  readonly me: number;
  readonly memory: SharedMemory;
  readonly records: Uint32Array;
  /** So many states at one depth are worth a second thread. */
  readonly handOverAt: number;
}

/** What it gives back. */
export interface SearcherReport {
  readonly kind: "report";
  readonly me: number;
  readonly count: number;
  readonly end: number;
  readonly tally: Tally;
  readonly depthStarts: readonly number[];
  /** The last depth that was expanded in full. */
  readonly depth: number;
  /** Whether the depth after it has no states, as all agreed. A thread that stopped before may have lost states. */
  readonly isFinished: boolean;
  readonly bytes: number;
  readonly maxPauseMs: number;
}

/** Called after every batch: null, or what to wait for before the next. */
export type Breathe = () => Promise<void> | null;

/** Inserting races with the other thread's count by at most what it inserts meanwhile. */
const LATE_STATES = LARGEST_BATCH;

export class Searcher {
  readonly #task: SearcherTask;
  readonly #set: StateSet;
  readonly #expander: Expander;
  readonly #exchange: Exchange;
  readonly #tally = createTally();
  readonly #depthStarts: number[];
  readonly #control: Int32Array;
  #outgoing: Batch | null = null;
  #isAlone: boolean;
  #ownerWord = 0;
  #depth = -1;
  #isFinished = false;

  constructor(task: SearcherTask, model: PackedModel) {
    const { words } = model;
    const { me, memory, records } = task;
    this.#task = task;
    this.#expander = new Expander(model, task.settings.symmetry);
    this.#set = new StateSet({ words, ...task.bounds }, { part: me, parts: 2, records });
    this.#exchange = new Exchange(memory, words, me);
    this.#control = memory.control;
    this.#depthStarts = [this.#set.next];
    this.#isAlone = me === 0;
  }

  /** Searches from the initial states, alone until it pays to hand over. */
  async begin(breathe: Breathe): Promise<SearcherReport> {
    this.#insertInitial();
    return this.#search(this.#depthStarts[0] as number, this.#set.next, 0, breathe);
  }

  /** Takes over a share of the first thread's states, and all that are this thread's own. */
  async takeOver({ depth, end, ownerWord }: Handover, breathe: Breathe): Promise<SearcherReport> {
    this.#ownerWord = ownerWord;
    this.#adoptOwn(end);
    for (let each = 0; each < depth; each += 1) this.#depthStarts.push(this.#set.next);
    this.#depth = depth - 1;
    return this.#search(this.#set.next, this.#set.next, depth, breathe);
  }

  /** Expands the states from `from` up to `to`, which have this depth, then its own of each depth that follows. */
  async #search(
    from: number,
    to: number,
    first: number,
    breathe: Breathe,
  ): Promise<SearcherReport> {
    const enough = decides(this.#expander.model, this.#task.settings);
    let [head, end] = [from, to];
    for (let depth = first; stoppedBy(this.#control) === null; depth += 1) {
      const starts = this.#set.next;
      const before = { count: this.#set.count, deadlocks: this.#tally.deadlocks };
      this.#shareOut(head, end, depth);
      offer(this.#control, this.#task.me, depth + 1, head, end);
      await this.#expandDepth(depth + 1, breathe);
      this.#depthStarts.push(starts);
      if (stoppedBy(this.#control) !== null) break;
      const found = await this.#agree(depth + 1, before);
      if (found === null) break;
      this.#depth = depth;
      this.#isFinished = found.frontier === 0;
      if (this.#isFinished) break;
      [head, end] = [starts, this.#set.next];
      const cause = enough({ ...this.#tally, ...found });
      if (cause !== null) stop(this.#control, cause);
    }
    return this.#report();
  }

  /** Lets the second thread, if it waits for that, take part from here on, where the states of the depth are many. */
  #shareOut(head: number, end: number, depth: number): void {
    if (!this.#isAlone || !isReady(this.#control)) return;
    // Half of the numbers between are the other thread's.
    if (end - head < 2 * this.#task.handOverAt) return;
    this.#isAlone = false;
    this.#ownerWord = chooseOwnerWord(this.#set, this.#expander, head, end);
    handOver(this.#control, { depth, end, ownerWord: this.#ownerWord });
  }

  async #agree(depth: number, before: { readonly count: number; readonly deadlocks: number }) {
    const frontier = this.#set.count - before.count;
    const { marked, deadlocks } = this.#tally;
    this.#exchange.publish(marked, deadlocks - before.deadlocks);
    if (this.#isAlone) return { frontier, marked, deadlocks };
    this.#exchange.tell(depth, frontier);
    for (;;) {
      const heard = this.#exchange.hear();
      const agreement = this.#exchange.agreement(depth);
      if (agreement.kind === "agreed") return agreement;
      if (agreement.kind === "stopped") return null;
      await this.#exchange.wait(heard);
    }
  }

  #insertInitial(): void {
    const initial = initialStates(this.#expander.model);
    const { batch } = this.#expander;
    for (let from = 0; from * batch.words < initial.length;) {
      from += this.#expander.fillInitial(initial, from, NO_ORIGIN);
      this.#insert(batch);
    }
  }

  /** Enters those of the states that the first thread found alone, up to `end`, that are this thread's. */
  #adoptOwn(end: number): void {
    const { records, stride, words } = this.#set;
    const batch = createBatch(words, 1 << BLOCK_SHIFT);
    for (let from = 0; from < end; from += 2 << BLOCK_SHIFT) {
      const to = Math.min(end, from + (1 << BLOCK_SHIFT));
      for (let index = from; index < to; index += 1) {
        const at = (index - from) * words;
        for (let word = 0; word < words; word += 1) {
          batch.states[at + word] = records[index * stride + word] as number;
        }
        batch.origins[index - from] = index;
      }
      batch.count = to - from;
      hashBatch(batch);
      selectAll(batch);
      keepOwn(batch, this.#task.me, this.#ownerWord);
      if (!this.#set.adopt(batch)) return stop(this.#control, "maxBytes");
    }
  }

  /** Expands this thread's states of the depth before this one, block by block, then those that the other has not begun. */
  async #expandDepth(depth: number, breathe: Breathe): Promise<void> {
    const { me } = this.#task;
    for (const part of this.#isAlone ? [me] : [me, 1 - me]) {
      let portion = takePortion(this.#control, part, depth);
      for (; portion !== null; portion = takePortion(this.#control, part, depth)) {
        await this.#expandPortion(portion, breathe);
      }
    }
    if (!this.#isAlone) await this.#finishDepth(depth);
  }

  async #expandPortion({ from, to }: Portion, breathe: Breathe): Promise<void> {
    let head = from;
    while (head !== to && stoppedBy(this.#control) === null) {
      head = this.#expander.expandBatch(this.#set, head, to, this.#tally);
      if (!this.#isAlone) {
        if (!this.#hasOpenBlock()) await this.#openBlock();
        this.#sendOthers();
      }
      this.#insert(this.#expander.batch);
      while (!this.#isAlone && this.#takeOne());
      const pause = breathe();
      if (pause !== null) await pause;
    }
  }

  /** Takes in what comes until the other thread sends no more at this depth. */
  async #finishDepth(depth: number): Promise<void> {
    this.#sendRest();
    this.#exchange.finish(depth);
    for (;;) {
      const heard = this.#exchange.hear();
      const last = this.#exchange.otherFinished(depth);
      if (this.#takeOne()) continue;
      if (last || stoppedBy(this.#control) !== null) return;
      await this.#exchange.wait(heard);
    }
  }

  /** Whether the states of the expander's batch fit into the block that is being filled. */
  #hasOpenBlock(): boolean {
    const { selected } = this.#expander.batch;
    return this.#outgoing !== null && this.#outgoing.count + selected <= BLOCK_STATES;
  }

  /**
   * Begins a block, and takes in what came while none is free, or both threads would wait for each other. Once stopped
   * there is none.
   */
  async #openBlock(): Promise<void> {
    this.#sendRest();
    while (this.#outgoing === null && stoppedBy(this.#control) === null) {
      const heard = this.#exchange.hear();
      this.#outgoing = this.#exchange.freeBlock();
      if (this.#outgoing === null && !this.#takeOne()) await this.#exchange.wait(heard);
    }
  }

  #sendOthers(): void {
    const { batch } = this.#expander;
    const { me } = this.#task;
    // Stopped, the other thread's states are lost, not kept here: it may have them already, and they would count twice.
    if (this.#outgoing === null) keepOwn(batch, me, this.#ownerWord);
    else splitByOwner(batch, this.#outgoing, me, this.#ownerWord);
  }

  #sendRest(): void {
    if (this.#outgoing !== null) this.#exchange.send(this.#outgoing);
    this.#outgoing = null;
  }

  #takeOne(): boolean {
    const block = this.#exchange.receive();
    if (block === null) return false;
    hashBatch(block);
    // As many at once as fit the processor's cache with what is fetched for them.
    for (let from = 0; from < block.count; from += BATCH_STATES) {
      selectFrom(block, from, Math.min(block.count, from + BATCH_STATES));
      this.#insert(block);
    }
    this.#exchange.release();
    return true;
  }

  #insert(batch: Batch): void {
    const set = this.#set;
    const others = this.#exchange.count(set, this.#tally);
    const { maxStates } = this.#task.bounds;
    const before = set.next;
    // Either thread has half of the indices, in blocks that take turns.
    const most = mostRecords(set.words) / 2 - LATE_STATES;
    const outcome = set.insert(batch, Math.min(most, maxStates - others - LATE_STATES));
    this.#expander.mark(set, before, set.next, this.#tally);
    if (outcome !== "done") stop(this.#control, outcome);
  }

  #report(): SearcherReport {
    const { count, next, bytes, maxPauseMs } = this.#set;
    return {
      kind: "report",
      me: this.#task.me,
      count,
      end: next,
      tally: this.#tally,
      depthStarts: this.#depthStarts,
      depth: this.#depth,
      isFinished: this.#isFinished,
      bytes,
      maxPauseMs,
    };
  }
}
