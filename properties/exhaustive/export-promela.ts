// A system as a Promela model whose states SPIN counts as we do.
import { requireWellFormed } from "./check-system.ts";
import { evaluate } from "./interpret-system.ts";
import {
  hiddenName,
  promelaExpression,
  promelaName,
  promelaStatements,
  promelaValue,
} from "./promela-text.ts";
import type {
  Domain,
  Expression,
  LocalDeclaration,
  Property,
  Rule,
  Statement,
  System,
} from "./system-language.ts";
import { combinations, initialValues, maximumOf } from "./system-values.ts";

export interface ExportOptions {
  /** Which properties the model carries; absent: every `always` in Promela, every property that Murphi can state. */
  readonly propertyIds?: readonly string[];
  /** Promela only. False: states without successors are not judged, so that an error can only be a property's. */
  readonly judgesEnds?: boolean;
  /** Lines for the head of the file: policy, bounds. */
  readonly about?: readonly string[];
  /** Our own counts, for the head of the file. */
  readonly expected?: GraphCounts;
}

/** What an exhaustive search of the system counts. */
export interface GraphCounts {
  readonly states: number;
  readonly edges: number;
  /** States without successors. */
  readonly ends: number;
}

/**
 * The system as one process that repeats `d_step { guard -> body }`. SPIN's `else` marks the states without
 * successors, where the end predicate is asserted. An `always` is asserted after every step; a `sometimes` is
 * asserted never to occur, so that SPIN's error is its witness. An `eventually` is a formula of linear time, which
 * is part of the model only where its name is defined: with a formula SPIN counts pairs of states, not ours.
 * `reachable` is not part of it: "from every state a goal can be reached" is no formula of linear time.
 */
export function exportPromela(system: System, options: ExportOptions = {}): string {
  requireWellFormed(system);
  const carried = carriedProperties(system, options);
  const chosen = choosesInitialState(system, options);
  const lines = [
    ...head(system, options),
    ...definitions(system),
    ...tables(system),
    ...variables(system, chosen),
    ...locals(system),
    ...system.rules.flatMap((each) => ruleMacros(system, each)),
    ...checks(system, carried),
    ...process(system, options, chosen),
    ...formulas(system),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * What SPIN prints for a system of these counts. Stored states are ours, and one more where the initial state is
 * chosen by a first step. "Transitions" are stored plus matched: our edges, and one for the initial state itself,
 * one for each choice of an initial state, and one for each end state, where `else` leads back to the same state.
 */
export function spinCounts(
  system: System,
  counts: GraphCounts,
  options: ExportOptions = {},
): { readonly states: number; readonly transitions: number } {
  const chosen = choosesInitialState(system, options);
  return {
    states: counts.states + (chosen ? 1 : 0),
    transitions:
      counts.edges +
      1 +
      (chosen ? system.initialStates.length : 0) +
      (judgedEnd(system, options) === null ? 0 : counts.ends),
  };
}

function carriedProperties(system: System, options: ExportOptions): readonly Property[] {
  return system.properties.filter(({ id, kind }) =>
    options.propertyIds === undefined
      ? kind === "always"
      : options.propertyIds.includes(id) && (kind === "always" || kind === "sometimes"),
  );
}

/** Several initial states are chosen from by a first step; so is one in which an assertion fails already. */
function choosesInitialState(system: System, options: ExportOptions): boolean {
  const states = initialValues(system);
  return (
    states.length > 1 ||
    carriedProperties(system, options).some(({ kind, predicate }) =>
      states.some(
        (state) => (evaluate(system, predicate, { state }) === 1) === (kind === "sometimes"),
      ),
    )
  );
}

function head(system: System, options: ExportOptions): readonly string[] {
  const { expected, about = [] } = options;
  const counts = expected === undefined ? null : spinCounts(system, expected, options);
  return [
    `// ${system.name}, exported from Latchkey for SPIN.`,
    ...about.map((each) => `// ${each}`),
    "// Run: spin -o1 -o2 -a FILE && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000 -c0",
    "// -c0 counts on past the first error; errors: 0 means that every assertion holds.",
    "// -o1 and -o2 keep SPIN from dropping variables that no guard reads: they are part of our states.",
    ...(counts === null || expected === undefined
      ? []
      : [
          `// Latchkey counts ${expected.states} states, ${expected.edges} edges, ${expected.ends} ends;`,
          `// SPIN must count ${counts.states} states, stored, and ${counts.transitions} transitions.`,
        ]),
    "",
  ];
}

function definitions(system: System): readonly string[] {
  const defined = new Map<string, number>();
  for (const domain of domainsOf(system)) {
    if (domain.kind === "named") {
      domain.values.forEach((_, value) => defined.set(promelaValue(domain, value), value));
    }
  }
  for (const { name, size } of system.indexSets) defined.set(`no_${name}`, size);
  return [...[...defined].map(([name, value]) => `#define ${name} ${value}`), ""];
}

function domainsOf(system: System): readonly Domain[] {
  return [
    ...system.variables.map((each) => each.domain),
    ...system.tables.map((each) => each.result),
    ...system.rules.flatMap((each) => each.parameters.map(({ domain }) => domain)),
    ...declaredLocals(system).map(({ domain }) => domain),
  ];
}

/** Constant tables are hidden: they are no part of the state. */
function tables(system: System): readonly string[] {
  return system.tables.map(
    ({ name, values }) =>
      `hidden ${Math.max(...values) < 256 ? "byte" : "int"} ${hiddenName("table", name)}[${values.length}] = { ${values.join(", ")} };`,
  );
}

function variables(system: System, chosen: boolean): readonly string[] {
  const [initial] = initialValues(system);
  const declared = system.variables.flatMap((variable) => {
    const { name, domain, over } = variable;
    const values = initial?.[name] ?? [];
    const type = typeOf(domain);
    const size = over === null ? "" : `[${values.length}]`;
    const texts = values.map((value) => promelaValue(domain, value));
    // With a choice to come everything is zero before it, so that the state before is the same for all.
    if (chosen) return [`${type} ${promelaName(name)}${size};`];
    const same = texts.every((each) => each === texts[0]);
    const value = over === null || same ? (texts[0] ?? "0") : `{ ${texts.join(", ")} }`;
    return [`${type} ${promelaName(name)}${size} = ${value};`];
  });
  return [...declared, ""];
}

function typeOf(domain: Domain): string {
  if (domain.kind === "flag") return "bit";
  const max = maximumOf(domain);
  if (max < 256) return "byte";
  return max < 32_768 ? "short" : "int";
}

/** Locals are hidden too, since they mean nothing between steps. */
function locals(system: System): readonly string[] {
  const names = new Set(declaredLocals(system).map(({ name }) => hiddenName("let", name)));
  return [...names].map((name) => `hidden int ${name};`);
}

function declaredLocals(system: System): readonly LocalDeclaration[] {
  const within = (statements: readonly Statement[]): readonly LocalDeclaration[] =>
    statements.flatMap((each) => {
      if (each.kind === "let") return [each.local, ...within(each.body)];
      if (each.kind === "for") return within(each.body);
      return each.kind === "if" ? [...within(each.then), ...within(each.otherwise)] : [];
    });
  return system.rules.flatMap((each) => within(each.body));
}

function ruleMacros(system: System, rule: Rule): readonly string[] {
  const name = promelaName(rule.name);
  const parameters = rule.parameters.map((each) => promelaName(each.name)).join(", ");
  const names = new Map(rule.parameters.map((each) => [each.name, promelaName(each.name)]));
  return [
    "",
    `#define ${name}_guard(${parameters}) (${promelaExpression(system, rule.guard, names)})`,
    `inline ${name}_body(${parameters}) {`,
    ...promelaStatements(system, rule.body, names, "  "),
    "}",
  ];
}

function checks(system: System, carried: readonly Property[]): readonly string[] {
  const asserted = carried.flatMap(({ id, kind, statement, predicate }) => {
    const text = promelaExpression(system, predicate, new Map());
    return [
      `  // ${id} (${kind}): ${statement}`,
      `  assert(${kind === "always" ? text : `!(${text})`});`,
    ];
  });
  return [
    "",
    "inline check_properties() {",
    ...(asserted.length === 0 ? ["  skip;"] : asserted),
    "}",
  ];
}

function process(system: System, options: ExportOptions, chosen: boolean): readonly string[] {
  const steps = system.rules.flatMap((rule) => {
    const name = promelaName(rule.name);
    return combinations(rule.parameters).map((values) => {
      const given = rule.parameters.map((each, i) => promelaValue(each.domain, values[i] ?? 0));
      const call = given.join(", ");
      return `  :: d_step { ${name}_guard(${call}) -> ${name}_body(${call}); check_properties() }`;
    });
  });
  const end = judgedEnd(system, options);
  return [
    "",
    "active proctype the_system() {",
    ...(chosen ? initialChoice(system) : []),
    // Without this label a state without successors is an error of its own: an invalid end state.
    options.judgesEnds === false ? "end:  do" : "  do",
    ...steps,
    ...(end === null ? [] : [endOption(system, end)]),
    "  od",
    "}",
  ];
}

/** The name that is defined to make SPIN judge an `eventually`: one at a time. */
export function eventuallyName(id: string): string {
  return `EVENTUALLY_${promelaName(id)}`;
}

/** No fairness is assumed, and an execution that ends stays where it is: both as the search has it. */
function formulas(system: System): readonly string[] {
  return system.properties.flatMap(({ id, kind, statement, predicate }) =>
    kind === "eventually"
      ? [
          "",
          `// ${id} (eventually): ${statement}`,
          `// Run: spin -o1 -o2 -D${eventuallyName(id)} -a FILE && gcc -O2 -DNOREDUCE -o pan pan.c && ./pan -a -m1000000`,
          `#ifdef ${eventuallyName(id)}`,
          `ltl ${promelaName(id)} { <> (${promelaExpression(system, predicate, new Map())}) }`,
          "#endif",
        ]
      : [],
  );
}

function judgedEnd(system: System, options: ExportOptions): Expression | null {
  return options.judgesEnds === false ? null : system.end;
}

function endOption(system: System, end: Expression): string {
  return `  :: d_step { else -> assert(${promelaExpression(system, end, new Map())}) }`;
}

function initialChoice(system: System): readonly string[] {
  const options = initialValues(system).map((state) => {
    const assigned = system.variables.flatMap(({ name, domain, over }) =>
      (state[name] ?? []).map((value, element) => {
        const target = over === null ? promelaName(name) : `${promelaName(name)}[${element}]`;
        return `${target} = ${promelaValue(domain, value)};`;
      }),
    );
    return `  :: d_step { ${assigned.join(" ")} check_properties() }`;
  });
  return ["  if", ...options, "  fi;"];
}
