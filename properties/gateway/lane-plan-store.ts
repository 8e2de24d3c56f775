// The store of a gateway plan inside workerd: a standing object of the store harness, emptied first.
import type { HarnessStore } from "../durable-object/harness-store.ts";
import { giveLaneBack, takeLane } from "../durable-object/lanes.ts";
import type { StoreChoice } from "../durable-object/protocol.ts";
import type { PlanStore } from "./plan-store.ts";

export type StoreNamespace = DurableObjectNamespace<HarnessStore>;

/** Lends a fresh store for one run. A run that fails keeps its object: nobody knows what is in it. */
export async function withLaneStore<Result>(
  namespace: StoreNamespace,
  choice: StoreChoice,
  run: (store: PlanStore) => Promise<Result>,
): Promise<Result> {
  const lane = takeLane(choice);
  let stub = namespace.getByName(lane.name);
  await stub.reset();
  const result = await run({
    reserve: (request) => stub.reserve(request),
    claim: (request) => stub.claim(request),
    commit: (request) => stub.commit(request),
    release: (request) => stub.release(request),
    inspect: () => stub.inspect(),
    nowMs: () => lane.clock.nowMs,
    pass: async (ms) => void (await stub.pass(ms)),
    oversleep: (ms) => {
      lane.clock.nowMs += ms;
    },
    ring: () => stub.ring(),
    async crash() {
      try {
        await stub.crash();
      } catch (error) {
        if (!String(error).includes("crash")) throw error;
      }
      // A stub dies with its object; a fresh one works at once.
      stub = namespace.getByName(lane.name);
    },
  });
  giveLaneBack(lane);
  return result;
}
