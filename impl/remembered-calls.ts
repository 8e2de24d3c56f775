// A world for tests that fits in memory: calls that answer at once, from the same machine as the store.
import { createKeyLifecycle, decide } from "../model/key-lifecycle.ts";
import type { Policy } from "../model/policy.ts";
import type { KeyEvent, KeyRecord, KeyReply } from "../model/vocabulary.ts";
import type { Calls, DispatchRequest } from "./calls.ts";
import { standingOf } from "./message-standing.ts";
import type { QueuedTrade } from "./queued-trade.ts";
import { decideOrder, type Behaviour, type SimulatedOrder } from "./simulated-order.ts";

/** What the world holds; a test reads it, and sets the clock and the next behaviours. */
export interface RememberedWorld {
  now: number;
  /** What downstream does with its next orders; it succeeds after them. */
  behaviours: Behaviour[];
  readonly records: Map<string, KeyRecord>;
  readonly orders: Map<string, SimulatedOrder>;
  readonly queue: QueuedTrade[];
  readonly marks: Set<string>;
  readonly deadLetters: { readonly message: unknown; readonly reason: string }[];
  /** The calls that were made, by name, in order. */
  readonly made: string[];
  config: unknown;
}

export function rememberedWorld(): RememberedWorld {
  return {
    now: 4e12,
    behaviours: [],
    records: new Map(),
    orders: new Map(),
    queue: [],
    marks: new Set(),
    deadLetters: [],
    made: [],
    config: JSON.stringify({ killSwitch: "off", allowedAddresses: ["*"] }),
  };
}

/** Every execution there was. */
export function executionsIn(world: RememberedWorld): number {
  return [...world.orders.values()].reduce((sum, { executions }) => sum + executions, 0);
}

/**
 * The calls of a world under a policy. A call answers within the turn of the event loop in which it
 * is made and a timer ends in a later one, so that waiting never depends on speed.
 */
export function rememberedCalls(policy: Policy, world: RememberedWorld): Calls {
  const tell = storeOf(policy, world);
  let fence = 0;
  let tokens = 0;
  const calls: Calls = {
    readConfig: async () => world.config,
    admit: async () => ({ outcome: "admitted" }),
    reserve: async ({ key, token, fingerprint, times }) =>
      tell(key, { type: "RESERVE", token, fingerprint, times, nextFence: ++fence, now: world.now }),
    claim: async ({ key, token, delivery }) =>
      tell(key, { type: "CLAIM", token, delivery, now: world.now }),
    commit: async ({ key, token, fingerprint, response, times }) =>
      tell(key, { type: "COMMIT", token, fingerprint, response, times, now: world.now }),
    release: async ({ key, token }) => tell(key, { type: "RELEASE", token, now: world.now }),
    standing: async ({ key, token }) => ({
      outcome: "stands",
      standing: standingOf(world.records.get(key) ?? null, token, world.now),
    }),
    dispatch: async (request) => execute(world, request),
    async enqueue(message) {
      world.queue.push(message);
      return { outcome: "accepted" };
    },
    hasMark: async (token) => world.marks.has(token),
    async mark(token) {
      world.marks.add(token);
      return { outcome: "done" };
    },
    async deadLetter(message, reason) {
      world.deadLetters.push({ message, reason });
      return { outcome: "done" };
    },
    now: () => world.now,
    randomToken: () => `token-${++tokens}`,
    timer: () => ({
      ended: new Promise((resolve) => setImmediate(resolve)),
      cancel() {},
    }),
  };
  return noted(calls, world);
}

function storeOf(policy: Policy, { records }: RememberedWorld) {
  const lifecycle = createKeyLifecycle(policy);
  return (key: string, event: KeyEvent): KeyReply | undefined => {
    const { record, commands } = decide(lifecycle, records.get(key) ?? null, event);
    if (record === null) records.delete(key);
    else records.set(key, record);
    return commands.flatMap((each) => (each.type === "reply" ? [each.reply] : []))[0];
  };
}

function execute(world: RememberedWorld, request: DispatchRequest) {
  const known = world.orders.get(request.clientOrderId) ?? null;
  const behaviour = world.behaviours.shift() ?? "succeed";
  const { order, reply } = decideOrder(known, request, behaviour, world.now);
  world.orders.set(request.clientOrderId, order);
  if (reply === null) throw new Error("the connection was lost");
  return reply;
}

const worldly = new Set<keyof Calls>(["now", "randomToken", "timer"]);

/** The same calls, each of which notes its name first. */
function noted(calls: Calls, { made }: RememberedWorld): Calls {
  return new Proxy(calls, {
    get(target, name: keyof Calls) {
      if (!worldly.has(name)) made.push(name);
      return target[name];
    },
  });
}
