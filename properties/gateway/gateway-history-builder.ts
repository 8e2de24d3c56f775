// Builds gateway histories by hand, for the tests of judges and reports.
import type { PolicyName } from "../../model/policy.ts";
import type { KeyRecord } from "../../model/vocabulary.ts";
import { GatewayFacts } from "./gateway-facts.ts";
import type {
  Dispatched,
  GatewayEvent,
  GatewayHistory,
  Responded,
  StoreAnswered,
} from "./gateway-history.ts";
import { attemptName } from "./gateway-history.ts";
import type { PlannedRequest } from "./gateway-plan.ts";

/** A live request with the key `key-1` and the usual payload, unless told otherwise. */
export function plannedRequest(request: Partial<PlannedRequest> = {}): PlannedRequest {
  return { bearer: "live", clientKey: "one", payload: "same", respelled: false, ...request };
}

/** The start of every run on the store's clock; the gateway's is the same. */
export const startMs = 4_000_000_000_000;

/** Each method appends one event, at the builder's time. */
export class GatewayHistoryBuilder {
  readonly #events: GatewayEvent[] = [];
  readonly #policy: PolicyName;
  readonly #requests: readonly PlannedRequest[];
  #atMs = 0;

  constructor(policy: PolicyName, requests: readonly PlannedRequest[]) {
    this.#policy = policy;
    this.#requests = requests;
  }

  get history(): GatewayHistory {
    const [policy, requests, events] = [this.#policy, this.#requests, this.#events];
    return { policy, mode: "direct", requests, events };
  }

  get facts(): GatewayFacts {
    return new GatewayFacts(this.history);
  }

  advance(ms: number): this {
    this.#atMs += ms;
    return this.#add({ kind: "advance", ms, records: {} });
  }

  /** The request arrives and its gateway asks the store for `key`. */
  arrives(attempt: number, key = "key 1"): this {
    this.#add({ kind: "arrival", attempt, gatewayMs: startMs + this.#atMs });
    return this.#add({
      kind: "call",
      attempt,
      by: attemptName(attempt),
      call: "reserve",
      key,
    });
  }

  /** A call takes effect at the store: the record of its key before and after it. */
  store(
    attempt: number,
    call: StoreAnswered["call"],
    answer: string,
    before: KeyRecord | null,
    after: KeyRecord | null,
    key = "key 1",
  ): this {
    const records = after === null ? {} : { [key]: after };
    const fingerprint = call === "reserve" || call === "commit" ? "payload same" : null;
    return this.#add({
      kind: "store",
      attempt,
      by: attemptName(attempt),
      call,
      key,
      token: tokenOf(attempt),
      fingerprint,
      response: null,
      answer,
      storeMs: startMs + this.#atMs,
      before,
      after,
      records,
    });
  }

  reply(attempt: number, call: "reserve" | "dispatch" | "release", heard: string): this {
    return this.#add({ kind: "reply", attempt, by: attemptName(attempt), call, heard });
  }

  /** The effect of an attempt happens, unless `given` says otherwise. */
  executes(attempt: number, given: Partial<Dispatched> = {}): this {
    return this.#add({
      kind: "dispatched",
      attempt,
      by: attemptName(attempt),
      viaQueue: false,
      token: tokenOf(attempt),
      key: "order 1",
      executed: true,
      said: "success",
      downstreamMs: startMs + this.#atMs,
      messageDeadlineMs: null,
      ...given,
    });
  }

  responds(attempt: number, given: Partial<Responded> = {}): this {
    return this.#add({
      kind: "response",
      attempt,
      status: 200,
      code: "",
      replayed: false,
      contentType: "application/json",
      body: "{}",
      ...given,
    });
  }

  /** Anything else. */
  also(event: Unstamped<GatewayEvent>): this {
    return this.#add(event);
  }

  /** The attempt's record, pending for `blockingMs` from now or committed for as long. */
  record(attempt: number, blockingMs: number, status: KeyRecord["status"] = "pending"): KeyRecord {
    const now = startMs + this.#atMs;
    return {
      status,
      token: tokenOf(attempt),
      fingerprint: "payload same",
      fence: 1,
      acceptedAtMs: now,
      deadlineAtMs: now + 30_000,
      expiresAtMs: now + blockingMs,
      response: null,
      claimedBy: null,
    };
  }

  #add(event: Unstamped<GatewayEvent>): this {
    this.#events.push({ ...event, atMs: this.#atMs });
    return this;
  }
}

/** Distributes over the union. */
type Unstamped<Event> = Event extends unknown ? Omit<Event, "atMs"> : never;

function tokenOf(attempt: number): string {
  return `token-${attemptName(attempt).slice(-1)}`;
}
