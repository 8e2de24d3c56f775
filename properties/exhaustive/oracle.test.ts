// The checker against a search that shares nothing with it: string keys, arrays of objects, fixpoints by definition.
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkModel } from "./check.ts";
import type { Witness } from "./check-result.ts";
import type { PropertyKind } from "./model.ts";
import { packed } from "./sample-models.ts";
import type { PlainModel } from "./sample-models.ts";

interface RandomGraph {
  readonly words: number;
  readonly successors: readonly (readonly number[])[];
  readonly initial: readonly number[];
  readonly goals: readonly number[];
  readonly proper: readonly boolean[];
}

const kinds: readonly PropertyKind[] = ["always", "sometimes", "reachable", "eventually"];

const randomGraph: fc.Arbitrary<RandomGraph> = fc.integer({ min: 1, max: 40 }).chain((size) => {
  const state = fc.nat(size - 1);
  return fc.record({
    words: fc.integer({ min: 1, max: 8 }),
    successors: fc.array(fc.array(state, { maxLength: 4 }), { minLength: size, maxLength: size }),
    initial: fc.array(state, { minLength: 1, maxLength: 3 }),
    goals: fc.array(fc.nat(15), { minLength: size, maxLength: size }),
    proper: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
  });
});

/** A node's number in its first word, and words that differ in few bits after it. */
function wordsOf(node: number, words: number): readonly number[] {
  return Array.from(
    { length: words },
    (_, word) => (word === 0 ? node * 0x0400_0001 : node << word) >>> 0,
  );
}

function modelOf(graph: RandomGraph): PlainModel {
  const nodeOf = (state: readonly number[]): number => (state[0] ?? 0) & 0xffff;
  return {
    name: "random",
    words: graph.words,
    maxSuccessors: 4,
    initial: graph.initial.map((node) => wordsOf(node, graph.words)),
    next: (state) =>
      (graph.successors[nodeOf(state)] ?? []).map((node, action) => [
        wordsOf(node, graph.words),
        action,
      ]),
    isEnd: (state) => graph.proper[nodeOf(state)] ?? false,
    properties: kinds.map((kind, bit) => ({
      id: kind,
      kind,
      statement: kind,
      test: (state) => ((graph.goals[nodeOf(state)] ?? 0) >>> bit) % 2 === 1,
    })),
  };
}

interface Expected {
  readonly states: number;
  readonly edges: number;
  readonly depth: number;
  readonly ends: number;
  readonly deadlocks: number;
  readonly verdicts: Readonly<Record<string, string>>;
  /** Steps of the shortest witness; undefined where none is due, or where it need not be shortest. */
  readonly lengths: Readonly<Record<string, number | undefined>>;
}

function expectedOf(graph: RandomGraph): Expected {
  const depths = new Map<string, number>();
  let level = [...new Set(graph.initial)];
  for (let depth = 0; level.length > 0; depth += 1) {
    level.forEach((node) => depths.set(String(node), depth));
    level = [...new Set(level.flatMap((node) => graph.successors[node] ?? []))].filter(
      (node) => !depths.has(String(node)),
    );
  }
  const nodes = [...depths.keys()].map(Number);
  const goal = (kind: PropertyKind, node: number): boolean =>
    ((graph.goals[node] ?? 0) >>> kinds.indexOf(kind)) % 2 === 1;
  const shallowest = (some: readonly number[]): number | undefined =>
    some.length === 0
      ? undefined
      : Math.min(...some.map((node) => depths.get(String(node)) ?? Number.NaN));
  const fixpoint = (
    kind: PropertyKind,
    step: (next: readonly number[], good: ReadonlySet<number>) => boolean,
  ): Set<number> => {
    const good = new Set(nodes.filter((node) => goal(kind, node)));
    for (let before = -1; before !== good.size;) {
      before = good.size;
      for (const node of nodes) if (step(graph.successors[node] ?? [], good)) good.add(node);
    }
    return good;
  };
  const canReach = fixpoint("reachable", (next, good) => next.some((node) => good.has(node)));
  const mustMeet = fixpoint(
    "eventually",
    (next, good) => next.length > 0 && next.every((node) => good.has(node)),
  );
  const broken = shallowest(nodes.filter((node) => goal("always", node)));
  const reached = shallowest(nodes.filter((node) => goal("sometimes", node)));
  const stuck = shallowest(nodes.filter((node) => !canReach.has(node)));
  const last = nodes.filter((node) => graph.successors[node]?.length === 0);
  return {
    states: nodes.length,
    edges: nodes.reduce((sum, node) => sum + (graph.successors[node]?.length ?? 0), 0),
    depth: Math.max(...depths.values()),
    ends: last.filter((node) => graph.proper[node]).length,
    deadlocks: last.filter((node) => graph.proper[node] !== true).length,
    verdicts: {
      always: broken === undefined ? "holds" : "refuted",
      sometimes: reached === undefined ? "inconclusive" : "holds",
      reachable: stuck === undefined ? "holds" : "refuted",
      eventually: graph.initial.every((node) => mustMeet.has(node)) ? "holds" : "refuted",
      deadlock: last.every((node) => graph.proper[node] === true) ? "holds" : "refuted",
    },
    lengths: {
      always: broken,
      sometimes: reached,
      reachable: stuck,
      deadlock: shallowest(last.filter((node) => graph.proper[node] !== true)),
    },
  };
}

/** What keeps a witness from being an execution of the model. */
function faultsOf(plain: PlainModel, id: string, { states, actions, loopsTo }: Witness): string[] {
  const path = states.map((state) => [...state]);
  const includes = (all: readonly unknown[], one: unknown): boolean =>
    all.some((each) => JSON.stringify(each) === JSON.stringify(one));
  const last = path.at(-1) ?? [];
  const faults = actions.flatMap((action, step) =>
    includes(plain.next(path[step] ?? []), [path[step + 1], action])
      ? []
      : [`step ${step} is none`],
  );
  if (!includes(plain.initial, path[0])) faults.push("does not begin initially");
  if (loopsTo !== null && !includes([last], path[loopsTo])) faults.push("does not loop");
  if (id === "eventually" && loopsTo === null && plain.next(last).length > 0) {
    faults.push("does not end");
  }
  return faults;
}

test("agrees with the naive search on counts, verdicts and witness lengths of random graphs, and its witnesses are executions", async () => {
  await fc.assert(
    fc.asyncProperty(randomGraph, async (graph) => {
      const plain = modelOf(graph);
      const result = await checkModel(packed(plain), { bounds: { maxBytes: 2 ** 22 } });
      const expected = expectedOf(graph);
      const judged = [...result.properties, { id: "deadlock", kind: "always", ...result.deadlock }];
      const { states, edges, depth, ends, deadlocks } = result;
      expect({ states, edges, depth, ends, deadlocks }).toEqual({
        states: expected.states,
        edges: expected.edges,
        depth: expected.depth,
        ends: expected.ends,
        deadlocks: expected.deadlocks,
      });
      expect(Object.fromEntries(judged.map(({ id, verdict }) => [id, verdict]))).toEqual(
        expected.verdicts,
      );
      const lengths = judged.map(({ id, witness }) => [id, witness?.actions.length]);
      expect(Object.fromEntries(lengths)).toMatchObject(expected.lengths);
      for (const { id, witness } of judged) {
        expect(witness === null ? [] : faultsOf(plain, id, witness)).toEqual([]);
      }
    }),
    { numRuns: 300, seed: 3 },
  );
});
