// Decides which of two threads keeps a state, and leaves in a batch what is its own.
import type { Batch } from "./batch.ts";

/** Which thread keeps the states with this value in the word that the handover names. */
export function ownerOf(word: number): number {
  return Math.imul(word ^ (word >>> 15), 0x9e37_79b1) >>> 31;
}

/** Leaves in a hashed batch the states that the thread keeps. */
export function keepOwn(batch: Batch, me: number, ownerWord: number): void {
  const { states, origins, hashes, words, count } = batch;
  let kept = 0;
  for (let i = 0; i < count; i += 1) {
    const hash = hashes[i] as number;
    if (ownerOf(states[i * words + ownerWord] as number) !== me) continue;
    for (let word = 0; word < words; word += 1) {
      states[kept * words + word] = states[i * words + word] as number;
    }
    origins[kept] = origins[i] as number;
    hashes[kept] = hash;
    kept += 1;
  }
  batch.count = kept;
}

/** The same, and adds the others to the block. Each state is written to both: a branch that nothing foretells costs more. */
export function splitByOwner(batch: Batch, block: Batch, me: number, ownerWord: number): void {
  const { states, origins, hashes, words, count } = batch;
  const { states: sentStates, origins: sentOrigins } = block;
  let kept = 0;
  let sent = block.count;
  for (let i = 0; i < count; i = (i + 1) | 0) {
    const hash = (hashes[i] as number) | 0;
    const origin = origins[i] as number;
    const from = Math.imul(i, words);
    const others = ownerOf(states[(from + ownerWord) | 0] as number) ^ me;
    const to = Math.imul(kept, words);
    const sentTo = Math.imul(sent, words);
    for (let word = 0; word < words; word = (word + 1) | 0) {
      const value = states[(from + word) | 0] as number;
      states[(to + word) | 0] = value;
      sentStates[(sentTo + word) | 0] = value;
    }
    origins[kept] = origin;
    sentOrigins[sent] = origin;
    hashes[kept] = hash;
    sent = (sent + others) | 0;
    kept = (kept + (others ^ 1)) | 0;
  }
  block.count = sent;
  batch.count = kept;
}
