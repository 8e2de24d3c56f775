// The set of states through many moves of its table, against a Set of JavaScript.
import { expect, test } from "vitest";
import { createBatch, selectAll } from "./batch.ts";
import type { Batch } from "./batch.ts";
import { createTally } from "./expansion.ts";
import { indexOf } from "./state-graph.ts";
import { hashBatch } from "./state-hash.ts";
import { StateIndex } from "./state-index.ts";
import { StateSet } from "./state-set.ts";

test.each([1, 2, 3, 4, 8])(
  "keeps each state of %d words once, in order, with its parent, while the table moves; and finds it again",
  (words) => {
    const set = new StateSet({ words, maxStates: 300_000, maxBytes: 2 ** 24 });
    const batch = createBatch(words, 1000);
    const arrived = new Map<string, number>();
    let moving = 0;
    for (let round = 0; round < 100; round += 1) {
      for (let i = 0; i < 1000; i += 1) {
        // Every fourth was seen long ago, when other states stood where it looks first.
        const value =
          i % 4 === 3 ? (i * 7919 + round * 104_729) % (round * 700 + 1) : round * 700 + i;
        // From 0 on, so that the state of zeros is among them.
        const spread = [
          Math.imul(value, 0x0101_0101) >>> 0,
          value & 0xff,
          value >>> 8,
          0,
          0,
          value,
        ];
        batch.states.set([...spread, 0, 0].slice(0, words), i * words);
        batch.origins[i] = round;
        const key = batch.states.subarray(i * words, (i + 1) * words).join();
        if (!arrived.has(key)) arrived.set(key, round);
      }
      batch.count = 1000;
      prepare(batch);
      expect(set.insert(batch)).toBe("done");
      if (set.lookup.table.moving) moving += 1;
      expect(set.count).toBe(arrived.size);
    }
    expect(moving).toBeGreaterThan(5);
    const expected = [...arrived].map(([key, round]) => [...key.split(",").map(Number), round]);
    expect([...set.records.subarray(0, set.count * set.stride)]).toEqual(expected.flat());
    const { records, stride, lookup } = set;
    const graph = {
      set: { words, records, stride, index: lookup instanceof StateIndex ? lookup : null },
      parts: [{ depthStarts: [0], end: set.next }],
      tally: createTally(),
      states: set.count,
      depth: 0,
      queueLength: 0,
      stoppedBy: null,
      bytes: set.bytes,
      maxPauseMs: 0,
    };
    for (let i = 0; i < 1000; i += 1) {
      const at = (set.count - 1000 + i) * set.stride;
      batch.states.set(set.records.subarray(at, at + words), i * words);
    }
    prepare(batch);
    indexOf(graph).locate(batch);
    expect([...batch.indices]).toEqual(
      Array.from({ length: 1000 }, (_, i) => set.count - 1000 + i),
    );
  },
);

test.each([1, 2, 3, 4, 8])("knows the state of zeros of %d words from a free slot", (words) => {
  const set = new StateSet({ words, maxStates: 100, maxBytes: 2 ** 20 });
  const batch = createBatch(words, 1);
  batch.count = 1;
  for (const [word, count] of [
    [7, 1],
    [0, 2],
    [0, 2],
    [7, 2],
  ] as const) {
    batch.states.fill(word);
    prepare(batch);
    set.insert(batch);
    expect(set.count).toBe(count);
  }
});

test.each([1, 2, 3])("knows states of %d words that another set keeps, zeros too", (words) => {
  const set = new StateSet({ words, maxStates: 100, maxBytes: 2 ** 20 });
  const batch = createBatch(words, 2);
  batch.count = 2;
  batch.states.fill(7, words);
  batch.origins.set([0, 1]);
  prepare(batch);
  set.records.set([...batch.states.subarray(0, words), 0, ...batch.states.subarray(words), 0]);
  set.adopt(batch);
  prepare(batch);
  expect(set.insert(batch)).toBe("done");
  expect(set.count).toBe(0);
});

test("keeps its table as wide as the states of others that it knows ask for, and its bound of bytes", () => {
  const share = { part: 1, parts: 2, records: new Uint32Array(2 ** 18) };
  const set = new StateSet({ words: 2, maxStates: 20_000, maxBytes: 2 ** 17 }, share);
  const batch = createBatch(2, 1000);
  batch.count = 1000;
  let known = 0;
  let isRoom = true;
  while (isRoom) {
    for (let i = 0; i < 1000; i += 1) batch.states.set([known + i, 1], i * 2);
    prepare(batch);
    isRoom = set.adopt(batch);
    if (isRoom) known += 1000;
    expect(set.bytes).toBeLessThanOrEqual(2 ** 17);
    expect(set.adopted).toBe(known);
  }
  // A table of 2^13 slots takes 2^16 bytes, one of 2^14 all; it moves while it is less than four fifths full.
  expect(known).toBe(13_000);
  expect(2 ** set.lookup.table.bits).toBe(2 ** 14);
});

test("says that a state is not there", () => {
  const batch = createBatch(3, 1);
  batch.count = 1;
  prepare(batch);
  new StateIndex(3, new Uint32Array(400), 100).locate(batch);
  expect(batch.indices[0]).toBe(-1);
});

function prepare(batch: Batch): void {
  hashBatch(batch);
  selectAll(batch);
}
