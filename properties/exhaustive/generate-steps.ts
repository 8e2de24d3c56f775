// How the rules of a system become one generated function that writes all successors of a state.
import { asInteger, knownValue, readField } from "./generated-code.ts";
import { lower, Names, type LoweringContext } from "./lower-expression.ts";
import { guardEnvironment, lowerBody, lowerGuard, type KnownFields } from "./lower-rule.ts";
import type { Field, Layout } from "./pack-layout.ts";
import type { Expression, System } from "./system-language.ts";
import { ruleInstances, type RuleInstance } from "./system-values.ts";

export interface GeneratedSteps {
  /** Function declarations, `expand` among them. */
  readonly source: string;
  readonly maxSuccessors: number;
}

/** Instances that a switch over one field sorts, so that most guards are never evaluated; without a field: the rest. */
interface Group {
  readonly field: Field | null;
  readonly members: readonly RuleInstance[];
}

export function generateSteps(system: System, layout: Layout): GeneratedSteps {
  const instances = ruleInstances(system);
  const groups = groupInstances(system, layout, instances);
  const generated = groups.map((group, place) => generateGroup(system, layout, group, place));
  const words = wordNames(layout);
  const loads = words.map((name, word) => `const ${name} = states[at + ${word}] | 0;`);
  const calls = groups.map(
    (_, place) => `n = group${place}(${words.join(", ")}, out, outAt, actions, n);`,
  );
  const expand = [
    "function expand(states, at, out, outAt, actions) {",
    ...loads,
    "let n = 0;",
    ...calls,
    "return n;",
    "}",
  ];
  return {
    source: [...generated.map((each) => each.source), ...expand].join("\n"),
    maxSuccessors: Math.max(
      1,
      generated.reduce((sum, each) => sum + each.most, 0),
    ),
  };
}

export function wordNames(layout: Layout): readonly string[] {
  return Array.from({ length: layout.words }, (_, word) => `w${word}`);
}

// A field is worth a switch if its value rules out at least half of what the guard allows otherwise.
const mostAllowed = 0.5;
// A field with more values than this is not switched over.
const widestSwitch = 63;
// Beyond this many characters a case becomes a function of its own: V8 does not optimise very large functions.
const longestGroup = 5000;

function groupInstances(
  system: System,
  layout: Layout,
  instances: readonly RuleInstance[],
): readonly Group[] {
  const narrowing = new Map(
    instances.map((each) => [each, narrowingFields(system, layout, each)] as const),
  );
  const groups: Group[] = [];
  let left = [...instances];
  for (;;) {
    const scores = new Map<number, number>();
    for (const each of left) {
      for (const [id, share] of narrowing.get(each) ?? []) {
        scores.set(id, (scores.get(id) ?? 0) + 1 - share);
      }
    }
    const [best] = [...scores].toSorted(([a, x], [b, y]) => y - x || a - b);
    const field = best === undefined ? undefined : layout.fields[best[0]];
    if (field === undefined) break;
    const isMember = (each: RuleInstance) => narrowing.get(each)?.has(field.id) === true;
    groups.push({ field, members: left.filter(isMember) });
    left = left.filter((each) => !isMember(each));
  }
  return left.length === 0 ? groups : [...groups, { field: null, members: left }];
}

/** The fields that decide much of the guard, with the share of their values that it allows. */
function narrowingFields(
  system: System,
  layout: Layout,
  instance: RuleInstance,
): ReadonlyMap<number, number> {
  const context = contextFor(system, layout, instance);
  const excluded = new Map<Field, Set<number>>();
  // Conjunct by conjunct: each is lowered once for every value of the fields that it reads itself.
  for (const conjunct of conjuncts(instance.rule.guard)) {
    for (const field of fieldsRead(context, instance, conjunct)) {
      const without = excluded.get(field) ?? new Set();
      excluded.set(field, without);
      for (let value = 0; value <= field.max; value += 1) {
        const at = guardEnvironment(instance, new Map([[field.id, value]]));
        if (knownValue(lower(context, at, conjunct)) === 0) without.add(value);
      }
    }
  }
  const shares = new Map<number, number>();
  for (const [{ id, max }, without] of excluded) {
    const share = 1 - without.size / (max + 1);
    if (share <= mostAllowed) shares.set(id, share);
  }
  return shares;
}

function conjuncts(guard: Expression): readonly Expression[] {
  return guard.kind === "and" ? guard.operands.flatMap(conjuncts) : [guard];
}

function fieldsRead(
  context: LoweringContext,
  instance: RuleInstance,
  expression: Expression,
): readonly Field[] {
  const asked = new Set<Field>();
  const at = guardEnvironment(instance, new Map());
  const known = (field: Field) => {
    if (field.max <= widestSwitch) asked.add(field);
    return null;
  };
  lower(context, { ...at, known }, expression);
  return [...asked];
}

function contextFor(system: System, layout: Layout, instance: RuleInstance): LoweringContext {
  return { system, layout, names: new Names(), where: `rule ${instance.rule.name}` };
}

function generateGroup(system: System, layout: Layout, group: Group, place: number) {
  const parameters = [...wordNames(layout), "out", "outAt", "actions", "n"].join(", ");
  const name = `group${place}`;
  const { field, members } = group;
  if (field === null) {
    const block = generateBlock(system, layout, members, new Map());
    return { source: asFunction(name, parameters, layout, block), most: block.count };
  }
  const cases = Array.from({ length: field.max + 1 }, (_, value) => ({
    value,
    block: generateBlock(system, layout, members, new Map([[field.id, value]])),
  })).filter(({ block }) => block.count > 0);
  const { word, shift, bits, max } = field;
  const read = asInteger(readField({ wordText: `w${word}`, shift, bits }, max));
  const most = Math.max(0, ...cases.map(({ block }) => block.count));
  const length = cases.reduce((sum, { block }) => sum + block.lines.join("\n").length, 0);
  if (length <= longestGroup) {
    const lines = [
      `switch (${read}) {`,
      ...cases.flatMap(({ value, block }) => [`case ${value}: {`, ...block.lines, "break; }"]),
      "}",
    ];
    const temporaries = cases.flatMap(({ block }) => block.temporaries);
    return {
      source: asFunction(name, parameters, layout, {
        lines,
        temporaries: [...new Set(temporaries)],
      }),
      most,
    };
  }
  const functions = cases.map(({ value, block }) =>
    asFunction(`${name}case${value}`, parameters, layout, block),
  );
  const dispatch = [
    `function ${name}(${parameters}) {`,
    `switch (${read}) {`,
    ...cases.map(({ value }) => `case ${value}: return ${name}case${value}(${parameters});`),
    "}",
    "return n;",
    "}",
  ];
  return { source: [...functions, ...dispatch].join("\n"), most };
}

interface Block {
  readonly lines: readonly string[];
  readonly temporaries: readonly string[];
}

function generateBlock(
  system: System,
  layout: Layout,
  members: readonly RuleInstance[],
  known: KnownFields,
): Block & { readonly count: number } {
  const names = new Names();
  const lines: string[] = [];
  let count = 0;
  for (const instance of members) {
    const context = { ...contextFor(system, layout, instance), names };
    const guard = lowerGuard(context, instance, known);
    if (knownValue(guard) === 0) continue;
    count += 1;
    const always = knownValue(guard) === 1;
    lines.push(always ? "{" : `if (${guard.text}) {`, ...lowerBody(context, instance, known), "}");
  }
  return { lines, temporaries: names.temporaries, count };
}

function asFunction(name: string, parameters: string, layout: Layout, block: Block): string {
  return [
    `function ${name}(${parameters}) {`,
    `let o = outAt + n * ${layout.words};`,
    ...(block.temporaries.length === 0
      ? []
      : [`let ${block.temporaries.map((t) => `${t} = 0`).join(", ")};`]),
    ...block.lines,
    "return n;",
    "}",
  ].join("\n");
}
