// Decides the shared memory through which one thread sends states to the other: a ring of blocks.
import { BATCH_STATES, createScratch, LARGEST_BATCH } from "./batch.ts";
import type { Batch } from "./batch.ts";

/** Blocks under way in each direction. */
export const RING_BLOCKS = 8;
/** States in one: any batch fits, and mostly those parts of several that are sent. */
export const BLOCK_STATES = Math.max(4 * BATCH_STATES, LARGEST_BATCH);

/** Of all blocks of one direction: states, their origins, and how many each block has. */
export interface SharedBlocks {
  readonly states: Uint32Array;
  readonly origins: Uint32Array;
  readonly counts: Uint32Array;
}

export function reserveShared(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT));
}

export function createBlocks(words: number): SharedBlocks {
  return {
    states: reserveShared(RING_BLOCKS * BLOCK_STATES * words),
    origins: reserveShared(RING_BLOCKS * BLOCK_STATES),
    counts: reserveShared(RING_BLOCKS),
  };
}

/** The blocks as batches. All but states and origins is this thread's own scratch, one for all of them: it uses one at a time. */
export function blocksOf({ states, origins }: SharedBlocks, words: number): Batch[] {
  const scratch = createScratch(BLOCK_STATES);
  return Array.from({ length: RING_BLOCKS }, (_, block) => {
    const from = block * BLOCK_STATES;
    return {
      words,
      states: states.subarray(from * words, (from + BLOCK_STATES) * words),
      origins: origins.subarray(from, from + BLOCK_STATES),
      ...scratch,
    };
  });
}
