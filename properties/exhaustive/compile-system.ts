// How a system becomes a packed model for the engine: generated JavaScript over a few 32-bit words.
import { tellState, tellStep } from "./describe-system.ts";
import { generateCanonical } from "./generate-canonical.ts";
import { asInteger, notCode } from "./generated-code.ts";
import { generateSteps, wordNames } from "./generate-steps.ts";
import type { SystemState } from "./interpret-system.ts";
import { lower, Names, type Environment } from "./lower-expression.ts";
import type { PackedModel } from "./model.ts";
import { layOut, type Layout } from "./pack-layout.ts";
import { requireWellFormed } from "./check-system.ts";
import type { Expression, System } from "./system-language.ts";
import { initialValues, outOfDomain, ruleInstances, SystemTooLarge } from "./system-values.ts";

export interface CompileOptions {
  /** Whether states that differ by a permutation of the symmetric set count as one. */
  readonly symmetry: boolean;
}

/** A packed model, with the way back from words to plain values. */
export interface CompiledSystem extends PackedModel {
  readonly layout: Layout;
  /** The generated JavaScript, for reading. */
  readonly source: string;
  pack(state: SystemState): Uint32Array;
  unpack(states: Uint32Array, at: number): SystemState;
}

interface GeneratedFunctions {
  readonly expand: PackedModel["expand"];
  readonly marks: PackedModel["marks"];
  readonly isEnd: ((states: Uint32Array, at: number) => boolean) | null;
  readonly canonicalise: ((states: Uint32Array, at: number) => void) | null;
}

/**
 * A model of the system. Throws a {@link SystemError} of one line where the system has a fault, a
 * {@link SystemTooLarge} where it needs more than eight words or 4096 successors; `expand` throws one when a step would leave a domain: a value never wraps silently.
 */
export function compileSystem(system: System, options: CompileOptions): CompiledSystem {
  requireWellFormed(system);
  const layout = layOut(system);
  const steps = generateSteps(system, layout);
  if (steps.maxSuccessors > 4096) {
    throw new SystemTooLarge(
      system.name,
      `successors=${steps.maxSuccessors} of one state are more than 4096`,
    );
  }
  const canonical = options.symmetry ? generateCanonical(system, layout) : null;
  const source = [
    '"use strict";',
    ...system.tables.map(tableSource),
    steps.source,
    predicatesSource(system, layout),
    canonical ?? "const canonicalise = null;",
    "return { expand, marks, isEnd, canonicalise };",
  ].join("\n");
  const { expand, marks, isEnd, canonicalise } = instantiate(source);
  const instances = ruleInstances(system);
  const unpack = (states: Uint32Array, at: number) => unpackState(layout, states, at);
  return {
    name: system.name,
    words: layout.words,
    maxSuccessors: steps.maxSuccessors,
    properties: system.properties.map(({ id, kind, statement, exercisedBy }) =>
      exercisedBy === null ? { id, kind, statement } : { id, kind, statement, exercisedBy },
    ),
    layout,
    source,
    expand,
    marks,
    ...(canonicalise === null ? {} : { canonicalise }),
    ...(isEnd === null ? {} : { isEnd }),
    initial: () => packInitial(system, layout),
    pack: (state) => packState(layout, state),
    unpack,
    describeAction: (action, before, after) => {
      const instance = instances[action];
      if (instance === undefined) throw new Error(`action=${action} is not one of ${system.name}`);
      return tellStep(system, instance, unpack(before, 0), unpack(after, 0));
    },
    describeState: (state) => tellState(system, unpack(state, 0)),
  };
}

/**
 * The functions that the source declares. `new Function` is what this compiler is for: interpreting the rules
 * costs hundreds of times more per step. The source is built from numbers and from names that `checkSystem` found
 * to be identifiers; messages are JSON strings; nothing of it comes from outside the process.
 */
function instantiate(source: string): GeneratedFunctions {
  const bad = (where: string, what: string, value: number, max: number) => {
    throw outOfDomain(where, what, value, max);
  };
  // oxlint-disable-next-line typescript/no-implied-eval -- the compiler's output, see above
  const build = new Function("bad", source) as (fail: typeof bad) => GeneratedFunctions;
  return build(bad);
}

function tableSource({ name, values }: System["tables"][number]): string {
  const array = Math.max(...values) < 256 ? "Uint8Array" : "Uint16Array";
  return `const table_${name} = new ${array}([${values.join(", ")}]);`;
}

/** `marks` and `isEnd`. An `always` is marked where it is broken, every other property where it holds. */
function predicatesSource(system: System, layout: Layout): string {
  const marks = system.properties.map(({ id, kind, predicate }, bit) => {
    const { code, declared } = lowerPredicate(system, layout, predicate, `property ${id}`);
    const marked = kind === "always" ? notCode(code) : code;
    return [...declared, `m |= ${asInteger(marked)} << ${bit};`].join(" ");
  });
  const functions = [
    "function marks(states, at) {",
    ...wordLoads(layout),
    "let m = 0;",
    ...marks.map((each) => `{ ${each} }`),
    "return m;",
    "}",
  ];
  if (system.end === null) return [...functions, "const isEnd = null;"].join("\n");
  const { code, declared } = lowerPredicate(system, layout, system.end, "end");
  return [
    ...functions,
    "function isEnd(states, at) {",
    ...wordLoads(layout),
    ...declared,
    `return ${code.text};`,
    "}",
  ].join("\n");
}

function wordLoads(layout: Layout): readonly string[] {
  return wordNames(layout).map((name, word) => `const ${name} = states[at + ${word}] | 0;`);
}

function lowerPredicate(system: System, layout: Layout, predicate: Expression, where: string) {
  const names = new Names();
  const environment: Environment = {
    locals: new Map(),
    known: () => null,
    wordText: (word) => `w${word}`,
  };
  const code = lower({ system, layout, names, where }, environment, predicate);
  return { code, declared: names.temporaries.map((each) => `let ${each} = 0;`) };
}

function packInitial(system: System, layout: Layout): Uint32Array {
  const states = initialValues(system).map((state) => packState(layout, state));
  const all = new Uint32Array(states.length * layout.words);
  states.forEach((state, place) => all.set(state, place * layout.words));
  return all;
}

function packState(layout: Layout, state: SystemState): Uint32Array {
  const words = new Uint32Array(layout.words);
  for (const { variable, element, word, shift } of layout.fields) {
    const value = state[variable.name]?.[element] ?? 0;
    words[word] = (words[word] ?? 0) | (value << shift);
  }
  return words;
}

function unpackState(layout: Layout, states: Uint32Array, at: number): SystemState {
  const state: Record<string, number[]> = {};
  for (const { variable, element, word, shift, bits } of layout.fields) {
    const elements = (state[variable.name] ??= []);
    elements[element] = ((states[at + word] ?? 0) >>> shift) & (2 ** bits - 1);
  }
  return state;
}
