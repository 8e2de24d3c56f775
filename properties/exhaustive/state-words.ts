// Decides which narrow states are new: their words stand in the table itself.
import type { Batch } from "./batch.ts";
import { hashStates } from "./state-hash.ts";
import { eachWord, functionOf, isZero, perWidth, readState } from "./state-loops.ts";
import { dropText, insertText } from "./state-lookup.ts";
import type { Cursor, Insert, StateLookup } from "./state-lookup.ts";
import { isSameLine, nextSlot, readEntry, StateTable, writeEntry } from "./state-table.ts";

/** A probe stays in the table, mostly in one cache line: it may be fuller than one whose probes read records. */
const FULLEST = 0.8;

/** StateWords finds states of one or two words. One seen before, as most are, costs one cache miss. */
export class StateWords implements StateLookup {
  readonly table: StateTable;
  readonly #records: Uint32Array;
  readonly #drop: DropFound;
  readonly #insert: InsertWords;
  readonly #enter: Enter;
  /** One element: 1 once the state of zeros is here, which in the table would be a free slot. */
  readonly #zeros = new Int32Array(1);
  /** Consumes what is read only to fetch it early, or the reads would be optimised away. */
  sink = 0;

  constructor(words: 1 | 2, records: Uint32Array, maxEntries: number) {
    this.#records = records;
    this.#drop = dropping(words);
    this.#insert = inserting(words);
    this.#enter = entering(words);
    this.table = new StateTable({
      maxEntries,
      width: words,
      fullest: FULLEST,
      rehash: (entries, count, hashes) => hashStates(entries, count, words, hashes),
    });
  }

  fetch(batch: Batch): void {
    this.sink ^= this.table.fetch(batch);
  }

  dropFound(batch: Batch): void {
    const { states, selection, selected, homes } = batch;
    batch.selected = this.#drop(this.table.slots, states, selection, selected, homes);
  }

  insert(batch: Batch, cursor: Cursor, skipped: number): boolean {
    return this.#insert(this.table.slots, this.#records, batch, cursor, skipped, this.#zeros);
  }

  enter({ states, selection, selected, homes }: Batch): void {
    this.#enter(this.table.slots, states, selection, selected, homes, this.#zeros);
  }
}

type DropFound = (
  slots: Uint32Array,
  states: Uint32Array,
  selection: Int32Array,
  selected: number,
  homes: Int32Array,
) => number;

/** Takes out those that stand at their home, which are most. The state of zeros looks so in any free slot, and stays. */
const dropping = perWidth((words) =>
  functionOf<DropFound>(
    ["slots", "states", "selection", "selected", "homes"],
    dropText(
      words,
      "slots",
      (_, own) => `Math.imul(home${own}, ${words})`,
      (own) => isZero(`(${eachWord(words, (word) => `w${word}${own}`, " | ")})`),
    ),
  ),
);

type Enter = (
  slots: Uint32Array,
  states: Uint32Array,
  selection: Int32Array,
  selected: number,
  homes: Int32Array,
  zeros: Int32Array,
) => void;

const entering = perWidth((words) => {
  const all = (name: string) => eachWord(words, (word) => `${name}${word}`, " | ");
  return functionOf<Enter>(
    ["slots", "states", "selection", "selected", "homes", "zeros"],
    `for (let i = 0; i < selected; i = (i + 1) | 0) {
      const place = selection[i] | 0, home = homes[i] | 0;
      ${readState(words, "place", "")}
      if ((${all("w")}) === 0) { zeros[0] = 1; continue; }
      let slot = home;
      let ${eachWord(words, (word) => `e${word} = 0`, ", ")};
      for (;;) {
        ${readEntry(words, "slot", "e")}
        if ((${all("e")}) === 0) break;
        ${nextSlot(words)}
      }
      ${writeEntry(words, "slot", "w")}
    }`,
  );
});

type InsertWords = (...parameters: [...Parameters<Insert>, zeros: Int32Array]) => boolean;

/** What is new gets its home, and what stood there the free slot that was found: new states are asked for most. */
const inserting = perWidth((words) => {
  const all = (name: string) => eachWord(words, (word) => `${name}${word}`, " | ");
  const isSame = `(${eachWord(words, (word) => `(e${word} ^ w${word})`, " | ")}) === 0`;
  return functionOf<InsertWords>(
    ["slots", "records", "batch", "cursor", "skipped", "zeros"],
    insertText(
      words,
      `const isZeros = (${all("w")}) === 0;
      if (isZeros && zeros[0] !== 0) continue;
      let slot = home;
      let ${eachWord(words, (word) => `e${word} = 0`, ", ")};
      ${readEntry(words, "home", "e")}
      const ${eachWord(words, (word) => `h${word} = e${word}`, ", ")};
      while (!isZeros && (${all("e")}) !== 0) {
        if (${isSame}) continue sought;
        ${nextSlot(words)}
        ${readEntry(words, "slot", "e")}
      }`,
      `if (isZeros) zeros[0] = 1;
      else if (${isSameLine(words)}) { ${writeEntry(words, "slot", "h")} ${writeEntry(words, "home", "w")} }
      else { ${writeEntry(words, "slot", "w")} }`,
    ),
  );
});
