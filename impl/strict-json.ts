// Which JSON texts are read: those of RFC 8259 with each field once, a bounded depth, and numbers as written.

export type JsonValue =
  null | boolean | string | JsonNumber | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

/** A number as it was written: no float comes between the text and the decimal that it names. */
export class JsonNumber {
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }
}

export type JsonReading =
  | { readonly outcome: "value"; readonly value: JsonValue }
  | { readonly outcome: "malformed"; readonly detail: string };

/** Deepest nesting that is read; the payload needs one level. */
export const deepestNesting = 16;

/**
 * Reads one JSON text. `JSON.parse` would keep the last of two equal fields in silence, turn 1e309
 * into Infinity and 0.10 into 0.1: what a client signed and what is executed would differ.
 */
export function readJson(text: string): JsonReading {
  const reader = new JsonReader(text);
  const value = reader.readText();
  return value === undefined
    ? { outcome: "malformed", detail: reader.problem }
    : { outcome: "value", value };
}

/** The field of a JSON object; undefined where it has none, or is no object. */
export function fieldOf(value: JsonValue, name: string): JsonValue | undefined {
  const fields = value instanceof Map ? (value as ReadonlyMap<string, JsonValue>) : null;
  return fields?.get(name);
}

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// eslint-disable-next-line no-control-regex -- JSON forbids exactly these in a string
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const word = /true|false|null/y;

/** Each `read` method answers undefined where it found a problem, and says which. */
class JsonReader {
  readonly #text: string;
  #at = 0;
  problem = "";

  constructor(text: string) {
    this.#text = text;
  }

  readText(): JsonValue | undefined {
    const value = this.#readValue(0);
    if (value === undefined) return undefined;
    this.#take(space);
    return this.#at === this.#text.length ? value : this.#fail("text goes on after its end");
  }

  #readValue(depth: number): JsonValue | undefined {
    if (depth > deepestNesting) return this.#fail(`it nests deeper than ${deepestNesting} levels`);
    this.#take(space);
    switch (this.#text[this.#at]) {
      case "{":
        return this.#readObject(depth);
      case "[":
        return this.#readArray(depth);
      case '"':
        return this.#readString();
      default:
        return this.#readScalar();
    }
  }

  #readObject(depth: number): ReadonlyMap<string, JsonValue> | undefined {
    const fields = new Map<string, JsonValue>();
    this.#at++;
    if (this.#takes("}")) return fields;
    do {
      this.#take(space);
      const name = this.#readString();
      if (name === undefined) return undefined;
      if (fields.has(name)) return this.#fail("a field stands twice in one object");
      if (!this.#takes(":")) return this.#fail("a field has no colon");
      const value = this.#readValue(depth + 1);
      if (value === undefined) return undefined;
      fields.set(name, value);
    } while (this.#takes(","));
    return this.#takes("}") ? fields : this.#fail("an object does not end");
  }

  #readArray(depth: number): readonly JsonValue[] | undefined {
    const values: JsonValue[] = [];
    this.#at++;
    if (this.#takes("]")) return values;
    do {
      const value = this.#readValue(depth + 1);
      if (value === undefined) return undefined;
      values.push(value);
    } while (this.#takes(","));
    return this.#takes("]") ? values : this.#fail("an array does not end");
  }

  #readString(): string | undefined {
    const literal = this.#take(string);
    if (literal === "") return this.#fail("a string is missing or malformed");
    return JSON.parse(literal) as string;
  }

  #readScalar(): JsonValue | undefined {
    switch (this.#take(word)) {
      case "true":
        return true;
      case "false":
        return false;
      case "null":
        return null;
    }
    const literal = this.#take(number);
    return literal === "" ? this.#fail("a value is missing") : new JsonNumber(literal);
  }

  #takes(mark: string): boolean {
    this.#take(space);
    const found = this.#text[this.#at] === mark;
    if (found) this.#at++;
    return found;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }

  #fail(problem: string): undefined {
    this.problem = `${problem} (position=${this.#at})`;
  }
}
