// The key lifecycle over a key-value store that can only get, put and delete: no compare-and-set.
import { rememberDecisions } from "../../model/lifecycle-table.ts";
import type { Policy } from "../../model/policy.ts";
import type { BlockingTimes, KeyEvent, KeyRecord, KeyReply } from "../../model/vocabulary.ts";
import { answerOf, capabilitiesOf, sessionTimes, settlementOf } from "../policy-answers.ts";
import type {
  ReserveAnswer,
  SessionOptions,
  SettlementAnswer,
  StoreSession,
  TargetCapabilities,
} from "../target.ts";

/** What the protocol asks of a key-value store; a Workers KV namespace offers it as it is. */
export interface KeyValueStore {
  /** The value, or null where there is none. */
  get(name: string): Promise<string | null>;
  /** The last writer wins. */
  put(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

export interface KvStores {
  /** The store as an attempt sees it from the location at which it calls; its token decides which. */
  readonly seenBy: (token: string) => KeyValueStore;
  /** The store without any cache: what expiry and counting look at. */
  readonly centre: KeyValueStore;
  /** Sends one call of an attempt to the store: first a schedule point, then the call. */
  readonly send: <Value>(call: () => Promise<Value>) => Promise<Value>;
  /** Begins each name, so that sessions share a store and no record. */
  readonly prefix: string;
}

/** A key-value store is no process of the protocol's own: nothing of it can be crashed. */
export function kvCapabilities(policy: Policy): TargetCapabilities {
  return { ...capabilitiesOf(policy), crash: false };
}

/**
 * The machine decides as it does in the Durable Object, but between the get and the put of an
 * operation every other may run, and what a get gives may be old:
 * 1. A gets no record. 2. B gets no record. 3. A puts its reservation and proceeds. 4. B the same.
 * Two things are better here than such a store could make them, so that they cannot be what
 * refutes it: fences come from a perfect counter, and all locations have one clock.
 */
export class KvSession implements StoreSession {
  readonly #policy: Policy;
  readonly #decide: ReturnType<typeof rememberDecisions>;
  readonly #times: BlockingTimes;
  readonly #stores: KvStores;
  readonly #names = new Set<string>();
  #nowMs = 0;
  #fence = 0;

  constructor(policy: Policy, options: SessionOptions, storesAt: (now: () => number) => KvStores) {
    this.#policy = policy;
    this.#decide = rememberDecisions(policy);
    this.#times = sessionTimes(options);
    this.#stores = storesAt(() => this.#nowMs);
  }

  async reserve(
    key: string,
    { token, fingerprint }: { readonly token: string; readonly fingerprint: string },
  ): Promise<ReserveAnswer> {
    this.#fence += 1;
    const [nextFence, times, now] = [this.#fence, this.#times, this.#nowMs];
    const event = { type: "RESERVE", token, fingerprint, nextFence, times, now } as const;
    return answerOf(this.#policy, await this.#readDecideWrite(key, token, event));
  }

  async commit(
    key: string,
    attempt: { readonly token: string; readonly fingerprint: string; readonly response: string },
  ): Promise<SettlementAnswer> {
    const event = { type: "COMMIT", ...attempt, times: this.#times, now: this.#nowMs } as const;
    return settlementOf(await this.#readDecideWrite(key, attempt.token, event));
  }

  async release(key: string, { token }: { readonly token: string }): Promise<SettlementAnswer> {
    const event = { type: "RELEASE", token, now: this.#nowMs } as const;
    return settlementOf(await this.#readDecideWrite(key, token, event));
  }

  /** Ended records go as by the store's own expiry: at the centre, whatever the caches hold. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms;
    for (const name of this.#names) {
      const record = recordOf(await this.#stores.centre.get(name));
      if (this.#decide(record, { type: "ALARM", now: this.#nowMs }).record !== null) continue;
      await this.#stores.centre.delete(name);
      this.#names.delete(name);
    }
  }

  async crash(): Promise<void> {}

  async size(): Promise<number> {
    let count = 0;
    for (const name of this.#names) {
      if ((await this.#stores.centre.get(name)) !== null) count += 1;
    }
    return count;
  }

  async close(): Promise<void> {
    for (const name of this.#names) await this.#stores.centre.delete(name);
    this.#names.clear();
  }

  async #readDecideWrite(key: string, token: string, event: KeyEvent): Promise<KeyReply | null> {
    const { seenBy, send, prefix } = this.#stores;
    const store = seenBy(token);
    const name = nameOf(prefix, key);
    const record = recordOf(await send(() => store.get(name)));
    let reply: KeyReply | null = null;
    for (const command of this.#decide(record, event).commands) {
      switch (command.type) {
        case "persist":
          this.#names.add(name);
          await send(() => store.put(name, JSON.stringify(command.record)));
          break;
        case "erase":
          await send(() => store.delete(name));
          break;
        case "scheduleAlarm":
          // The store has no alarms: `advance` stands for its expiry.
          break;
        case "reply":
          reply = command.reply;
      }
    }
    return reply;
  }
}

/** The longest name that Workers KV takes, in bytes of UTF-8. */
const mostNameBytes = 512;

/** Keys are any code units and names are UTF-8: as JSON no two keys have one name. */
function nameOf(prefix: string, key: string): string {
  const name = `${prefix}${JSON.stringify(key)}`;
  const bytes = encoder.encode(name).length;
  if (bytes <= mostNameBytes) return name;
  throw new RangeError(`the store refuses field=key: limit=${mostNameBytes} bytes found=${bytes}`);
}

const encoder = new TextEncoder();

function recordOf(text: string | null): KeyRecord | null {
  return text === null ? null : (JSON.parse(text) as KeyRecord);
}
