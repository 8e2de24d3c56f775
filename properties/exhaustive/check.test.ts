// Small systems whose counts, verdicts and shortest witnesses are known.
import { describe, expect, test } from "vitest";
import { checkModel } from "./check.ts";
import { CheckRefusal } from "./check-options.ts";
import type { StopWhen } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import { ModelFault } from "./expansion.ts";
import { counter, jugs, packed, peterson, philosophers } from "./sample-models.ts";

function verdicts(result: CheckResult): Record<string, string> {
  return Object.fromEntries(result.properties.map(({ id, verdict }) => [id, verdict]));
}

function lengthOf(result: CheckResult, id: string): number | undefined {
  return result.properties.find((property) => property.id === id)?.witness?.actions.length;
}

describe("a finished search", () => {
  test("counts the states, edges, depth and ends of a counter", async () => {
    const result = await checkModel(packed(counter(1000)));
    expect(result).toMatchObject({
      states: 1001,
      edges: 1000,
      depth: 1000,
      ends: 1,
      deadlocks: 0,
      stoppedBy: null,
      queueLength: 0,
    });
    expect(result.deadlock.verdict).toBe("holds");
  });

  test("finds Peterson's algorithm right, and one that starves without fairness", async () => {
    const result = await checkModel(packed(peterson({ broken: false })));
    expect(result).toMatchObject({ states: 20, edges: 34, depth: 6 });
    expect(verdicts(result)).toEqual({
      exclusion: "holds",
      enters: "holds",
      "first-again": "holds",
      "someone-enters": "holds",
      "first-enters": "refuted",
    });
    const loop = result.properties.find(({ id }) => id === "first-enters")?.witness;
    expect(loop?.loopsTo).not.toBeNull();
    expect(loop?.states.at(-1)).toEqual(loop?.states[loop.loopsTo ?? -1]);
  });

  test("shows the shortest way into a broken critical section", async () => {
    const result = await checkModel(packed(peterson({ broken: true })));
    expect(verdicts(result)["exclusion"]).toBe("refuted");
    expect(lengthOf(result, "exclusion")).toBe(6);
  });

  test("solves the jugs in the fewest steps and calls what never occurred inconclusive", async () => {
    const result = await checkModel(packed(jugs));
    expect(result).toMatchObject({ states: 16, edges: 96 });
    expect(lengthOf(result, "four")).toBe(6);
    expect(verdicts(result)).toEqual({
      four: "holds",
      six: "inconclusive",
      "empty-again": "holds",
      vacuous: "inconclusive",
    });
  });

  test("finds the deadlock of the philosophers and the states that cannot leave it", async () => {
    const result = await checkModel(packed(philosophers(4)));
    expect(result.deadlocks).toBe(1);
    expect(result.deadlock.verdict).toBe("refuted");
    expect(result.deadlock.witness?.actions).toHaveLength(4);
    expect(verdicts(result)).toEqual({
      neighbours: "holds",
      eats: "holds",
      "can-eat": "refuted",
      "all-think": "refuted",
      "must-eat": "refuted",
    });
    expect(lengthOf(result, "can-eat")).toBe(4);
  });

  test("does not judge deadlock when told not to", async () => {
    const result = await checkModel(packed(philosophers(3)), { judgeDeadlock: false });
    expect(result.deadlock.verdict).toBe("inconclusive");
    expect(result.deadlocks).toBe(1);
  });
});

describe("symmetry", () => {
  test("agrees on every verdict and witness length with fewer states, and its witnesses are real executions", async () => {
    const plain = philosophers(5);
    const full = await checkModel(packed(plain));
    const reduced = await checkModel(packed(plain), { symmetry: true });
    expect(reduced.states).toBeLessThan(full.states / 4);
    expect(reduced.depth).toBe(full.depth);
    expect(verdicts(reduced)).toEqual(verdicts(full));
    const shown = reduced.properties.filter(({ witness }) => witness !== null);
    const shortest = shown.filter(({ kind }) => kind !== "eventually").map(({ id }) => id);
    expect(shortest.map((id) => lengthOf(reduced, id))).toEqual(
      shortest.map((id) => lengthOf(full, id)),
    );
    for (const { states, actions } of shown.flatMap(({ witness }) => witness ?? [])) {
      expect([...(states[0] ?? [])]).toEqual(plain.initial[0]);
      actions.forEach((action, step) => {
        const successors = plain.next([...(states[step] ?? [])]);
        expect(successors).toContainEqual([[...(states[step + 1] ?? [])], action]);
      });
    }
  });

  test("is refused by a model that has none", async () => {
    await expect(checkModel(packed(counter(3)), { symmetry: true })).rejects.toThrow(CheckRefusal);
  });
});

describe("a bound", () => {
  test("of states is met exactly and leaves what is not refuted inconclusive", async () => {
    const stays = (top: number) => ({
      id: `below-${top}`,
      kind: "always" as const,
      statement: `stays below ${top}`,
      test: ([value = 0]: readonly number[]) => value >= top,
    });
    const result = await checkModel(
      packed({ ...counter(5000), properties: [stays(10), stays(4000)] }),
      {
        bounds: { maxStates: 100 },
      },
    );
    expect(result).toMatchObject({ states: 100, stoppedBy: "maxStates" });
    expect(verdicts(result)).toEqual({ "below-10": "refuted", "below-4000": "inconclusive" });
    expect(result.properties[1]?.because).toMatch(
      /^stopped by maxStates: states=100 edges=100 depth=\d+ queueLength=\d+$/,
    );
  });

  test.each([2867, 2868, 5734, 5735])(
    "of %d states fills the largest table to its brim",
    async (maxStates) => {
      const result = await checkModel(grid(128, 2), { bounds: { maxStates } });
      expect(result).toMatchObject({ states: maxStates, stoppedBy: "maxStates" });
    },
  );

  test("of exactly the states there are stops nothing", async () => {
    const result = await checkModel(grid(64, 2), { bounds: { maxStates: 4096 } });
    expect(result).toMatchObject({ states: 4096, edges: 2 * 64 * 63, stoppedBy: null });
  });

  test("of bytes is respected", async () => {
    const maxBytes = 4_000_000;
    const result = await checkModel(grid(1024, 4), { bounds: { maxBytes } });
    expect(result.stoppedBy).toBe("maxBytes");
    expect(result.bytes).toBeLessThanOrEqual(maxBytes);
    expect(result.states).toBeGreaterThan(50_000);
  });

  test("of bytes too small for the first chunk leaves nothing decided", async () => {
    const result = await checkModel(packed(jugs), { bounds: { maxBytes: 1 } });
    expect(result).toMatchObject({ states: 0, depth: -1, stoppedBy: "maxBytes" });
    expect(new Set(Object.values(verdicts(result)))).toEqual(new Set(["inconclusive"]));
  });

  test("of time stops a search", async () => {
    const result = await checkModel(grid(4096, 1), { bounds: { maxSeconds: 0.001 } });
    expect(result.stoppedBy).toBe("maxSeconds");
    expect(result.queueLength).toBeGreaterThan(0);
  });

  test.each([
    { maxStates: -1 },
    { maxStates: Number.NaN },
    { maxBytes: 0.5 },
    { maxSeconds: 0 },
    { maxSeconds: Number.NaN },
    { maxStates: 2 ** 40 },
  ])("that is absurd is refused in one line: %o", async (bounds) => {
    const checked = checkModel(packed(counter(3)), { bounds });
    await expect(checked).rejects.toThrow(CheckRefusal);
    await expect(checked).rejects.toThrow(/^[^\n]+: \w+=\S+; give [^\n]+$/);
  });
});

describe("stopping early", () => {
  test("a cancelled search tells how far it came", async () => {
    const stop = new AbortController();
    const result = await checkModel(grid(4096, 1), {
      signal: stop.signal,
      progressEveryMs: 1,
      onProgress: () => stop.abort(),
    });
    expect(result.stoppedBy).toBe("cancelled");
    expect(result.states).toBeGreaterThan(0);
  });

  test.each<StopWhen>(["refuted", "decided"])(
    "when %s keeps the shortest witness and tells its length",
    async (stopWhen) => {
      const properties = [
        {
          id: "below-6",
          kind: "always" as const,
          statement: "stays below 6",
          test: ([x = 0]: readonly number[]) => x >= 6,
        },
      ];
      const options = { stopWhen, judgeDeadlock: false };
      const result = await checkModel(packed({ ...counter(5000), properties }), options);
      expect(result).toMatchObject({ stoppedBy: stopWhen, states: 7 });
      expect(lengthOf(result, "below-6")).toBe(6);
      expect(result.properties[0]?.because).toBe("broken at depth 6");
    },
  );

  test("nothing is stopped when the last batch decides", async () => {
    expect(
      (await checkModel(packed(philosophers(2)), { stopWhen: "refuted" })).stoppedBy,
    ).toBeNull();
  });
});

describe("a model that breaks its contract", () => {
  test.each([0, 9, 1.5])("is refused with words=%d", async (words) => {
    await expect(checkModel({ ...packed(counter(3)), words })).rejects.toThrow(/words=/);
  });

  test("is told that it has more successors than declared", async () => {
    await expect(checkModel({ ...packed(jugs), maxSuccessors: 5 })).rejects.toThrow(ModelFault);
  });

  test("is told that exercisedBy names nothing", async () => {
    const properties = [
      { id: "a", kind: "always", statement: "", exercisedBy: "b", test: () => false },
    ] as const;
    await expect(checkModel(packed({ ...counter(1), properties }))).rejects.toThrow(
      /exercisedBy=b/,
    );
  });
});

describe("the set of states", () => {
  test.each([1, 2, 3, 4, 5, 8])(
    "keeps every state of %d words through growth of table and storage",
    async (words) => {
      const result = await checkModel(grid(400, words));
      expect(result).toMatchObject({
        states: 400 * 400,
        edges: 2 * 400 * 399,
        depth: 798,
        ends: 1,
      });
      expect(result.bytesPerState).toBeLessThan(4 * (words + 1) * 1.3 + 16);
    },
  );
});

/** A square walked right and down, its corners `side` apart, written into the first and the last word. */
function grid(side: number, words: number): ReturnType<typeof packed> {
  const shift = words === 1 ? 16 : 0;
  return {
    ...packed({ ...counter(1), words }),
    name: `grid-${side}`,
    maxSuccessors: 2,
    initial: () => new Uint32Array(words),
    isEnd: () => true,
    expand(states, at, out, outAt, actions) {
      const last = words - 1;
      const column = (states[at] ?? 0) & 0xffff;
      const row = (states[at + last] ?? 0) >>> shift;
      let count = 0;
      if (column < side - 1) {
        for (let word = 0; word < words; word += 1) out[outAt + word] = states[at + word] ?? 0;
        out[outAt] = (out[outAt] ?? 0) + 1;
        actions[count] = 0;
        count += 1;
      }
      if (row < side - 1) {
        const to = outAt + count * words;
        for (let word = 0; word < words; word += 1) out[to + word] = states[at + word] ?? 0;
        out[to + last] = (out[to + last] ?? 0) + (1 << shift);
        actions[count] = 1;
        count += 1;
      }
      return count;
    },
  };
}
