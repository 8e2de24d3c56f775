// What two searching threads tell each other counts, wherever between two reads of the one the other tells it and stops.
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSharedMemory, Exchange, stop } from "./exchange.ts";

afterEach(() => vi.restoreAllMocks());

/** Runs the step after so many more reads of shared words. */
function afterReads(reads: number, step: () => void): void {
  const load = Atomics.load.bind(Atomics);
  let left = reads;
  const spied = vi.spyOn(Atomics as { load: (words: Int32Array, place: number) => number }, "load");
  spied.mockImplementation((words, place) => {
    const value = load(words, place);
    left -= 1;
    if (left === 0) step();
    return value;
  });
}

describe("an agreement", () => {
  it.each([1, 2, 3, 4])(
    "is heard, not the stop that follows it, where both come after read %i",
    (reads) => {
      const memory = createSharedMemory(1);
      const [other, mine] = [new Exchange(memory, 1, 0), new Exchange(memory, 1, 1)];
      mine.tell(1, 0);
      afterReads(reads, () => {
        other.tell(1, 0);
        stop(memory.control, "finished");
      });
      const heard = [mine.agreement(1), mine.agreement(1), mine.agreement(1)];
      expect(heard.map(({ kind }) => kind)).not.toContain("stopped");
      expect(heard.at(-1)?.kind).toBe("agreed");
    },
  );

  it("is never reached once the other thread stopped without telling", () => {
    const memory = createSharedMemory(1);
    const mine = new Exchange(memory, 1, 1);
    mine.tell(1, 0);
    expect(mine.agreement(1)).toEqual({ kind: "awaited" });
    stop(memory.control, "maxSeconds");
    expect(mine.agreement(1)).toEqual({ kind: "stopped" });
  });
});
