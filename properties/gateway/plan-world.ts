// The world around the gateway while a plan runs: clocks, store, exchange, queue and marks, and the record of it all.
import { decideOrder, type Behaviour, type SimulatedOrder } from "../../impl/simulated-order.ts";
import { clientOrderIdOf } from "../../impl/digest.ts";
import { readDownstream } from "../../impl/downstream-outcome.ts";
import type { QueuedTrade } from "../../impl/queued-trade.ts";
import { standingOf } from "../../impl/message-standing.ts";
import type { StandingReply, StandingRequest } from "../../impl/store-requests.ts";
import type { KeyRecord } from "../../model/vocabulary.ts";
import type { CallerFacts, WaitingCall } from "./gated-caller.ts";
import type { GatewayEvent, Records, StoreAnswered } from "./gateway-history.ts";
import { type GatewayPlan, planTimes } from "./gateway-plan.ts";
import type { PlanStore } from "./plan-store.ts";

export interface PlannedMessage {
  readonly body: QueuedTrade;
  readonly attempt: number;
  deliveries: number;
  /** It was acknowledged or dead-lettered: the queue keeps it no longer. */
  isEnded: boolean;
}

/** An event before it has its moment; distributes over the union. */
type Unstamped<Event> = Event extends unknown ? Omit<Event, "atMs"> : never;

/** A call's effect: what it is answered, and the word for it. */
export interface Effect {
  readonly answer: unknown;
  readonly word: string;
}

export class PlanWorld {
  readonly events: GatewayEvent[] = [];
  readonly messages: PlannedMessage[] = [];
  readonly #plan: GatewayPlan;
  readonly #store: PlanStore;
  readonly #startMs: number;
  readonly #orders = new Map<string, SimulatedOrder>();
  readonly #marks = new Set<string>();
  /** The key in the store by its client order id, of every key that somebody asked for. */
  readonly #keysByOrder = new Map<string, string>();
  #trueMs = 0;
  #jumpedMs = 0;
  #records: Records = {};

  constructor(plan: GatewayPlan, store: PlanStore) {
    this.#plan = plan;
    this.#store = store;
    this.#startMs = store.nowMs();
  }

  get gatewayMs(): number {
    return this.#startMs + this.#trueMs + this.#plan.gatewayAheadMs;
  }

  get #downstreamMs(): number {
    return this.#startMs + this.#trueMs - this.#plan.downstreamLagMs;
  }

  note(event: Unstamped<GatewayEvent>): void {
    this.events.push({ ...event, atMs: this.#trueMs });
  }

  /** Lets time pass, for everybody. */
  async advance(ms: number): Promise<void> {
    if (ms <= 0) return;
    this.#trueMs += ms;
    await this.#store.pass(ms);
    this.note({ kind: "advance", ms, records: this.#standing() });
  }

  /** Lets time pass for everybody while the store's alarm stays silent. */
  oversleep(ms: number): void {
    if (ms <= 0) return;
    this.#trueMs += ms;
    this.#store.oversleep(ms);
    this.note({ kind: "late-alarm", ms, records: this.#standing() });
  }

  async ring(): Promise<void> {
    await this.#store.ring();
    await this.#look();
    this.note({ kind: "ring", records: this.#records });
  }

  /** The store's clock alone steps forward, as far as its bound allows. */
  async jump(ms: number): Promise<void> {
    const stepMs = Math.min(ms, planTimes.jumpMs - this.#jumpedMs);
    if (stepMs <= 0) return;
    this.#jumpedMs += stepMs;
    await this.#store.pass(stepMs);
    this.note({ kind: "jump", ms: stepMs, records: this.#standing() });
  }

  /** How long until an edge of the record that blocks `key`; 0 where none does. */
  msUntil(edge: "deadline" | "expiry", key: string): number {
    const record = this.#blocking(key);
    if (record === null) return 0;
    const endMs = edge === "deadline" ? record.deadlineAtMs : record.expiresAtMs;
    return endMs - this.#store.nowMs();
  }

  /** How a queued message stands at the store. */
  standing({ key, token }: StandingRequest): StandingReply {
    const standing = standingOf(this.#blocking(key), token, this.#store.nowMs());
    return { outcome: "stands", standing };
  }

  async crash(): Promise<void> {
    await this.#store.crash();
    await this.#look();
    this.note({ kind: "crash", records: this.#records });
  }

  /** A call takes effect; `isStale` lets a read miss what was written. */
  async carryOut(
    facts: CallerFacts,
    waiting: WaitingCall,
    behaviour: Behaviour,
    isStale: boolean,
  ): Promise<Effect> {
    switch (waiting.call) {
      case "reserve":
      case "claim":
      case "commit":
      case "release":
        return this.#callStore(facts, waiting, false);
      case "dispatch":
        return this.#dispatch(facts, waiting, behaviour);
      case "enqueue":
        this.messages.push({
          body: waiting.request,
          attempt: facts.attempt,
          deliveries: 0,
          isEnded: false,
        });
        this.note({
          kind: "enqueued",
          attempt: facts.attempt,
          message: this.messages.length - 1,
        });
        return { answer: { outcome: "accepted" }, word: "accepted" };
      case "hasMark": {
        const answer = !isStale && this.#marks.has(waiting.request.token);
        return { answer, word: answer ? "marked" : "unmarked" };
      }
      case "mark":
        this.#marks.add(waiting.request.token);
        return { answer: { outcome: "done" }, word: "done" };
      case "deadLetter":
        if (facts.message !== null) this.bury(facts.attempt, facts.message.number);
        return { answer: { outcome: "done" }, word: "done" };
    }
  }

  /** A call reaches the store and the store is reset under it: the caller hears nothing. */
  async crashUnder(facts: CallerFacts, waiting: WaitingCall): Promise<void> {
    if (isStoreCall(waiting)) await this.#callStore(facts, waiting, true);
    else await this.crash();
  }

  bury(attempt: number, message: number): void {
    this.note({ kind: "buried", attempt, message });
  }

  async #callStore(facts: CallerFacts, waiting: StoreCall, crashes: boolean): Promise<Effect> {
    const { request } = waiting;
    this.#keysByOrder.set(await clientOrderIdOf(request.key), request.key);
    const before = this.#blocking(request.key);
    const storeMs = this.#store.nowMs();
    const answering = this.#send(waiting);
    const answer = crashes
      ? await Promise.all([answering.catch(() => null), this.#store.crash()]).then(([said]) => said)
      : await answering;
    await this.#look();
    const word = wordOf(answer);
    const event: Omit<StoreAnswered, "atMs"> = {
      kind: "store",
      attempt: facts.attempt,
      by: facts.name,
      call: waiting.call,
      key: request.key,
      token: request.token,
      fingerprint: "fingerprint" in request ? request.fingerprint : null,
      response: "response" in request ? request.response : null,
      answer: word,
      storeMs,
      before,
      after: this.#blocking(request.key),
      records: this.#records,
    };
    this.note(event);
    if (crashes) this.note({ kind: "crash", records: this.#records });
    return { answer, word };
  }

  #send(waiting: StoreCall): Promise<unknown> {
    switch (waiting.call) {
      case "reserve":
        return this.#store.reserve(waiting.request);
      case "claim":
        return this.#store.claim(waiting.request);
      case "commit":
        return this.#store.commit(waiting.request);
      case "release":
        return this.#store.release(waiting.request);
    }
  }

  #dispatch(
    { attempt, name, message, token }: CallerFacts,
    { request }: Extract<WaitingCall, { readonly call: "dispatch" }>,
    behaviour: Behaviour,
  ): Effect {
    const known = this.#orders.get(request.clientOrderId) ?? null;
    const { order, reply } = decideOrder(known, request, behaviour, this.#downstreamMs);
    this.#orders.set(request.clientOrderId, order);
    const word = reply === null ? "silence" : readDownstream(reply).outcome;
    this.note({
      kind: "dispatched",
      attempt,
      by: name,
      viaQueue: message !== null,
      token,
      key: request.clientOrderId,
      storeKey: this.#keysByOrder.get(request.clientOrderId) ?? null,
      executed: order.executions > (known?.executions ?? 0),
      said: word,
      downstreamMs: this.#downstreamMs,
      messageDeadlineMs: message?.body.deadlineAtMs ?? null,
    });
    return { answer: reply, word };
  }

  #blocking(key: string): KeyRecord | null {
    const record = this.#records[key];
    return record !== undefined && record.expiresAtMs > this.#store.nowMs() ? record : null;
  }

  /** The records that still block. */
  #standing(): Records {
    const now = this.#store.nowMs();
    const blocking = Object.entries(this.#records).filter(([, each]) => each.expiresAtMs > now);
    return Object.fromEntries(blocking);
  }

  async #look(): Promise<void> {
    const { records } = await this.#store.inspect();
    this.#records = Object.fromEntries(records.map(({ key, record }) => [key, record]));
  }
}

type StoreCall = Extract<
  WaitingCall,
  { readonly call: "reserve" | "claim" | "commit" | "release" }
>;

function isStoreCall(waiting: WaitingCall): waiting is StoreCall {
  return ["reserve", "claim", "commit", "release"].includes(waiting.call);
}

/** The word of a store's answer; `in-doubt` is told from `in-flight`. */
function wordOf(answer: unknown): string {
  if (typeof answer !== "object" || answer === null || !("outcome" in answer)) return "unknown";
  if ("inDoubt" in answer && answer.inDoubt === true) return "in-doubt";
  return String(answer.outcome);
}
