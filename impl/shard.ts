// Which of the store's objects serves a key: one of 16 shards, by a hash of the key.
import type { IdempotencyStore } from "./idempotency-store.ts";

export const shardCount = 16;

/** The object that serves `key`; one key is always served by one object. */
export function storeFor(
  namespace: DurableObjectNamespace<IdempotencyStore>,
  key: string,
): DurableObjectStub<IdempotencyStore> {
  return namespace.getByName(shardName(key));
}

/** Names the shard of `key`: `shard-0` … `shard-15` (seed 000, section 2). */
export function shardName(key: string): string {
  return `shard-${fnv1a(key) % shardCount}`;
}

/**
 * 32-bit FNV-1a over the UTF-8 bytes of `text`, as an unsigned integer. UTF-8 has no lone
 * surrogates and takes each for U+FFFD: such keys share a shard, never a record.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const encoder = new TextEncoder();
