// Decides how two searching threads hand each other states and agree where a depth ends, over shared memory.
import type { Batch } from "./batch.ts";
import { blocksOf, createBlocks, RING_BLOCKS } from "./exchange-blocks.ts";
import type { SharedBlocks } from "./exchange-blocks.ts";
import type { SearchProgress } from "./check-options.ts";
import type { Tally } from "./expansion.ts";
import { BLOCK_SHIFT } from "./state-lookup.ts";
import type { StateSet } from "./state-set.ts";

/** What a thread waits before it looks again on its own. */
const WAIT_MS = 50;

/** Places in the control words. Those with a place per thread take two, the second for thread 1. */
const STOP = 0;
const MARKS = 1;
const DEADLOCKS = 2;
const SENT = 3;
const TAKEN = 5;
const FINISHED = 7;
const DRAINED = 9;
const FRONTIER = 11;
const STATES = 13;
const BELL = 15;
const EDGES = 17;
const EXPANDED = 19;
/** In units of 1024, as bytes would not fit. */
const KIBIBYTES = 21;
/** Whether the second thread has its model and can take over; a depth plus one once it shall. */
const READY = 23;
const HANDED_OVER = 24;
const OWNER_WORD = 25;
/** What of its states of the depth a thread has not begun: their depth, the next block, the first index and that after the last. */
const OPEN_DEPTH = 26;
const OPEN_BLOCK = 28;
const OPEN_FROM = 30;
const OPEN_END = 32;
const CONTROL_WORDS = 34;

/** The memory that both threads and their parent share. */
export interface SharedMemory {
  readonly control: Int32Array;
  /** Of each direction, by sender. */
  readonly blocks: readonly SharedBlocks[];
}

export function createSharedMemory(words: number): SharedMemory {
  return {
    control: new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * Int32Array.BYTES_PER_ELEMENT)),
    blocks: [createBlocks(words), createBlocks(words)],
  };
}

/** Causes in the order of their codes; code 0 is no stop. */
const STOP_CODES = [
  null,
  "maxStates",
  "maxBytes",
  "maxSeconds",
  "cancelled",
  "decided",
  "refuted",
  "fault",
  "finished",
] as const;
export type StopCode = (typeof STOP_CODES)[number];

export function stop(control: Int32Array, cause: Exclude<StopCode, null>): void {
  Atomics.compareExchange(control, STOP, 0, STOP_CODES.indexOf(cause));
  for (const thread of [0, 1]) ring(control, thread);
}

export function stoppedBy(control: Int32Array): StopCode {
  return STOP_CODES[Atomics.load(control, STOP)] ?? null;
}

/** What the threads have done in all, for progress. Edges are modulo 2^32. */
export function totals(
  control: Int32Array,
): Pick<SearchProgress, "states" | "edges" | "depth" | "bytes"> & { expanded: number } {
  const sum = (place: number): number =>
    Atomics.load(control, place) + Atomics.load(control, place + 1);
  return {
    states: sum(STATES),
    edges: sum(EDGES) >>> 0,
    expanded: sum(EXPANDED),
    depth: Math.max(Atomics.load(control, DRAINED), Atomics.load(control, DRAINED + 1)),
    bytes: sum(KIBIBYTES) * 1024,
  };
}

/** What the first thread leaves to the second when it is no longer alone. */
export interface Handover {
  /** The depth of the states that both are about to expand. */
  readonly depth: number;
  /** The index after the last state that the first thread found. */
  readonly end: number;
  /** The word of a state that says whose it is. */
  readonly ownerWord: number;
}

export function isReady(control: Int32Array): boolean {
  return Atomics.load(control, READY) === 1;
}

export function handOver(control: Int32Array, { depth, end, ownerWord }: Handover): void {
  Atomics.store(control, OWNER_WORD, ownerWord);
  Atomics.store(control, OPEN_END, end);
  Atomics.store(control, HANDED_OVER, depth + 1);
  ring(control, 1);
}

/** Tells that the second thread has its model and can take over. */
export function becomeReady(control: Int32Array): void {
  Atomics.store(control, READY, 1);
}

/** Waits for the second thread's share; null once stopped, also where the share came with the stop. */
export function awaitHandover(control: Int32Array): Handover | null {
  for (;;) {
    const heard = Atomics.load(control, BELL + 1);
    if (stoppedBy(control) !== null) return null;
    const handed = Atomics.load(control, HANDED_OVER);
    if (handed > 0) {
      return {
        depth: handed - 1,
        end: Atomics.load(control, OPEN_END),
        ownerWord: Atomics.load(control, OWNER_WORD),
      };
    }
    Atomics.wait(control, BELL + 1, heard, WAIT_MS);
  }
}

/** Some states of one depth: a block's, or what the first or last block has of them. */
export interface Portion {
  readonly from: number;
  readonly to: number;
}

/** Offers the states from `from` up to `end`, which are a thread's own of this depth, to both threads. */
export function offer(
  control: Int32Array,
  part: number,
  depth: number,
  from: number,
  end: number,
): void {
  Atomics.store(control, OPEN_BLOCK + part, from >>> (BLOCK_SHIFT + 1));
  Atomics.store(control, OPEN_FROM + part, from);
  Atomics.store(control, OPEN_END + part, end);
  Atomics.store(control, OPEN_DEPTH + part, depth);
}

/** Takes a block of the states that a thread offered, if it has some left; null otherwise. */
export function takePortion(control: Int32Array, part: number, depth: number): Portion | null {
  if (Atomics.load(control, OPEN_DEPTH + part) !== depth) return null;
  const end = Atomics.load(control, OPEN_END + part);
  const block = Atomics.add(control, OPEN_BLOCK + part, 1);
  const first = ((block << 1) | part) << BLOCK_SHIFT;
  if (first >= end) return null;
  const from = Math.max(first, Atomics.load(control, OPEN_FROM + part));
  return { from, to: Math.min(first + (2 << BLOCK_SHIFT), end) };
}

function ring(control: Int32Array, thread: number): void {
  Atomics.add(control, BELL + thread, 1);
  Atomics.notify(control, BELL + thread);
}

export type Agreement =
  | { readonly kind: "awaited" }
  | { readonly kind: "stopped" }
  /** What both threads found: new states at one depth, marks and deadlocks at all. */
  | {
      readonly kind: "agreed";
      readonly frontier: number;
      readonly marked: number;
      readonly deadlocks: number;
    };

/** Exchange is one thread's end: a ring of blocks to the other, a ring from it, and the agreement on depths. */
export class Exchange {
  readonly #control: Int32Array;
  readonly #me: number;
  readonly #other: number;
  readonly #inbox: Batch[];
  readonly #outbox: Batch[];
  readonly #sentCounts: Uint32Array;
  readonly #receivedCounts: Uint32Array;

  constructor(memory: SharedMemory, words: number, me: number) {
    this.#control = memory.control;
    this.#me = me;
    this.#other = 1 - me;
    const [sent, received] = [me, this.#other].map((sender) => memory.blocks[sender]) as [
      SharedBlocks,
      SharedBlocks,
    ];
    this.#inbox = blocksOf(received, words);
    this.#outbox = blocksOf(sent, words);
    this.#sentCounts = sent.counts;
    this.#receivedCounts = received.counts;
  }

  /** The block to fill next, or null while all are on their way. */
  freeBlock(): Batch | null {
    const sent = Atomics.load(this.#control, SENT + this.#me);
    if (sent - Atomics.load(this.#control, TAKEN + this.#other) >= RING_BLOCKS) return null;
    return this.#outbox[sent % RING_BLOCKS] as Batch;
  }

  /** Sends the block that {@link freeBlock} gave. */
  send(block: Batch): void {
    const sent = Atomics.load(this.#control, SENT + this.#me);
    this.#sentCounts[sent % RING_BLOCKS] = block.count;
    block.count = 0;
    Atomics.store(this.#control, SENT + this.#me, sent + 1);
    ring(this.#control, this.#other);
  }

  /** The next block from the other thread, to be given back with {@link release}; null if none is there. */
  receive(): Batch | null {
    const taken = Atomics.load(this.#control, TAKEN + this.#me);
    if (Atomics.load(this.#control, SENT + this.#other) === taken) return null;
    const block = this.#inbox[taken % RING_BLOCKS] as Batch;
    block.count = this.#receivedCounts[taken % RING_BLOCKS] as number;
    return block;
  }

  release(): void {
    Atomics.add(this.#control, TAKEN + this.#me, 1);
    ring(this.#control, this.#other);
  }

  /** Tells that this thread sends no more at this depth. */
  finish(depth: number): void {
    Atomics.store(this.#control, FINISHED + this.#me, depth);
    ring(this.#control, this.#other);
  }

  /** Ask before {@link receive}: after a yes and an empty ring nothing more comes at this depth. */
  otherFinished(depth: number): boolean {
    return Atomics.load(this.#control, FINISHED + this.#other) >= depth;
  }

  /** Adds what this thread saw to what both did. */
  publish(marked: number, deadlocks: number): void {
    Atomics.or(this.#control, MARKS, marked);
    Atomics.add(this.#control, DEADLOCKS, deadlocks);
  }

  /** Tells how many states this thread found at the depth, all published. */
  tell(depth: number, frontier: number): void {
    Atomics.store(this.#control, FRONTIER + this.#me, frontier);
    Atomics.store(this.#control, DRAINED + this.#me, depth);
    ring(this.#control, this.#other);
  }

  /** What both found, once the other thread has told. Stopped before it has, it never will. */
  agreement(depth: number): Agreement {
    const control = this.#control;
    // The stop is read first: the other thread may tell, agree and stop between the two reads, and what it told counts.
    const isStopped = stoppedBy(control) !== null;
    if (Atomics.load(control, DRAINED + this.#other) < depth) {
      return { kind: isStopped ? "stopped" : "awaited" };
    }
    return {
      kind: "agreed",
      frontier: Atomics.load(control, FRONTIER) + Atomics.load(control, FRONTIER + 1),
      marked: Atomics.load(control, MARKS),
      deadlocks: Atomics.load(control, DEADLOCKS),
    };
  }

  /** Publishes this thread's counts and returns the other's states. */
  count(set: StateSet, tally: Tally): number {
    const control = this.#control;
    Atomics.store(control, STATES + this.#me, set.count);
    Atomics.store(control, EDGES + this.#me, tally.edges | 0);
    Atomics.store(control, EXPANDED + this.#me, tally.expanded);
    Atomics.store(control, KIBIBYTES + this.#me, set.bytes / 1024);
    return Atomics.load(control, STATES + this.#other);
  }

  /** How often the bell rang: read it, look at everything, and {@link wait} if there was nothing to do. */
  hear(): number {
    return Atomics.load(this.#control, BELL + this.#me);
  }

  /** Waits for the bell. Where it stays silent the event loop has its turn: that the other thread died is heard there. */
  async wait(heard: number): Promise<void> {
    if (Atomics.wait(this.#control, BELL + this.#me, heard, WAIT_MS) !== "timed-out") return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
