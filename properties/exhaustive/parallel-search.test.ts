// Two threads against one: the same counts, verdicts and witness lengths.
import { expect, test } from "vitest";
import { checkModel } from "./check.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import { createModel as createMutex } from "./mutex-model.ts";
import { checkInParallel } from "./parallel-search.ts";
import { createModel as createSample } from "./sample-models.ts";

const mutex = new URL("./mutex-model.ts", import.meta.url).href;
const samples = new URL("./sample-models.ts", import.meta.url).href;
/** Both threads search from the start, however few states there are. */
const atOnce = { handOverAt: 0, waits: true };
const smallMutex = { attempts: 3, clock: 6, pending: 3, retention: 4 };

function summary(result: CheckResult): unknown {
  const { states, edges, depth, ends, deadlocks, queueLength, stoppedBy } = result;
  const judged = [...result.properties, result.deadlock].map(({ verdict, because, witness }) => ({
    verdict,
    because,
    length: witness?.loopsTo === null ? witness.actions.length : undefined,
  }));
  return { states, edges, depth, ends, deadlocks, queueLength, stoppedBy, judged };
}

test("agrees with one thread on the mutex", async () => {
  const options = { ...smallMutex, attempts: 5 };
  const two = await checkInParallel({ module: mutex, options }, {}, atOnce);
  expect(two.workers).toBe(2);
  expect(summary(two)).toEqual(summary(await checkModel(createMutex(options))));
});

test("agrees with one thread when the second takes over in the middle", async () => {
  const options = { ...smallMutex, attempts: 5 };
  const late = { handOverAt: 500, waits: true };
  const two = await checkInParallel({ module: mutex, options }, {}, late);
  expect(two.workers).toBe(2);
  expect(summary(two)).toEqual(summary(await checkModel(createMutex(options))));
});

test.each<CheckOptions>([{}, { symmetry: true }])(
  "agrees with one thread on deadlock, reachable and eventually of the philosophers: %o",
  async (options) => {
    const reference = { module: samples, options: { sample: "philosophers", size: 7 } };
    const two = await checkInParallel(reference, options, atOnce);
    expect(two.workers).toBe(2);
    expect(summary(two)).toEqual(
      summary(await checkModel(createSample(reference.options), options)),
    );
  },
);

test("agrees with one thread when a thread has no states at most depths", async () => {
  const reference = { module: samples, options: { sample: "counter", size: 300 } };
  const two = await checkInParallel(reference, {}, atOnce);
  expect(two.workers).toBe(2);
  expect(summary(two)).toEqual(summary(await checkModel(createSample(reference.options))));
});

test.each([
  { what: "takes over many states", sample: "crowd", size: 20_000 },
  { what: "takes over many states of three words", sample: "wideCrowd", size: 20_000 },
])("agrees with one thread when the second $what", async ({ sample, size }) => {
  const reference = { module: samples, options: { sample, size } };
  const two = await checkInParallel(reference, {}, atOnce);
  expect(two.workers).toBe(2);
  expect(summary(two)).toEqual(summary(await checkModel(createSample(reference.options))));
});

test("stops at the first depth that refutes, with the shortest witness", async () => {
  const two = await checkInParallel(
    { module: mutex, options: smallMutex },
    { stopWhen: "refuted" },
    atOnce,
  );
  expect(two.workers).toBe(2);
  expect(two.stoppedBy).toBe("refuted");
  expect(two.properties[0]?.witness?.actions).toHaveLength(7);
  expect(two.depth).toBe(6);
});

test("keeps its bounds and can be cancelled", async () => {
  const reference = { module: mutex, options: { ...smallMutex, attempts: 5 } };
  const bounded = await checkInParallel(reference, { bounds: { maxStates: 50_000 } }, atOnce);
  expect(bounded.stoppedBy).toBe("maxStates");
  expect(bounded.states).toBeLessThanOrEqual(50_000);
  expect(bounded.states).toBeGreaterThan(30_000);
  const small = await checkInParallel(reference, { bounds: { maxBytes: 1_000_000 } }, atOnce);
  expect(small.stoppedBy).toBe("maxBytes");
  expect(small.bytes).toBeLessThanOrEqual(1_000_000);
  const cancelled = await checkInParallel(reference, { signal: AbortSignal.abort() });
  expect(cancelled.stoppedBy).toBe("cancelled");
});

test("tells what a thread could not do", async () => {
  const reference = { module: samples, options: { sample: "philosophers", size: 9 } };
  await expect(checkInParallel(reference)).rejects.toThrow(/words=9/);
  await expect(checkInParallel({ module: import.meta.url, options: {} })).rejects.toThrow(
    /createModel/,
  );
});
