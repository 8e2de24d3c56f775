// The set of states through many moves of its table, against a Set of JavaScript.
import { expect, test } from "vitest";
import { createBatch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";
import { copyState, locate, parentOf, StateSet } from "./state-set.ts";

test("keeps each state once, in order, with its parent, while the table moves; and finds it again", () => {
  const set = new StateSet({ words: 2, maxStates: 300_000, maxBytes: 2 ** 24 });
  const batch = createBatch(2, 1000);
  const arrived = new Map<string, number>();
  let moving = 0;
  for (let round = 0; round < 100; round += 1) {
    for (let i = 0; i < 1000; i += 1) {
      const value = (round * 700 + i) >>> 0;
      batch.states.set([value & 0xff, Math.imul(value, 0x0101_0101)], i * 2);
      batch.origins[i] = round;
      const key = batch.states.subarray(i * 2, i * 2 + 2).join();
      if (!arrived.has(key)) arrived.set(key, round);
    }
    batch.count = 1000;
    hashStates(batch.states, 1000, 2, batch.hashes);
    expect(set.insert(batch)).toBe("done");
    if (set.table.moving) moving += 1;
    expect(set.count).toBe(arrived.size);
    locate(set, batch);
    expect(batch.places.every((place) => place >= 0)).toBe(true);
  }
  expect(moving).toBeGreaterThan(5);
  const state = new Uint32Array(2);
  let index = 0;
  for (const [key, round] of arrived) {
    copyState(set, index, state, 0);
    expect(state.join() === key && parentOf(set, index) === round).toBe(true);
    index += 1;
  }
});

test("says that a state is not there", () => {
  const set = new StateSet({ words: 1, maxStates: 100, maxBytes: 2 ** 20 });
  const batch = createBatch(1, 1);
  batch.count = 1;
  hashStates(batch.states, 1, 1, batch.hashes);
  locate(set, batch);
  expect(batch.places[0]).toBe(-1);
});
