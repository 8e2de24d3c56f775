// Decides what one of two searching threads does: expands its own states, keeps its own successors, sends the others.
import { parentPort, workerData } from "node:worker_threads";
import { NO_ORIGIN } from "./batch.ts";
import type { Batch } from "./batch.ts";
import type { SearchBounds, SearchSettings } from "./check-options.ts";
import { Exchange, ownerOf, stop, stoppedBy } from "./exchange.ts";
import type { SharedMemory } from "./exchange.ts";
import { createTally, Expander, initialStates } from "./expansion.ts";
import type { Tally } from "./expansion.ts";
import type { ModelModule, ModelReference } from "./model.ts";
import { decides } from "./search.ts";
import { hashStates } from "./state-hash.ts";
import { MAX_INDEXED_STATES } from "./state-index.ts";
import { StateSet } from "./state-set.ts";

/** What a thread is given. */
export interface WorkerTask {
  readonly reference: ModelReference;
  readonly settings: Pick<SearchSettings, "symmetry" | "stopWhen" | "judgeDeadlock">;
  readonly bounds: SearchBounds;
  readonly me: number;
  readonly memory: SharedMemory;
  readonly records: Uint32Array;
}

/** What it gives back. */
export interface WorkerReport {
  readonly kind: "report";
  readonly me: number;
  readonly count: number;
  readonly end: number;
  readonly tally: Tally;
  readonly depthStarts: readonly number[];
  /** The last depth that both threads expanded in full. */
  readonly depth: number;
  readonly bytes: number;
  readonly maxPauseMs: number;
}

export interface WorkerFault {
  readonly kind: "fault";
  readonly message: string;
}

/** Inserting races with the other thread's count by at most what it inserts meanwhile. */
const LATE_STATES = 2048;

/** Indices of both threads together are below 2^28. */
const MAX_OWN_STATES = MAX_INDEXED_STATES / 2 - LATE_STATES;

class Searcher {
  readonly #task: WorkerTask;
  readonly #set: StateSet;
  readonly #expander: Expander;
  readonly #exchange: Exchange;
  readonly #tally = createTally();
  readonly #depthStarts: number[];
  readonly #control: Int32Array;
  #outgoing: Batch | null = null;
  #depth = -1;

  constructor(task: WorkerTask, expander: Expander) {
    const { words } = expander.model;
    const { me, memory, records } = task;
    this.#task = task;
    this.#expander = expander;
    this.#set = new StateSet({ words, ...task.bounds }, { part: me, parts: 2, records });
    this.#exchange = new Exchange(memory, words, me);
    this.#control = memory.control;
    this.#depthStarts = [this.#set.next];
  }

  run(): WorkerReport {
    const enough = decides(this.#expander.model, this.#task.settings);
    this.#insertInitial();
    let head = this.#depthStarts[0] as number;
    for (let depth = 1; ; depth += 1) {
      const end = this.#set.next;
      if (depth > 1) this.#depthStarts.push(head);
      const before = this.#set.count;
      const deadlocksBefore = this.#tally.deadlocks;
      head = this.#expandDepth(head, end, depth);
      if (stoppedBy(this.#control) !== null) break;
      const { marked, deadlocks } = this.#tally;
      const both = this.#exchange.agree(
        depth,
        this.#set.count - before,
        marked,
        deadlocks - deadlocksBefore,
      );
      if (both === null) break;
      this.#depth = depth - 1;
      if (both.frontier === 0) break;
      const cause = enough({ ...this.#tally, ...both });
      if (cause === null) continue;
      stop(this.#control, cause);
      break;
    }
    return this.#report();
  }

  /** Both threads see all initial states, and each keeps its own. */
  #insertInitial(): void {
    const initial = initialStates(this.#expander.model);
    const { batch } = this.#expander;
    for (let from = 0; from * batch.words < initial.length;) {
      from += this.#expander.fillInitial(initial, from, NO_ORIGIN);
      this.#keepOwn(false);
      this.#insert(batch);
    }
  }

  #expandDepth(from: number, end: number, depth: number): number {
    let head = from;
    while (head !== end && stoppedBy(this.#control) === null) {
      head = this.#expander.expandBatch(this.#set, head, end, this.#tally);
      this.#keepOwn(true);
      this.#insert(this.#expander.batch);
      while (this.#takeOne());
    }
    this.#sendRest();
    this.#exchange.finish(depth);
    for (;;) {
      const heard = this.#exchange.hear();
      const last = this.#exchange.otherFinished(depth);
      if (this.#takeOne()) continue;
      if (last || stoppedBy(this.#control) !== null) return head;
      this.#exchange.wait(heard);
    }
  }

  /** Leaves this thread's states in the expander's batch, and sends the others if wanted. */
  #keepOwn(send: boolean): void {
    const { batch } = this.#expander;
    const { states, origins, hashes, words, count } = batch;
    const { me } = this.#task;
    let kept = 0;
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i] as number;
      if (ownerOf(hash) === me) {
        for (let word = 0; word < words; word += 1) {
          states[kept * words + word] = states[i * words + word] as number;
        }
        origins[kept] = origins[i] as number;
        hashes[kept] = hash;
        kept += 1;
      } else if (send) {
        this.#send(states, i * words, origins[i] as number);
      }
    }
    batch.count = kept;
  }

  #send(states: Uint32Array, at: number, origin: number): void {
    const block = this.#outgoing ?? this.#awaitBlock();
    if (block === null) return;
    this.#outgoing = block;
    const { words } = block;
    const to = block.count;
    for (let word = 0; word < words; word += 1) {
      block.states[to * words + word] = states[at + word] as number;
    }
    block.origins[to] = origin;
    block.count = to + 1;
    if (block.count === block.origins.length) this.#sendRest();
  }

  #sendRest(): void {
    if (this.#outgoing !== null) this.#exchange.send(this.#outgoing);
    this.#outgoing = null;
  }

  /** Takes in what came while no block is free, or both threads would wait for each other; null once stopped. */
  #awaitBlock(): Batch | null {
    for (;;) {
      const heard = this.#exchange.hear();
      const block = this.#exchange.freeBlock();
      if (block !== null || stoppedBy(this.#control) !== null) return block;
      if (!this.#takeOne()) this.#exchange.wait(heard);
    }
  }

  #takeOne(): boolean {
    const block = this.#exchange.receive();
    if (block === null) return false;
    hashStates(block.states, block.count, block.words, block.hashes);
    this.#insert(block);
    this.#exchange.release();
    return true;
  }

  #insert(batch: Batch): void {
    const set = this.#set;
    const others = this.#exchange.count(set, this.#tally);
    const { maxStates } = this.#task.bounds;
    const before = set.next;
    const outcome = set.insert(batch, Math.min(MAX_OWN_STATES, maxStates - others - LATE_STATES));
    this.#expander.mark(set, before, set.next, this.#tally);
    if (outcome !== "done") stop(this.#control, outcome);
  }

  #report(): WorkerReport {
    const { count, next, bytes, maxPauseMs } = this.#set;
    return {
      kind: "report",
      me: this.#task.me,
      count,
      end: next,
      tally: this.#tally,
      depthStarts: this.#depthStarts,
      depth: this.#depth,
      bytes,
      maxPauseMs,
    };
  }
}

async function main(task: WorkerTask): Promise<WorkerReport | WorkerFault> {
  try {
    const module = (await import(task.reference.module)) as ModelModule;
    const model = module.createModel(task.reference.options);
    return new Searcher(task, new Expander(model, task.settings.symmetry)).run();
  } catch (error) {
    stop(task.memory.control, "fault");
    return { kind: "fault", message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(await main(workerData as WorkerTask));
