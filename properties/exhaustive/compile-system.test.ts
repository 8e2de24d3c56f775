// The compiled model and the interpreter take the same steps in every reachable state, and name the same classes.
import { describe, expect, test, vi } from "vitest";
import { compileSystem, type CompiledSystem } from "./compile-system.ts";
import { exampleMutex, smallMutex } from "./example-mutex.ts";
import { exploreByInterpreter, interpretSteps, type SystemState } from "./interpret-system.ts";
import { randomSystem, seededDecisions } from "./random-system.ts";
import { arrayOver, assign, places, range, rule, scalar, system } from "./system-builders.ts";
import { less, plus } from "./system-expressions.ts";
import type { System } from "./system-language.ts";

vi.setConfig({ testTimeout: 60_000 });

const tells = { actor: "clock", action: "tick", detail: "{clock} to {clock'}" };

function compiledSteps(model: CompiledSystem, state: SystemState): readonly string[] {
  const out = new Uint32Array(model.maxSuccessors * model.words);
  const actions = new Uint32Array(model.maxSuccessors);
  const length = model.expand(model.pack(state), 0, out, 0, actions);
  return Array.from({ length }, (_, step) =>
    JSON.stringify([actions[step], model.unpack(out, step * model.words)]),
  ).toSorted();
}

function interpretedSteps(model: System, state: SystemState): readonly string[] {
  return interpretSteps(model, state)
    .map((step) => JSON.stringify([step.action, step.state]))
    .toSorted();
}

/** Breadth first over packed words; the counts that the interpreter gives too. */
function exploreCompiled(model: CompiledSystem) {
  const seen = new Set<string>();
  const queue: Uint32Array[] = [];
  const holds = model.properties.map(() => 0);
  const keep = (state: Uint32Array) => {
    model.canonicalise?.(state, 0);
    if (seen.has(state.join())) return;
    seen.add(state.join());
    queue.push(state);
  };
  const initial = model.initial();
  for (let at = 0; at < initial.length; at += model.words) {
    keep(initial.slice(at, at + model.words));
  }
  const out = new Uint32Array(model.maxSuccessors * model.words);
  const actions = new Uint32Array(model.maxSuccessors);
  let edges = 0;
  let ends = 0;
  for (const state of queue) {
    const marks = model.marks(state, 0);
    model.properties.forEach(({ kind }, bit) => {
      const marked = ((marks >>> bit) & 1) === 1;
      if (marked !== (kind === "always")) holds[bit] = (holds[bit] ?? 0) + 1;
    });
    const length = model.expand(state, 0, out, 0, actions);
    edges += length;
    if (length === 0) ends += 1;
    for (let step = 0; step < length; step += 1) {
      keep(out.slice(step * model.words, (step + 1) * model.words));
    }
  }
  const named = Object.fromEntries(model.properties.map(({ id }, bit) => [id, holds[bit] ?? 0]));
  return { states: seen.size, edges, ends, holds: named };
}

function interpretedCounts(model: System, symmetry: boolean) {
  const { states, edges, ends, holds } = exploreByInterpreter(model, { symmetry, limit: 100_000 });
  return { states: states.size, edges, ends, holds };
}

describe("the compiled mutex", () => {
  const mutex = exampleMutex({ ...smallMutex, attempts: 2 });

  test("takes the interpreter's steps in every reachable state", () => {
    const model = compileSystem(mutex, { symmetry: false });
    const { states } = exploreByInterpreter(mutex, { symmetry: false, limit: 10_000 });
    expect(states.size).toBe(2250);
    for (const state of states.values()) {
      expect(compiledSteps(model, state)).toEqual(interpretedSteps(mutex, state));
    }
  });

  test("has the interpreter's counts of states, edges, ends and marks, with and without symmetry", () => {
    const small = exampleMutex({ ...smallMutex, horizon: 3 });
    for (const symmetry of [false, true]) {
      const model = compileSystem(small, { symmetry });
      const counts = interpretedCounts(small, symmetry);
      expect(exploreCompiled(model)).toEqual(counts);
      expect(counts.states).toBe(symmetry ? 678 : 3147);
      expect(counts.edges).toBe(symmetry ? 1582 : 7384);
    }
  });

  test("tells its steps and states in words", () => {
    const model = compileSystem(mutex, { symmetry: false });
    const before = model.initial();
    const out = new Uint32Array(model.maxSuccessors * model.words);
    const actions = new Uint32Array(model.maxSuccessors);
    const length = model.expand(before, 0, out, 0, actions);
    const told = Array.from({ length }, (_, step) =>
      model.describeAction(actions[step] ?? 0, before, out.slice(step * model.words)),
    );
    expect(told).toContainEqual({
      actor: "attempt A",
      action: "call",
      detail: "sends its reserve",
    });
    expect(told).toContainEqual({ actor: "clock", action: "tick", detail: "0 to 1" });
    expect(model.describeState(before)).toMatchObject({ "phase A": "idle", holder: "nobody" });
  });
});

describe("random systems", () => {
  test("compile to the interpreter's steps, counts and symmetry classes", () => {
    let compared = 0;
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = randomSystem(seededDecisions(seed));
      const { states } = exploreByInterpreter(random, { symmetry: false, limit: 100_000 });
      const plain = compileSystem(random, { symmetry: false });
      for (const state of [...states.values()].slice(0, 60)) {
        expect(compiledSteps(plain, state), `seed=${seed}`).toEqual(
          interpretedSteps(random, state),
        );
        compared += 1;
      }
      if (states.size > 400) continue;
      for (const symmetry of [false, true]) {
        const counts = exploreCompiled(compileSystem(random, { symmetry }));
        expect(counts, `seed=${seed} symmetry=${symmetry}`).toEqual(
          interpretedCounts(random, symmetry),
        );
      }
    }
    expect(compared).toBeGreaterThan(500);
  });
});

describe("a step out of its domain", () => {
  const clock = scalar("clock", range(2));
  const lists = places("list", 2);
  const cell = arrayOver(lists, "cell", range(5));
  const broken = (body: Parameters<typeof rule>[2]) =>
    system({
      name: "broken",
      indexSets: [lists],
      variables: [clock, cell],
      rules: [rule("tick", {}, body)],
      properties: [],
    });

  test("throws one line that names rule, variable and value, compiled and interpreted", () => {
    const past = broken(() => ({ guard: true, body: [assign(clock, plus(clock, 1))], tells }));
    const state = { clock: [2], cell: [0, 0] };
    const line = "rule tick: clock=3 is outside 0..2; widen its domain or strengthen the guard";
    expect(() => compiledSteps(compileSystem(past, { symmetry: false }), state)).toThrow(line);
    expect(() => interpretSteps(past, state)).toThrow(line);
  });

  test("throws for an index past an array's end", () => {
    const past = broken(() => ({
      guard: less(clock, 9),
      body: [assign(cell.at(clock), 1)],
      tells,
    }));
    const state = { clock: [2], cell: [0, 0] };
    expect(() => compiledSteps(compileSystem(past, { symmetry: false }), state)).toThrow(
      "index of cell=2 is outside 0..1",
    );
    expect(() => interpretSteps(past, state)).toThrow("index of cell=2 is outside 0..1");
  });

  test("does not compile where a state needs more than eight words", () => {
    const wide = system({
      name: "wide",
      indexSets: [places("cell", 20)],
      variables: [arrayOver(places("cell", 20), "value", range(65_535))],
      rules: [],
      properties: [],
    });
    expect(() => compileSystem(wide, { symmetry: false })).toThrow(
      "wide: words=10 of a state are more than 8; lower the bounds",
    );
  });
});
