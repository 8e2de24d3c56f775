// How a packed state is replaced by the representative of its symmetry class, as generated code.
import { maskOf } from "./generated-code.ts";
import type { Field, Layout, Place } from "./pack-layout.ts";
import type { IndexSet, System } from "./system-language.ts";
import { symmetricSet } from "./system-values.ts";

/** The source of `canonicalise(states, at)`, or null for a system without symmetry. */
export function generateCanonical(system: System, layout: Layout): string | null {
  const set = symmetricSet(system);
  if (set === null || set.size < 2) return null;
  const holders = layout.fields.filter(
    ({ variable }) => variable.domain.kind === "member" && variable.domain.set === set.name,
  );
  const pointsAmongMembers = holders.some(({ variable }) => variable.over === set.name);
  // A set's members can be sorted by their own fields and by who points at them, unless they point at each other.
  return pointsAmongMembers || holders.length > 31
    ? byTrying(layout, set)
    : bySorting(layout, set, holders);
}

/**
 * Sorts the members by signature: their chunks, then one bit for each holder variable that names them. Two members
 * with one signature can be exchanged without a trace (a variable names one member only), so the sorted state is
 * the same for all states of a class: a true canonical form, without trying permutations.
 */
function bySorting(layout: Layout, set: IndexSet, holders: readonly Field[]): string {
  const members = Array.from({ length: set.size }, (_, member) => member);
  const columns = [
    ...layout.chunks.map((_, chunk) => `c${chunk}_`),
    ...(holders.length === 0 ? [] : ["h"]),
  ];
  const lines = ["function canonicalise(states, at) {", ...loadWords(layout)];
  layout.chunks.forEach(({ bits, places }, chunk) => {
    places.forEach((place, member) => {
      lines.push(`let c${chunk}_${member} = ${extract(place, bits)};`);
    });
  });
  holders.forEach((field, bit) => lines.push(`const v${bit} = ${extract(field, field.bits)};`));
  if (holders.length > 0) {
    for (const member of members) {
      const bits = holders.map((_, bit) => `(v${bit} === ${member} ? ${1 << bit} : 0)`);
      lines.push(`let h${member} = ${bits.join(" | ")};`);
    }
  }
  const after = (a: number, b: number) => lexicographicallyAfter(columns, a, b);
  const unsorted = members.slice(1).map((member) => after(member - 1, member));
  lines.push(`if (!(${unsorted.join(" || ")})) return;`, "let t = 0;");
  // Bubble sort as a fixed network: N(N-1)/2 comparisons, and N is small.
  for (const last of members.toReversed()) {
    for (let member = 0; member < last; member += 1) {
      const swaps = columns.map(
        (column) =>
          `t = ${column}${member}; ${column}${member} = ${column}${member + 1}; ${column}${member + 1} = t;`,
      );
      lines.push(`if (${after(member, member + 1)}) { ${swaps.join(" ")} }`);
    }
  }
  lines.push(...storeSorted(layout, set, holders), "}");
  return lines.join("\n");
}

function lexicographicallyAfter(columns: readonly string[], a: number, b: number): string {
  return columns.reduceRight((rest, column) => {
    const [left, right] = [`${column}${a}`, `${column}${b}`];
    const later = `${left} > ${right}`;
    return rest === "" ? later : `(${later} || (${left} === ${right} && ${rest}))`;
  }, "");
}

function storeSorted(layout: Layout, set: IndexSet, holders: readonly Field[]): readonly string[] {
  const moved = layout.chunks.flatMap(({ bits, places }, chunk) =>
    places.map((place, member) => ({ place, bits, text: `c${chunk}_${member}` })),
  );
  const named = holders.map((field, bit) => {
    const members = Array.from({ length: set.size }, (_, member) => member);
    const text = members.reduceRight(
      (rest, member) => `((h${member} & ${1 << bit}) !== 0 ? ${member} : ${rest})`,
      `v${bit}`,
    );
    return { place: field, bits: field.bits, text };
  });
  return storeWords(layout, [...moved, ...named]);
}

function storeWords(
  layout: Layout,
  parts: readonly { readonly place: Place; readonly bits: number; readonly text: string }[],
): readonly string[] {
  return Array.from({ length: layout.words }, (_, word) => {
    const own = parts.filter(({ place }) => place.word === word);
    const covered = own.reduce((mask, { place, bits }) => mask | (maskOf(bits) << place.shift), 0);
    if (covered === 0) return "";
    const values = own.map(({ place, text }) => `(${text} << ${place.shift})`);
    return `states[at + ${word}] = ${[`(w${word} & ${~covered})`, ...values].join(" | ")};`;
  }).filter((line) => line !== "");
}

/** Tries every permutation and keeps the least words; for members that point at each other. */
function byTrying(layout: Layout, set: IndexSet): string {
  const isHolder = ({ variable }: Field) =>
    variable.domain.kind === "member" && variable.domain.set === set.name;
  // Where each field's value goes under a permutation p of the members, and whether the value is itself a member.
  const moves = layout.fields.map((field) => ({
    from: field,
    own: field.variable.over === set.name ? layout.ofVariable.get(field.variable.name) : undefined,
    holder: isHolder(field),
  }));
  const assemble = moves.map(({ from, own, holder }, id) => {
    const value = holder ? `p[f[${id}]]` : `f[${id}]`;
    const targets = own?.map((target) => layout.fields[target]);
    if (targets === undefined) return `b[${from.word}] |= ${value} << ${from.shift};`;
    const name = `to${id}`;
    return `x = p[${from.element}]; b[${name}[x * 2]] |= ${value} << ${name}[x * 2 + 1];`;
  });
  const tables = moves.flatMap(({ own }, id) =>
    own === undefined
      ? []
      : [
          `const to${id} = new Uint8Array([${own.flatMap((target) => [layout.fields[target]?.word ?? 0, layout.fields[target]?.shift ?? 0]).join(", ")}]);`,
        ],
  );
  const loads = layout.fields.map((field, id) => `f[${id}] = ${extract(field, field.bits)};`);
  return [
    `const permutations = [${permutationTexts(set.size).join(", ")}];`,
    `const f = new Int32Array(${layout.fields.length});`,
    `const b = new Uint32Array(${layout.words});`,
    ...tables,
    "function canonicalise(states, at) {",
    ...loadWords(layout),
    ...loads,
    "let x = 0;",
    "for (let k = 0; k < permutations.length; k += 1) {",
    "const p = permutations[k];",
    "b.fill(0);",
    ...assemble,
    `for (x = 0; x < ${layout.words} && b[x] === states[at + x]; x += 1);`,
    `if (x < ${layout.words} && b[x] < states[at + x]) {`,
    `for (x = 0; x < ${layout.words}; x += 1) states[at + x] = b[x];`,
    "}",
    "}",
    "}",
  ].join("\n");
}

/** Each permutation maps nobody (the set's size) to itself. */
function permutationTexts(size: number): readonly string[] {
  const all = (length: number): readonly (readonly number[])[] =>
    length === 0
      ? [[]]
      : all(length - 1).flatMap((rest) =>
          Array.from({ length }, (_, at) => [...rest.slice(0, at), length - 1, ...rest.slice(at)]),
        );
  return all(size).map((each) => `new Uint8Array([${[...each, size].join(", ")}])`);
}

function loadWords(layout: Layout): readonly string[] {
  return Array.from(
    { length: layout.words },
    (_, word) => `const w${word} = states[at + ${word}] | 0;`,
  );
}

function extract({ word, shift }: Place, bits: number): string {
  if (bits === 32) return `w${word}`;
  const shifted = shift === 0 ? `w${word}` : `(w${word} >>> ${shift})`;
  return `(${shifted} & ${maskOf(bits)})`;
}
