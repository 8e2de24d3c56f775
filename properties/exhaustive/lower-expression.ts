// How an expression of a system becomes generated JavaScript over packed words.
import {
  andCode,
  arithmeticCode,
  asInteger,
  chooseCode,
  compareCode,
  countCode,
  integer,
  knownValue,
  notCode,
  orCode,
  readField,
  readFlag,
  truth,
  type Code,
} from "./generated-code.ts";
import type { Field, Layout } from "./pack-layout.ts";
import type { Domain, Expression, System, TableDeclaration } from "./system-language.ts";
import { maximumOf, valuesOf } from "./system-values.ts";

/** Names for generated variables, unique within one generated function. */
export class Names {
  #next = 0;
  readonly temporaries: string[] = [];

  fresh(prefix: string): string {
    return `${prefix}${this.#next++}`;
  }

  /** A variable that is declared at the function's head, for use inside an expression. */
  temporary(): string {
    const name = this.fresh("t");
    this.temporaries.push(name);
    return name;
  }
}

/** What is fixed while an expression is lowered. */
export interface LoweringContext {
  readonly system: System;
  readonly layout: Layout;
  readonly names: Names;
  /** Where a fault happened, for the message that the generated code throws. */
  readonly where: string;
}

/** What an expression may refer to at one point of a rule. */
export interface Environment {
  readonly locals: ReadonlyMap<string, Code>;
  /** The value of a field, where it is certain at this point. */
  known(field: Field): number | null;
  /** The JavaScript variable that holds the word at this point. */
  wordText(word: number): string;
}

export function lower(context: LoweringContext, at: Environment, expression: Expression): Code {
  const inner = (each: Expression) => lower(context, at, each);
  switch (expression.kind) {
    case "constant":
      return typeof expression.value === "boolean"
        ? truth(expression.value)
        : integer(expression.value);
    case "none":
      return integer(expression.size);
    case "local":
      return at.locals.get(expression.name) ?? missing(expression.name);
    case "variable": {
      const fields = fieldsOf(context.layout, expression.name);
      const index = expression.index === null ? integer(0) : inner(expression.index);
      return select(context, at, fields, index);
    }
    case "table":
      return lookUp(context, expression.table, expression.indices.map(inner));
    case "arithmetic":
      return arithmeticCode(expression.operator, inner(expression.left), inner(expression.right));
    case "compare":
      return compareCode(expression.operator, inner(expression.left), inner(expression.right));
    case "and":
      return andCode(expression.operands.map(inner));
    case "or":
      return orCode(expression.operands.map(inner));
    case "not":
      return notCode(inner(expression.operand));
    case "choose":
      return chooseCode(
        inner(expression.test),
        inner(expression.then),
        inner(expression.otherwise),
      );
    case "every":
    case "some":
    case "count": {
      const { local, body, kind } = expression;
      const unrolled = valuesOf(local.domain).map((value) =>
        lower(context, bind(at, local.name, constantOf(local.domain, value)), body),
      );
      if (kind === "count") return countCode(unrolled);
      return kind === "every" ? andCode(unrolled) : orCode(unrolled);
    }
  }
}

export function constantOf(domain: Domain, value: number): Code {
  return domain.kind === "flag" ? truth(value === 1) : integer(value);
}

export function bind(at: Environment, name: string, code: Code): Environment {
  return {
    locals: new Map(at.locals).set(name, code),
    known: (field) => at.known(field),
    wordText: (word) => at.wordText(word),
  };
}

export function fieldsOf(layout: Layout, variable: string): readonly Field[] {
  const ids = layout.ofVariable.get(variable) ?? missing(variable);
  return ids.map((id) => layout.fields[id] ?? missing(variable));
}

/** The code as it is, where it surely lies in 0..max; else with a check that throws. */
export function checked(context: LoweringContext, code: Code, max: number, what: string): Code {
  if (code.min >= 0 && code.max <= max) return code;
  const name = context.names.temporary();
  const fault = `bad(${JSON.stringify(context.where)}, ${JSON.stringify(what)}, ${name}, ${max})`;
  const text = `((${name} = ${asInteger(code)}) >>> 0 <= ${max} ? ${name} : ${fault})`;
  return { text, boolean: false, min: 0, max };
}

function select(
  context: LoweringContext,
  at: Environment,
  fields: readonly Field[],
  index: Code,
): Code {
  const [first] = fields;
  if (first === undefined) return missing("an array without elements");
  const last = fields.length - 1;
  const place = knownValue(index);
  if (place !== null && place >= 0 && place <= last) return read(at, fields[place] ?? first);
  const inside = checked(context, index, last, `index of ${first.variable.name}`);
  const name = context.names.temporary();
  const options = fields.slice(inside.min, inside.max + 1).map((each) => read(at, each));
  const shared = sharedValue(options);
  // The index is evaluated first even where all elements are alike, since it may be out of range.
  const chosen = shared ?? chain(name, inside.min, options);
  return {
    text: `(${name} = ${inside.text}, ${chosen.boolean ? chosen.text : asInteger(chosen)})`,
    boolean: chosen.boolean,
    min: inside === index ? chosen.min : Math.min(0, chosen.min),
    max: inside === index ? chosen.max : first.max,
  };
}

function chain(index: string, from: number, options: readonly Code[]): Code {
  const place = (at: number): Code => ({ text: index, boolean: false, min: -1, max: at + 1 });
  return (
    options
      .map((code, offset) => ({ code, at: from + offset }))
      .reduceRight<Code | null>(
        (rest, { code, at }) =>
          rest === null
            ? code
            : chooseCode(compareCode("equal", place(at), integer(at)), code, rest),
        null,
      ) ?? integer(0)
  );
}

function sharedValue(options: readonly Code[]): Code | null {
  const [first] = options;
  return first !== undefined && options.every((each) => each.text === first.text) ? first : null;
}

function read(at: Environment, field: Field): Code {
  const flag = field.variable.domain.kind === "flag";
  const known = at.known(field);
  if (known !== null) return flag ? truth(known === 1) : integer(known);
  const { word, shift, bits, max } = field;
  const place = { wordText: at.wordText(word), shift, bits };
  return flag ? readFlag(place) : readField(place, max);
}

function lookUp(context: LoweringContext, name: string, indices: readonly Code[]): Code {
  const table = context.system.tables.find((each) => each.name === name) ?? missing(name);
  const inside = table.dimensions.map((size, dimension) =>
    checked(context, indices[dimension] ?? integer(0), size - 1, `index of ${name}`),
  );
  const entries = entriesWithin(table, inside);
  const [min, max] = [Math.min(...entries), Math.max(...entries)];
  const flag = table.result.kind === "flag";
  const pure = inside.every((each, dimension) => each === indices[dimension]);
  if (min === max && pure) return flag ? truth(min === 1) : integer(min);
  const place = table.dimensions.reduce((text, size, dimension) => {
    const index = inside[dimension] ?? integer(0);
    return text === "" ? asInteger(index) : `(${text} * ${size} + ${asInteger(index)})`;
  }, "");
  const text = `table_${name}[${place}]`;
  if (flag) return { text: `(${text} === 1)`, boolean: true, min: 0, max: 1 };
  return { text, boolean: false, min: pure ? min : 0, max: pure ? max : maximumOf(table.result) };
}

function entriesWithin(table: TableDeclaration, indices: readonly Code[]): readonly number[] {
  let places = [0];
  table.dimensions.forEach((size, dimension) => {
    const { min, max } = indices[dimension] ?? integer(0);
    const each = Array.from({ length: max - min + 1 }, (_, offset) => min + offset);
    places = places.flatMap((place) => each.map((index) => place * size + index));
  });
  return places.map((place) => table.values[place] ?? 0);
}

function missing(name: string): never {
  throw new Error(`${name} is not declared; check the system before compiling it`);
}
