// How the guard and the body of one rule, its parameters given, become generated JavaScript.
import { asInteger, integer, knownValue, maskOf, type Code } from "./generated-code.ts";
import {
  bind,
  checked,
  constantOf,
  fieldsOf,
  lower,
  type Environment,
  type LoweringContext,
} from "./lower-expression.ts";
import type { Field } from "./pack-layout.ts";
import type { Expression, Statement } from "./system-language.ts";
import { maximumOf, valuesOf, type RuleInstance } from "./system-values.ts";

/** Fields whose value is certain at the point of the generated code where they are used. */
export type KnownFields = ReadonlyMap<number, number>;

/** The guard as code over the words w0, w1, …; `false` where `known` rules it out. */
export function lowerGuard(
  context: LoweringContext,
  instance: RuleInstance,
  known: KnownFields,
): Code {
  return lower(context, guardEnvironment(instance, known), instance.rule.guard);
}

/** The lines that write the successor of the words w0, w1, … to `out`, count it in `n`, and note the action. */
export function lowerBody(
  context: LoweringContext,
  instance: RuleInstance,
  known: KnownFields,
): readonly string[] {
  const { words } = context.layout;
  const learned = new Map(known);
  const at = guardEnvironment(instance, known);
  learn(context, at, instance.rule.guard, learned);
  const body = new BodyWriter(context, learned);
  body.statements(instance.rule.body, at.locals);
  body.flush();
  const names = Array.from({ length: words }, (_, word) => word);
  const declared = names
    .filter((word) => body.used.has(word))
    .map((word) => `${body.written.has(word) ? "let" : "const"} n${word} = w${word};`);
  const stores = names.map(
    (word) => `out[o + ${word}] = ${body.written.has(word) ? "n" : "w"}${word};`,
  );
  return [
    ...declared,
    ...body.lines,
    ...stores,
    `actions[n] = ${instance.action};`,
    `n += 1; o += ${words};`,
  ];
}

export function guardEnvironment(instance: RuleInstance, known: KnownFields): Environment {
  const locals = instance.rule.parameters.map(
    ({ name, domain }, place) => [name, constantOf(domain, instance.values[place] ?? 0)] as const,
  );
  return {
    locals: new Map(locals),
    known: (field) => known.get(field.id) ?? null,
    wordText: (word) => `w${word}`,
  };
}

/** Notes what a condition that holds says about single fields: that they equal a constant. */
function learn(
  context: LoweringContext,
  at: Environment,
  condition: Expression,
  known: Map<number, number>,
): void {
  if (condition.kind === "and") {
    for (const each of condition.operands) learn(context, at, each, known);
  }
  if (condition.kind === "variable") note(context, at, condition, 1, known);
  if (condition.kind === "not" && condition.operand.kind === "variable") {
    note(context, at, condition.operand, 0, known);
  }
  if (condition.kind !== "compare" || condition.operator !== "equal") return;
  const sides = [condition.left, condition.right];
  for (const [side, other] of [sides, sides.toReversed()]) {
    if (side?.kind !== "variable" || other === undefined) continue;
    const value = knownValue(lower(context, at, other));
    if (value !== null) note(context, at, side, value, known);
  }
}

function note(
  context: LoweringContext,
  at: Environment,
  variable: Expression & { readonly kind: "variable" },
  value: number,
  known: Map<number, number>,
): void {
  const index = variable.index === null ? 0 : knownValue(lower(context, at, variable.index));
  const field = index === null ? undefined : fieldsOf(context.layout, variable.name)[index];
  if (field !== undefined) known.set(field.id, value);
}

/** Writes statements in order; constant assignments to one word are gathered into one operation. */
class BodyWriter {
  readonly lines: string[] = [];
  readonly written = new Set<number>();
  readonly used = new Set<number>();
  readonly #context: LoweringContext;
  #known: Map<number, number>;
  #pending = new Map<number, { readonly mask: number; readonly value: number }>();

  constructor(context: LoweringContext, known: ReadonlyMap<number, number>) {
    this.#context = context;
    this.#known = new Map(known);
  }

  statements(statements: readonly Statement[], locals: ReadonlyMap<string, Code>): void {
    for (const statement of statements) this.#statement(statement, locals);
  }

  flush(): void {
    for (const word of this.#pending.keys()) this.#store(word, 0, null);
  }

  #statement(statement: Statement, locals: ReadonlyMap<string, Code>): void {
    const at = this.#environment(locals);
    switch (statement.kind) {
      case "assign":
        this.#assign(statement, at);
        return;
      case "if":
        this.#branch(statement, at);
        return;
      case "let": {
        const { local, value, body } = statement;
        const code = lower(this.#context, at, value);
        const held = checked(this.#context, code, maximumOf(local.domain), local.name);
        this.statements(body, bind(at, local.name, this.#hold(held)).locals);
        return;
      }
      case "for":
        for (const value of valuesOf(statement.local.domain)) {
          const { name, domain } = statement.local;
          this.statements(statement.body, bind(at, name, constantOf(domain, value)).locals);
        }
    }
  }

  /** The value under a name of its own, so that later assignments do not change it. */
  #hold(code: Code): Code {
    if (knownValue(code) !== null) return code;
    const name = this.#context.names.fresh("l");
    this.lines.push(`const ${name} = ${code.text};`);
    return { text: name, boolean: code.boolean, min: code.min, max: code.max };
  }

  #assign(statement: Statement & { readonly kind: "assign" }, at: Environment): void {
    const { name, index } = statement.target;
    const fields = fieldsOf(this.#context.layout, name);
    const max = fields[0]?.max ?? 0;
    const place = index === null ? integer(0) : lower(this.#context, at, index);
    const value = checked(this.#context, lower(this.#context, at, statement.value), max, name);
    const known = knownValue(place);
    const single = known === null ? undefined : fields[known];
    if (single !== undefined) {
      this.#set(single, value);
      return;
    }
    const inside = checked(this.#context, place, fields.length - 1, `index of ${name}`);
    const held = this.#hold(value);
    const chosen = this.#hold(inside);
    this.flush();
    const known0 = new Map(this.#known);
    for (const field of fields.slice(chosen.min, chosen.max + 1)) {
      this.lines.push(`if (${chosen.text} === ${field.element}) {`);
      this.#set(field, held);
      this.flush();
      this.lines.push("}");
    }
    for (const field of fields) known0.delete(field.id);
    this.#known = known0;
  }

  #branch(statement: Statement & { readonly kind: "if" }, at: Environment): void {
    const test = lower(this.#context, at, statement.test);
    const known = knownValue(test);
    if (known !== null) {
      this.statements(known === 1 ? statement.then : statement.otherwise, at.locals);
      return;
    }
    this.flush();
    const before = this.#known;
    this.#known = new Map(before);
    learn(this.#context, at, statement.test, this.#known);
    this.lines.push(`if (${test.text}) {`);
    this.statements(statement.then, at.locals);
    this.flush();
    const afterThen = this.#known;
    this.#known = new Map(before);
    this.lines.push("} else {");
    this.statements(statement.otherwise, at.locals);
    this.flush();
    this.lines.push("}");
    const afterOtherwise = this.#known;
    this.#known = new Map([...afterThen].filter(([id, value]) => afterOtherwise.get(id) === value));
  }

  #set(field: Field, value: Code): void {
    const mask = maskOf(field.bits) << field.shift;
    const known = knownValue(value);
    if (known === null) {
      this.#known.delete(field.id);
      this.#store(field.word, mask, `(${asInteger(value)} << ${field.shift})`);
      return;
    }
    // Assigning what is there already is no work at all.
    if (this.#known.get(field.id) === known) return;
    this.#known.set(field.id, known);
    const before = this.#pending.get(field.word) ?? { mask: 0, value: 0 };
    this.#pending.set(field.word, {
      mask: before.mask | mask,
      value: (before.value & ~mask) | (known << field.shift),
    });
    this.#touch(field.word);
  }

  #store(word: number, mask: number, text: string | null): void {
    const pending = this.#pending.get(word) ?? { mask: 0, value: 0 };
    this.#pending.delete(word);
    this.#touch(word);
    const kept = `(n${word} & ${~(mask | pending.mask)})`;
    const constant = pending.value & ~mask;
    const parts = [
      kept,
      ...(constant === 0 ? [] : [String(constant)]),
      ...(text === null ? [] : [text]),
    ];
    this.lines.push(`n${word} = ${parts.join(" | ")};`);
  }

  #touch(word: number): void {
    this.written.add(word);
    this.used.add(word);
  }

  #environment(locals: ReadonlyMap<string, Code>): Environment {
    return {
      locals,
      known: (field) => this.#known.get(field.id) ?? null,
      wordText: (word) => {
        if (this.#pending.has(word)) this.#store(word, 0, null);
        this.used.add(word);
        return `n${word}`;
      },
    };
  }
}
