// What one of two threads reports where it is stopped in the middle of a depth: each state once, and never that all was searched.
import { expect, test } from "vitest";
import { BATCH_STATES, LARGEST_BATCH, MOST_SUCCESSORS } from "./batch.ts";
import { becomeReady, createSharedMemory, Exchange, stop } from "./exchange.ts";
import { reserveShared } from "./exchange-blocks.ts";
import type { SharedMemory } from "./exchange.ts";
import type { PackedModel } from "./model.ts";
import { ownerOf } from "./owner.ts";
import { join } from "./parallel-search.ts";
import { Searcher } from "./searcher.ts";
import type { Breathe, SearcherReport } from "./searcher.ts";
import { depthOf } from "./state-graph.ts";
import { BLOCK_SHIFT } from "./state-lookup.ts";

/** Begins in as many states as numbers are given; each has that number of successors of its own, which have none. */
function broom(reaches: readonly number[], isKept = (_: number): boolean => true): PackedModel {
  const heads = reaches.length;
  const bristles: number[][] = [];
  let state = heads;
  for (const reach of reaches) {
    const own: number[] = [];
    for (; own.length < reach; state += 1) if (isKept(state)) own.push(state);
    bristles.push(own);
  }
  return {
    name: "broom",
    words: 1,
    maxSuccessors: Math.max(...reaches),
    properties: [],
    initial: () => Uint32Array.from({ length: heads }, (_, head) => head),
    expand(states, at, out, outAt) {
      const own = bristles[states[at] as number] ?? [];
      out.set(own, outAt);
      return own.length;
    },
    marks: () => 0,
    isEnd: () => true,
    describeAction: () => ({ actor: "broom", action: "sweep", detail: "" }),
    describeState: (state) => ({ state: state[0] as number }),
  };
}

/** The first thread, which hands over at once to a second that never answers. */
async function searchBesideNobody(
  model: PackedModel,
  breathe: (memory: SharedMemory) => Breathe,
  memory = createSharedMemory(model.words),
): Promise<{ readonly report: SearcherReport; readonly records: Uint32Array }> {
  const records = reserveShared((1 << 20) * (model.words + 1));
  const searcher = new Searcher(
    {
      settings: { symmetry: false, stopWhen: "exhausted", judgeDeadlock: false },
      bounds: { maxStates: 1 << 20, maxBytes: 2 ** 26, maxSeconds: 60 },
      me: 0,
      memory,
      records,
      handOverAt: 0,
    },
    model,
  );
  becomeReady(memory.control);
  return { report: await searcher.begin(breathe(memory)), records };
}

test("a thread stopped while all blocks are under way keeps no state of the other's", async () => {
  const heads = 64;
  const { report, records } = await searchBesideNobody(
    broom(Array.from({ length: heads }, () => 2048)),
    ({ control }) => {
      // It yields for the first time where it waits for a block.
      setImmediate(() => stop(control, "maxSeconds"));
      return () => null;
    },
  );
  const owners = new Set<number>();
  for (let index = heads; index < report.end; index += 1) {
    if ((index >>> BLOCK_SHIFT) % 2 === 0) owners.add(ownerOf(records[index * 2] as number));
  }
  expect([...owners]).toEqual([0]);
});

test("what a stopped thread found of a depth that is not finished lies at that depth", async () => {
  const model = broom([8], (state) => ownerOf(state) === 0);
  const { report, records } = await searchBesideNobody(model, ({ control }) => () => {
    stop(control, "cancelled");
    return null;
  });
  const graph = join(model, records, [report], "cancelled");
  expect([0, 1, 8].map((index) => depthOf(graph, index))).toEqual([0, 1, 1]);
  expect(graph.depth).toBe(-1);
});

test("an empty queue is no finished search while states are under way to the other thread", async () => {
  const model = broom([8], (state) => ownerOf(state) === 1);
  const { report, records } = await searchBesideNobody(model, ({ control }) => () => {
    stop(control, "cancelled");
    return null;
  });
  const graph = join(model, records, [report], "cancelled");
  expect(graph.queueLength).toBe(0);
  expect(graph.stoppedBy).toBe("cancelled");
});

test("sends a batch as large as it may come", async () => {
  const reaches = [BATCH_STATES - 1, MOST_SUCCESSORS];
  const model = broom(reaches, (state) => ownerOf(state) === 1);
  const memory = createSharedMemory(1);
  await searchBesideNobody(model, () => () => (stop(memory.control, "cancelled"), null), memory);
  const sent = new Set<number>();
  const other = new Exchange(memory, 1, 1);
  for (let block = other.receive(); block !== null; block = other.receive()) {
    for (const state of block.states.subarray(0, block.count)) sent.add(state);
    other.release();
  }
  expect(sent.size).toBe(LARGEST_BATCH);
});
