// How the rules of a system become generated functions that write all successors of a state.
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

export function generateSteps(system: System, layout: Layout): GeneratedSteps {
  return new StepGenerator(system, layout).generate();
}

export function wordNames(layout: Layout): readonly string[] {
  return Array.from({ length: layout.words }, (_, word) => `w${word}`);
}

/** An instance, with the values that its guard allows each field that decides much of it. */
interface Member {
  readonly instance: RuleInstance;
  readonly allowed: ReadonlyMap<number, ReadonlySet<number>>;
}

/** What the switches around a piece of code have settled. */
interface Sorted {
  readonly known: KnownFields;
  /** Ids of the fields that were switched over. */
  readonly switched: ReadonlySet<number>;
}

/** Lines of generated code, and the most successors that they write. */
interface Block {
  readonly lines: readonly string[];
  readonly most: number;
}

// A field is worth a switch if the guard rules out at least so many of its values.
const mostAllowed = 0.8;
// A field with more values than this is not switched over.
const widestSwitch = 63;
// Switches within switches: which invariant is broken, an attempt's control state, the store's, and no further.
const deepest = 5;
// Beyond so many characters code becomes a function of its own: V8 does not optimise very large functions.
const longestFunction = 4000;

/**
 * Rules are sorted by switches over the fields that decide most about their guards, an attempt's control state
 * above all, so that most guards are never evaluated; inside a case the field's value is a constant.
 */
class StepGenerator {
  readonly #system: System;
  readonly #layout: Layout;
  readonly #functions: string[] = [];
  readonly #names = new Names();

  constructor(system: System, layout: Layout) {
    this.#system = system;
    this.#layout = layout;
  }

  generate(): GeneratedSteps {
    const members = ruleInstances(this.#system).map((instance) => ({
      instance,
      allowed: allowedValues(this.#context(instance), instance),
    }));
    const { lines, most } = this.#block(members, {
      known: new Map(),
      switched: new Set(),
    });
    const words = wordNames(this.#layout);
    this.#function("steps", lines);
    const expand = [
      "function expand(states, at, out, outAt, actions) {",
      ...words.map((name, word) => `const ${name} = states[at + ${word}] | 0;`),
      `return steps(${words.join(", ")}, out, outAt, actions, 0);`,
      "}",
    ];
    return {
      source: [...this.#functions, ...expand].join("\n"),
      maxSuccessors: Math.max(1, most),
    };
  }

  #block(members: readonly Member[], sorted: Sorted): Block {
    const { known } = sorted;
    const lines: string[] = [];
    let most = 0;
    let left = members;
    while (sorted.switched.size < deepest) {
      const field = bestField(this.#layout, left, sorted.switched);
      if (field === null) break;
      const decided = left.filter(({ allowed }) => allowed.has(field.id));
      left = left.filter(({ allowed }) => !allowed.has(field.id));
      const block = this.#switch(field, decided, sorted);
      lines.push(...block.lines);
      most += block.most;
    }
    for (const { instance } of left) {
      const context = this.#context(instance);
      const guard = lowerGuard(context, instance, known);
      if (knownValue(guard) === 0) continue;
      const head = knownValue(guard) === 1 ? "{" : `if (${guard.text}) {`;
      lines.push(head, ...lowerBody(context, instance, known), "}");
      most += 1;
    }
    return { lines, most };
  }

  #switch(field: Field, members: readonly Member[], sorted: Sorted): Block {
    const { id, word, shift, bits, max } = field;
    const lines: string[] = [];
    let most = 0;
    for (const values of alike(members, id, max)) {
      const [first] = values;
      const inside = members.filter(({ allowed }) => allowed.get(id)?.has(first ?? -1) === true);
      // Values that the same rules allow share their code, which then cannot count on the one value.
      const known = values.length === 1 ? new Map(sorted.known).set(id, first ?? 0) : sorted.known;
      const block = this.#block(inside, { known, switched: new Set(sorted.switched).add(id) });
      if (block.most === 0) continue;
      const labels = values.map((value) => `case ${value}:`).join(" ");
      lines.push(`${labels} {`, ...this.#outlined(block.lines), "break; }");
      most = Math.max(most, block.most);
    }
    const read = asInteger(readField({ wordText: `w${word}`, shift, bits }, max));
    return { lines: this.#outlined([`switch (${read}) {`, ...lines, "}"]), most };
  }

  /** The lines, or where they are many a call of a new function that holds them. */
  #outlined(lines: readonly string[]): readonly string[] {
    const length = lines.reduce((sum, each) => sum + each.length, 0);
    if (length <= longestFunction) return lines;
    const name = this.#names.fresh("steps");
    this.#function(name, lines);
    return [`n = ${name}(${this.#parameters()});`, `o = outAt + n * ${this.#layout.words};`];
  }

  #function(name: string, lines: readonly string[]): void {
    const text = lines.join("\n");
    // Every temporary of the whole generator has a name of its own; a function declares those that it uses.
    const used = [...new Set(text.match(/\bt\d+\b/g))].map((each) => `${each} = 0`);
    this.#functions.push(
      [
        `function ${name}(${this.#parameters()}) {`,
        `let o = outAt + n * ${this.#layout.words};`,
        ...(used.length === 0 ? [] : [`let ${used.join(", ")};`]),
        text,
        "return n;",
        "}",
      ].join("\n"),
    );
  }

  #parameters(): string {
    return [...wordNames(this.#layout), "out", "outAt", "actions", "n"].join(", ");
  }

  #context(instance: RuleInstance): LoweringContext {
    return {
      system: this.#system,
      layout: this.#layout,
      names: this.#names,
      where: `rule ${instance.rule.name}`,
    };
  }
}

/** The field that rules out most, over all these instances; null where none is worth a switch. */
function bestField(
  layout: Layout,
  members: readonly Member[],
  switched: ReadonlySet<number>,
): Field | null {
  const scores = new Map<number, number>();
  for (const { allowed } of members) {
    for (const [id, values] of allowed) {
      if (switched.has(id)) continue;
      const share = values.size / ((layout.fields[id]?.max ?? 0) + 1);
      scores.set(id, (scores.get(id) ?? 0) + 1 - share);
    }
  }
  const [best] = [...scores].toSorted(([a, x], [b, y]) => y - x || a - b);
  return best === undefined ? null : (layout.fields[best[0]] ?? null);
}

/** The values 0..max in classes: those that the same members allow are together. */
function alike(
  members: readonly Member[],
  id: number,
  max: number,
): readonly (readonly number[])[] {
  const classes = new Map<string, number[]>();
  for (let value = 0; value <= max; value += 1) {
    const key = members.map(({ allowed }) => (allowed.get(id)?.has(value) ? "1" : "0")).join("");
    classes.set(key, [...(classes.get(key) ?? []), value]);
  }
  return [...classes.values()];
}

function allowedValues(
  context: LoweringContext,
  instance: RuleInstance,
): ReadonlyMap<number, ReadonlySet<number>> {
  const allowed = new Map<Field, Set<number>>();
  // Conjunct by conjunct: each is lowered once for every value of the fields that it reads itself.
  for (const conjunct of conjuncts(instance.rule.guard)) {
    for (const field of fieldsRead(context, instance, conjunct)) {
      const values = allowed.get(field) ?? new Set(Array(field.max + 1).keys());
      allowed.set(field, values);
      for (const value of values) {
        const at = guardEnvironment(instance, new Map([[field.id, value]]));
        if (knownValue(lower(context, at, conjunct)) === 0) values.delete(value);
      }
    }
  }
  const deciding = [...allowed].filter(
    ([{ max }, values]) => values.size <= mostAllowed * (max + 1),
  );
  return new Map(deciding.map(([{ id }, values]) => [id, values]));
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
