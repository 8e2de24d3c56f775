// The protocol on a model of an eventually consistent store, as a target: what Workers KV may do.
import { fnv1a } from "../../impl/shard.ts";
import type { Policy } from "../../model/policy.ts";
import { EventualStore, type EventualStoreOptions } from "../kv/eventual-store.ts";
import { kvCapabilities, KvSession } from "../kv/kv-session.ts";
import type { StoreTarget } from "../target.ts";

export interface KvModelOptions {
  /** From how many locations attempts call; the token of each says from which. */
  readonly locations?: number;
  readonly stalenessMs?: number;
  readonly copiesAtOpening?: EventualStoreOptions["copiesAtOpening"];
}

/** So many that attempts are mostly apart, as clients of many gateways are. */
const manyLocations = 16;

/**
 * The model under a policy. Unless told otherwise its copies grow as old, beside the retention, as
 * those of Workers KV beside the published τ: 60 s to 300 s.
 */
export function kvModelTarget(policy: Policy, options: KvModelOptions = {}): StoreTarget {
  const { locations = manyLocations, copiesAtOpening = "looked-up" } = options;
  return {
    name: "kv-model",
    capabilities: kvCapabilities(policy),
    open: async (sessionOptions) =>
      new KvSession(policy, sessionOptions, (now) => {
        const stalenessMs = options.stalenessMs ?? stalenessBeside(sessionOptions.retentionMs);
        const store = new EventualStore({ stalenessMs, copiesAtOpening, now });
        return {
          seenBy: (token) => store.at(locationOf(token, locations)),
          centre: store.centre,
          send: atSchedulePoint,
          prefix: "",
        };
      }),
  };
}

/** How old a copy may become beside a retention, both in milliseconds. */
function stalenessBeside(retentionMs: number): number {
  return Math.ceil(retentionMs / 5);
}

/** An attempt calls from one location, always the same. */
export function locationOf(token: string, locations: number): string {
  return `location-${fnv1a(token) % locations}`;
}

async function atSchedulePoint<Value>(call: () => Promise<Value>): Promise<Value> {
  // Looked up now, not at start: a run replaces the timer by a schedule point.
  await new Promise<void>((resolve) => globalThis.setTimeout(resolve, 1));
  return call();
}
