// What a set asks of its table: which states of a batch are new, and where the next record goes.
import type { Batch } from "./batch.ts";
import { differsFrom, eachWord, isNonZero, readState, unrolled } from "./state-loops.ts";
import type { Part } from "./state-loops.ts";
import type { StateTable } from "./state-table.ts";

/** Sets of several threads that share their records take turns by blocks of so many. */
export const BLOCK_SHIFT = 12;
export const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;

/** Where a set goes on, read and written by an insertion: the index of the next new state, and how many more may come. */
export type Cursor = Int32Array;
export const NEXT = 0;
export const ROOM = 1;

/**
 * StateLookup finds the states of a set by their words.
 *
 * Its steps are small loops over a batch, so that the processor waits for many cache lines at once, not for each in
 * turn: read all that will be needed; take out what was found at the first look, without a branch; only then decide
 * about the rest, one by one.
 */
export interface StateLookup {
  readonly table: StateTable;
  /** Finds the home of each hashed state that is left of the batch, and reads what will be needed. */
  fetch(batch: Batch): void;
  /** Takes out most of those that are in the set, which is not empty. */
  dropFound(batch: Batch): void;
  /** Keeps those that are new; false when one more came than there was room for. After each block indices skip so many. */
  insert(batch: Batch, cursor: Cursor, skipped: number): boolean;
  /** Enters states that are not here yet and whose records are elsewhere, at the indices in `origins`. */
  enter(batch: Batch): void;
}

/**
 * Takes out of the selection what equals the words in the array at `base`, save where `keeps` gives 1. No branch
 * depends on any state: the processor goes on to the next without a guess.
 */
export function dropText(
  words: number,
  array: string,
  base: Part,
  keeps: (own: string) => string = () => "0",
): string {
  return `let kept = 0;
  ${unrolled(
    "selected",
    4,
    (at, own) => `
      const place${own} = selection[${at}] | 0, home${own} = homes[${at}] | 0;
      const base${own} = ${base(at, own)};
      ${readState(words, `place${own}`, own)}
      const differs${own} = ${differsFrom(words, array, `base${own}`, own)};`,
    (_, own) => `
      selection[kept] = place${own};
      homes[kept] = home${own};
      kept = (kept + (${isNonZero(`differs${own}`)} | ${keeps(own)})) | 0;`,
  )}
  return kept;`;
}

export type Insert = (
  slots: Uint32Array,
  records: Uint32Array,
  batch: Batch,
  cursor: Cursor,
  skipped: number,
) => boolean;

/**
 * Goes through what is left of a batch. `find` takes the next turn by `continue sought` where the state is there;
 * `store` writes the entry of the index `next`.
 */
export function insertText(words: number, find: string, store: string): string {
  return `
    const { states, origins, hashes, selection, selected, homes } = batch;
    let next = cursor[${NEXT}] | 0, room = cursor[${ROOM}] | 0, isDone = true;
    sought: for (let i = 0; i < selected; i = (i + 1) | 0) {
      const place = selection[i] | 0, home = homes[i] | 0;
      ${readState(words, "place", "")}
      ${find}
      if (room === 0) { isDone = false; break; }
      ${store}
      const to = Math.imul(next, ${words + 1});
      ${eachWord(words, (word) => `records[to + ${word} | 0] = w${word};`)}
      records[to + ${words} | 0] = origins[place];
      room = (room - 1) | 0;
      next = (next + 1) | 0;
      if ((next & ${BLOCK_MASK}) === 0) next = (next + skipped) | 0;
    }
    cursor[${NEXT}] = next;
    cursor[${ROOM}] = room;
    return isDone;`;
}
