// Decides which of two threads keeps a state, and leaves in a batch what is its own.
import type { Batch } from "./batch.ts";
import { eachWord, functionOf, perWidth, readState, unrolled } from "./state-loops.ts";

const OWNER_FACTOR = 0x9e37_79b1;

function ownerText(word: string): string {
  return `(Math.imul(${word} ^ (${word} >>> 15), ${OWNER_FACTOR}) >>> 31)`;
}

/** Which thread keeps the states with this value in the word that the handover names. */
export const ownerOf = functionOf<(word: number) => number>(
  ["word"],
  `return ${ownerText("word")};`,
);

/** Leaves in a batch the states that the thread keeps. */
export function keepOwn(batch: Batch, me: number, ownerWord: number): void {
  const { states, words, selection, selected } = batch;
  let kept = 0;
  for (let i = 0; i < selected; i += 1) {
    const place = selection[i] as number;
    if (ownerOf(states[place * words + ownerWord] as number) !== me) continue;
    selection[kept] = place;
    kept += 1;
  }
  batch.selected = kept;
}

/** The same, and adds the others to the block. */
export function splitByOwner(batch: Batch, block: Batch, me: number, ownerWord: number): void {
  const { states, words, selection, selected } = batch;
  // This thread's scratch for blocks is free: it looks up no block meanwhile.
  const others = block.selection;
  const sent = splitting(words)(states, selection, selected, others, me, ownerWord);
  batch.selected = selected - sent;
  copying(words)(states, batch.origins, others, sent, block.states, block.origins, block.count);
  block.count += sent;
}

type Split = (
  states: Uint32Array,
  selection: Int32Array,
  selected: number,
  others: Int32Array,
  me: number,
  ownerWord: number,
) => number;

/** Leaves the places of this thread's states in the selection, writes the others', and returns how many those are. */
const splitting = perWidth((words) =>
  functionOf<Split>(
    ["states", "selection", "selected", "others", "me", "ownerWord"],
    `let kept = 0, sent = 0;
    ${unrolled(
      "selected",
      4,
      (at, own) => `
        const place${own} = selection[${at}] | 0;
        const word${own} = states[Math.imul(place${own}, ${words}) + ownerWord | 0] | 0;
        const isOther${own} = ${ownerText(`word${own}`)} ^ me;`,
      (_, own) => `
        selection[kept] = place${own};
        others[sent] = place${own};
        kept = (kept + (isOther${own} ^ 1)) | 0;
        sent = (sent + isOther${own}) | 0;`,
    )}
    return sent;`,
  ),
);

type Copy = (
  states: Uint32Array,
  origins: Uint32Array,
  places: Int32Array,
  count: number,
  toStates: Uint32Array,
  toOrigins: Uint32Array,
  first: number,
) => void;

const copying = perWidth((words) =>
  functionOf<Copy>(
    ["states", "origins", "places", "count", "toStates", "toOrigins", "first"],
    unrolled(
      "count",
      4,
      (at, own) => `
        const place${own} = places[${at}] | 0;
        const origin${own} = origins[place${own}] | 0;
        ${readState(words, `place${own}`, own)}`,
      (at, own) => `
        const to${own} = Math.imul(first + ${at}, ${words});
        ${eachWord(words, (word) => `toStates[to${own} + ${word} | 0] = w${word}${own};`)}
        toOrigins[first + ${at} | 0] = origin${own};`,
    ),
  ),
);
