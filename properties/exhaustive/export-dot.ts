// A system's reachable states as a drawing for Graphviz, as long as a reader can still follow it.
import { requireWellFormed } from "./check-system.ts";
import { tellState, tellStep } from "./describe-system.ts";
import {
  canonicalByPermuting,
  evaluate,
  interpretSteps,
  type SystemState,
} from "./interpret-system.ts";
import type { System } from "./system-language.ts";
import { initialValues, ruleInstances } from "./system-values.ts";

export type DotExport =
  | {
      readonly kind: "drawn";
      readonly text: string;
      readonly states: number;
      readonly edges: number;
    }
  | { readonly kind: "too large"; readonly message: string };

export interface DotOptions {
  /** Draw one state for each class of states that differ by a permutation. */
  readonly symmetry: boolean;
  /** No drawing beyond so many states. */
  readonly mostStates: number;
  readonly about?: readonly string[];
}

/**
 * One node a state, labelled by what differs from the first initial state; double where nothing follows, red where
 * an `always` is broken. One edge a step, labelled by actor and action.
 */
export function exportDot(system: System, options: DotOptions): DotExport {
  requireWellFormed(system);
  const canonical = (state: SystemState) =>
    options.symmetry ? canonicalByPermuting(system, state) : state;
  const numbers = new Map<string, number>();
  const states: SystemState[] = [];
  const numberOf = (state: SystemState) => {
    const key = JSON.stringify(state);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, states.length);
    states.push(state);
    return states.length - 1;
  };
  const instances = ruleInstances(system);
  const initial = initialValues(system).map((each) => numberOf(canonical(each)));
  const nodes: string[] = [];
  const edges: string[] = [];
  // `states` grows while it is walked: the walk is breadth first.
  for (const [number, state] of states.entries()) {
    if (states.length > options.mostStates) return tooLarge(system, options);
    const steps = interpretSteps(system, state);
    nodes.push(node(system, number, state, states[0] ?? state, steps.length === 0));
    for (const { action, state: after } of steps) {
      const instance = instances[action];
      if (instance === undefined) continue;
      const told = tellStep(system, instance, state, after);
      const label = quoted(`${told.actor}: ${told.action}`);
      edges.push(`  s${number} -> s${numberOf(canonical(after))} [label=${label}];`);
    }
  }
  const text = [
    ...[`${system.name}, exported from Latchkey for Graphviz.`, ...(options.about ?? [])].map(
      (each) => `// ${each}`,
    ),
    `// Run: dot -Tsvg FILE. ${states.length} states, ${edges.length} edges.`,
    `digraph ${quoted(system.name)} {`,
    "  node [shape=box, fontname=monospace];",
    "  start [shape=point];",
    ...[...new Set(initial)].map((number) => `  start -> s${number};`),
    ...nodes,
    ...edges,
    "}",
  ];
  return {
    kind: "drawn",
    text: `${text.join("\n")}\n`,
    states: states.length,
    edges: edges.length,
  };
}

function tooLarge(system: System, { mostStates }: DotOptions): DotExport {
  return {
    kind: "too large",
    message: `${system.name} has more than states=${mostStates}, which nobody can read as a drawing; lower the bounds`,
  };
}

function node(
  system: System,
  number: number,
  state: SystemState,
  first: SystemState,
  isLast: boolean,
): string {
  const before = tellState(system, first);
  const changed = Object.entries(tellState(system, state))
    .filter(([name, value]) => value !== before[name])
    .map(([name, value]) => `${name}: ${value}`);
  const broken = system.properties
    .filter(({ kind }) => kind === "always")
    .filter(({ predicate }) => evaluate(system, predicate, { state }) === 0)
    .map(({ id }) => `breaks ${id}`);
  const label = quoted([`${number}`, ...broken, ...changed].join("\n"));
  const colour = broken.length === 0 ? "" : ", color=red";
  return `  s${number} [label=${label}${isLast ? ", peripheries=2" : ""}${colour}];`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
