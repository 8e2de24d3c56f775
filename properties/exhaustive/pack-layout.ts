// Where each variable of a system lives in the 32-bit words of a packed state.
import type { System, VariableDeclaration } from "./system-language.ts";
import { lengthOf, maximumOf, SystemError, SystemTooLarge, symmetricSet } from "./system-values.ts";

/** One element of a variable as bits of a word; it never straddles two. */
export interface Field {
  /** Its place in {@link Layout.fields}. */
  readonly id: number;
  readonly variable: VariableDeclaration;
  readonly element: number;
  readonly max: number;
  readonly word: number;
  readonly shift: number;
  readonly bits: number;
}

/** The fields of one member of the symmetric set that lie side by side, in the same order for every member. */
export interface Chunk {
  readonly bits: number;
  /** Where each member's chunk is. */
  readonly places: readonly Place[];
}

export interface Place {
  readonly word: number;
  readonly shift: number;
}

export interface Layout {
  readonly words: number;
  readonly fields: readonly Field[];
  /** Field ids of each variable, element by element. */
  readonly ofVariable: ReadonlyMap<string, readonly number[]>;
  readonly chunks: readonly Chunk[];
}

/** The most words of a packed state, as the engine bounds it. */
const mostWords = 8;

/**
 * Lays the variables out: the arrays over the symmetric set in chunks, so that members are compared and exchanged
 * whole; then everything else, the widest first, each into the first word with room.
 * Of several widths of chunk it takes the one that needs the fewest words, then the fewest chunks.
 */
export function layOut(system: System): Layout {
  const candidates = [32, 16, 10, 8].map((widest) => layOutChunks(system, widest));
  const [best, ...others] = candidates.filter((each) => each !== null);
  if (best === undefined) throw new SystemError(`${system.name}: a variable has over 32 bits`);
  const layout = others.reduce(
    (least, each) => (weight(each) < weight(least) ? each : least),
    best,
  );
  if (layout.words > mostWords) {
    throw new SystemTooLarge(
      system.name,
      `words=${layout.words} of a state are more than ${mostWords}`,
    );
  }
  return layout;
}

/** How many bits hold 0..max. */
function bitsFor(max: number): number {
  return Math.max(1, 32 - Math.clz32(max));
}

const weight = (layout: Layout) => layout.words * 100 + layout.chunks.length;

type Slot = { readonly variable: VariableDeclaration; readonly offset: number };

function layOutChunks(system: System, widest: number): Layout | null {
  const set = symmetricSet(system);
  const own = system.variables.filter((each) => set !== null && each.over === set.name);
  if (own.some((each) => bitsFor(maximumOf(each.domain)) > widest)) return null;
  const words = new Words();
  const fields: Omit<Field, "id">[] = [];
  const chunks: Chunk[] = [];
  for (const { bits, slots } of fillChunks(own, widest)) {
    const places = Array.from({ length: set?.size ?? 0 }, () => words.take(bits));
    chunks.push({ bits, places });
    places.forEach(({ word, shift }, element) => {
      for (const { variable, offset } of slots) {
        fields.push({ ...measured(variable), element, word, shift: shift + offset });
      }
    });
  }
  const others = system.variables.filter((each) => !own.includes(each));
  const elements = others.flatMap((variable) =>
    Array.from({ length: lengthOf(system, variable) }, (_, element) => ({
      ...measured(variable),
      element,
    })),
  );
  for (const each of elements.toSorted((a, b) => b.bits - a.bits)) {
    fields.push({ ...each, ...words.take(each.bits) });
  }
  return numbered(system, fields, chunks, words.count);
}

function measured(variable: VariableDeclaration) {
  const max = maximumOf(variable.domain);
  return { variable, max, bits: bitsFor(max) };
}

function fillChunks(own: readonly VariableDeclaration[], widest: number) {
  const chunks: { bits: number; slots: Slot[] }[] = [];
  const widestFirst = own.map(measured).toSorted((a, b) => b.bits - a.bits);
  for (const { variable, bits } of widestFirst) {
    let chunk = chunks.find((each) => each.bits + bits <= widest);
    if (chunk === undefined) chunks.push((chunk = { bits: 0, slots: [] }));
    chunk.slots.push({ variable, offset: chunk.bits });
    chunk.bits += bits;
  }
  return chunks;
}

function numbered(
  system: System,
  fields: readonly Omit<Field, "id">[],
  chunks: readonly Chunk[],
  words: number,
): Layout {
  const ordered: Field[] = [];
  const ofVariable = new Map<string, readonly number[]>();
  for (const variable of system.variables) {
    const elements = fields
      .filter((each) => each.variable === variable)
      .toSorted((a, b) => a.element - b.element)
      .map((each, place) => ({ ...each, id: ordered.length + place }));
    ordered.push(...elements);
    ofVariable.set(
      variable.name,
      elements.map(({ id }) => id),
    );
  }
  return { words, fields: ordered, ofVariable, chunks };
}

/** First fit: the bits that are left in each word. */
class Words {
  readonly #used: number[] = [];

  get count(): number {
    return Math.max(1, this.#used.length);
  }

  take(bits: number): Place {
    const found = this.#used.findIndex((used) => used + bits <= 32);
    const word = found === -1 ? this.#used.length : found;
    const shift = this.#used[word] ?? 0;
    this.#used[word] = shift + bits;
    return { word, shift };
  }
}
