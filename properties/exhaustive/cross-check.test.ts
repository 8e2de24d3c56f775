// SPIN and Rumur count the states and transitions that we count, and give the verdicts that we give.
import { describe, expect, test, vi } from "vitest";
import { checkModel } from "./check.ts";
import { compileSystem } from "./compile-system.ts";
import {
  defaultBounds,
  runRumur,
  runSpin,
  type CrossCheck,
  type CrossCheckFinished,
} from "./cross-check.ts";
import { exampleMutex, smallMutex } from "./example-mutex.ts";
import { exportDot } from "./export-dot.ts";
import { rumurCounts } from "./export-murphi.ts";
import { spinCounts, type GraphCounts } from "./export-promela.ts";
import { exploreByInterpreter } from "./interpret-system.ts";
import { randomSystem, seededDecisions } from "./random-system.ts";
import { missingPrograms } from "./run-program.ts";
import { equal } from "./system-expressions.ts";
import type { Expression, Property, System } from "./system-language.ts";

// Building a verifier takes gcc seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const bounds = { ...defaultBounds, seconds: 60, depth: 100_000, hashBits: 18, optimised: false };

const missing = await missingPrograms(["spin", "rumur", "gcc"]);
// Where the programs are missing the comparison is skipped, but never in CI: there it is the point.
const skipped = missing.length > 0 && process.env["CI"] === undefined;
const reason = skipped
  ? ` (skipped: no ${missing.join(", ")}; apt-get install spin rumur gcc)`
  : "";

function finished(result: CrossCheck): CrossCheckFinished {
  if (result.kind === "finished") return result;
  throw new Error(result.message);
}

function countsOf(system: System, symmetry: boolean): GraphCounts {
  const graph = exploreByInterpreter(system, { symmetry, limit: 50_000 });
  return { states: graph.states.size, edges: graph.edges, ends: graph.ends };
}

function expectSpinCounts(system: System, counts: GraphCounts, found: CrossCheckFinished): void {
  const { states, transitions } = spinCounts(system, counts, { propertyIds: [] });
  expect({ states: found.states, transitions: found.transitions }).toEqual({ states, transitions });
}

function expectRumurCounts(counts: GraphCounts, found: CrossCheckFinished): void {
  const { states, rules } = rumurCounts(counts);
  expect({ states: found.states, rules: found.transitions }).toEqual({ states, rules });
}

const safe = exampleMutex({ ...smallMutex, horizon: 4 });
const planted = exampleMutex({ ...smallMutex, ownerTokens: false });

describe.skipIf(skipped)(`SPIN${reason}`, () => {
  test("counts our states and transitions of the mutex, finds no error, and every end proper", async () => {
    const found = finished(await runSpin(safe, {}, bounds));
    const counts = countsOf(safe, false);
    expect(counts).toEqual({ states: 5715, edges: 13_890, ends: 136 });
    expectSpinCounts(safe, counts, found);
    expect(found.errors).toEqual([]);
  });

  test("refutes the invariant that a mutex without owner tokens breaks", async () => {
    const options = { propertyIds: ["execution"], judgesEnds: false };
    const found = finished(await runSpin(planted, options, bounds));
    expect(found.errors.map(({ message }) => message)).toEqual([
      "assertion violated  !(executedTwice)",
    ]);
  });

  test("shows a situation by refuting that it never occurs", async () => {
    const options = { propertyIds: ["two-executed"], judgesEnds: false };
    expect(finished(await runSpin(exampleMutex(smallMutex), options, bounds)).errors).toHaveLength(
      1,
    );
  });

  test("judges an eventually as we do: somebody executes or does not, but the clock comes to its end", async () => {
    const executed = safe.properties.find(({ id }) => id === "executed");
    if (executed === undefined) throw new Error("the example has changed");
    const eventually = (id: string, predicate: Expression): Property => ({
      id,
      kind: "eventually",
      statement: "It comes to pass.",
      predicate,
      exercisedBy: null,
    });
    const system: System = {
      ...safe,
      properties: [
        eventually("somebody-executes", executed.predicate),
        eventually("clock-ends", equal({ kind: "variable", name: "clock", index: null }, 4)),
      ],
    };
    const ours = await checkModel(compileSystem(system, { symmetry: false }), {
      judgeDeadlock: false,
    });
    for (const { id, verdict } of ours.properties) {
      const found = finished(
        await runSpin(system, { eventuallyId: id, judgesEnds: false }, bounds),
      );
      expect([id, found.errors.length > 0 ? "refuted" : "holds"]).toEqual([id, verdict]);
    }
    expect(ours.properties.map(({ verdict }) => verdict)).toEqual(["refuted", "holds"]);
  });

  test("counts our states of systems with several initial states, tables and locals", async () => {
    for (const seed of [35, 45]) {
      const random = randomSystem(seededDecisions(seed));
      expect(random.initialStates.length).toBeGreaterThan(1);
      const options = { propertyIds: [], judgesEnds: false };
      const found = finished(await runSpin(random, options, bounds));
      const { states, transitions } = spinCounts(random, countsOf(random, false), options);
      expect([found.states, found.transitions]).toEqual([states, transitions]);
    }
  });
});

describe.skipIf(skipped)(`Rumur${reason}`, () => {
  test("counts our states, edges and situations of the mutex, with and without symmetry", async () => {
    const propertyIds = ["execution", "record", "executed", "refused"];
    for (const symmetry of [false, true]) {
      const graph = exploreByInterpreter(safe, { symmetry, limit: 50_000 });
      const found = finished(await runRumur(safe, { propertyIds, symmetry }, bounds));
      expectRumurCounts({ states: graph.states.size, edges: graph.edges, ends: graph.ends }, found);
      expect(found.errors).toEqual([]);
      expect(found.covered["executed"]).toBe(graph.holds["executed"]);
      expect(found.covered["refused"]).toBe(graph.holds["refused"]);
    }
  });

  test("refutes the invariant that a mutex without owner tokens breaks, in its shortest steps", async () => {
    const options = { propertyIds: ["execution"], symmetry: true };
    const found = finished(await runRumur(planted, options, bounds));
    expect(found.errors).toEqual([{ message: 'invariant "execution" failed', length: 14 }]);
  });

  test("refutes that a goal can be reached from everywhere, where the clock's end cuts it off", async () => {
    const options = { propertyIds: ["no-stuck-key"], symmetry: true };
    const found = finished(await runRumur(safe, options, bounds));
    expect(found.errors.map(({ message }) => message)).toEqual([
      'liveness property "no-stuck-key" violated',
    ]);
  });

  test("counts our classes where members point at each other and initial states are several", async () => {
    const random = { ...randomSystem(seededDecisions(45)), end: null };
    expect(random.variables.find(({ name }) => name === "waitsFor")?.over).toBe("attempt");
    const found = finished(await runRumur(random, { propertyIds: [], symmetry: true }, bounds));
    expectRumurCounts(countsOf(random, true), found);
  });
});

describe("a check that cannot finish", () => {
  test("names the program that is missing and how to get it", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = "/nowhere";
    try {
      const message = (program: string) =>
        `program=${program} is missing; get it with: apt-get install spin rumur gcc`;
      expect(await runSpin(safe, {}, bounds)).toMatchObject({ message: message("gcc") });
      expect(await runRumur(safe, { symmetry: true }, bounds)).toMatchObject({
        message: message("rumur"),
      });
    } finally {
      process.env["PATH"] = path;
    }
  });

  test.skipIf(skipped)("tells the bound that SPIN ran into", async () => {
    const found = await runSpin(safe, {}, { ...bounds, depth: 5 });
    expect(found).toEqual({
      kind: "unfinished",
      message: "SPIN reached depth's bound; raise depth",
    });
  });
});

describe("a drawing", () => {
  const tiny = exampleMutex({ ...smallMutex, attempts: 1, horizon: 1 });

  test("has one node a state and one edge a step", () => {
    const drawn = exportDot(tiny, { symmetry: false, mostStates: 50 });
    const { states, edges } = countsOf(tiny, false);
    expect(drawn).toMatchObject({ kind: "drawn", states, edges });
    const text = drawn.kind === "drawn" ? drawn.text : "";
    expect(text.match(/^ {2}s\d+ \[/gm)).toHaveLength(states);
    expect(text.match(/^ {2}s\d+ -> /gm)).toHaveLength(edges);
  });

  test("is refused in one line where nobody could read it", () => {
    expect(exportDot(safe, { symmetry: false, mostStates: 200 })).toEqual({
      kind: "too large",
      message:
        "example-mutex has more than states=200, which nobody can read as a drawing; lower the bounds",
    });
  });
});
