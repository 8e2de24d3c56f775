// The set of states through many moves of its table, against a Set of JavaScript.
import { expect, test } from "vitest";
import { createBatch } from "./batch.ts";
import { createTally } from "./expansion.ts";
import { indexOf } from "./state-graph.ts";
import { hashStates } from "./state-hash.ts";
import { locate } from "./state-index.ts";
import { StateSet } from "./state-set.ts";

test.each([1, 2, 3])(
  "keeps each state of %d words once, in order, with its parent, while the table moves; and finds it again",
  (words) => {
    const set = new StateSet({ words, maxStates: 300_000, maxBytes: 2 ** 24 });
    const batch = createBatch(words, 1000);
    const arrived = new Map<string, number>();
    let moving = 0;
    for (let round = 0; round < 100; round += 1) {
      for (let i = 0; i < 1000; i += 1) {
        const value = round * 700 + i;
        // From 0 on, so that the state of zeros is among them.
        const spread = [Math.imul(value, 0x0101_0101) >>> 0, value & 0xff, value >>> 8];
        batch.states.set(spread.slice(0, words), i * words);
        batch.origins[i] = round;
        const key = batch.states.subarray(i * words, (i + 1) * words).join();
        if (!arrived.has(key)) arrived.set(key, round);
      }
      batch.count = 1000;
      hashStates(batch.states, 1000, words, batch.hashes);
      expect(set.insert(batch)).toBe("done");
      if (set.table.moving) moving += 1;
      expect(set.count).toBe(arrived.size);
    }
    expect(moving).toBeGreaterThan(5);
    const records = [...arrived].map(([key, round]) => [...key.split(",").map(Number), round]);
    expect([...set.records.subarray(0, set.count * set.stride)]).toEqual(records.flat());
    const graph = {
      set,
      parts: [{ depthStarts: [0], end: set.next }],
      tally: createTally(),
      states: set.count,
      depth: 0,
      queueLength: 0,
      stoppedBy: null,
      bytes: set.bytes,
      maxPauseMs: 0,
    };
    // Inserting takes out of a batch what was there before.
    batch.count = 1000;
    for (let i = 0; i < 1000; i += 1) {
      const at = (set.count - 1000 + i) * set.stride;
      batch.states.set(set.records.subarray(at, at + words), i * words);
    }
    hashStates(batch.states, 1000, words, batch.hashes);
    locate(indexOf(graph), batch);
    expect([...batch.places]).toEqual(Array.from({ length: 1000 }, (_, i) => set.count - 1000 + i));
  },
);

test("says that a state is not there", () => {
  const { index } = new StateSet({ words: 3, maxStates: 100, maxBytes: 2 ** 20 });
  const batch = createBatch(3, 1);
  batch.count = 1;
  hashStates(batch.states, 1, 3, batch.hashes);
  if (index !== null) locate(index, batch);
  expect(batch.places[0]).toBe(-1);
});
