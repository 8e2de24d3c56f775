// Runs one gateway plan: the shipped gateway and consumer, with every call let through by a step of the plan.
import { answerTrade } from "../../impl/gateway.ts";
import { consumeDelivery, type DeliveryEnd } from "../../impl/queue-consumer.ts";
import { GatedCaller, type CallerFacts, type Heard, type WaitingCall } from "./gated-caller.ts";
import { attemptName, type GatewayHistory } from "./gateway-history.ts";
import type { Caller, GatewayPlan, GatewayStep, PassStep } from "./gateway-plan.ts";
import type { PlanGateway } from "./plan-gateway.ts";
import { requestOf } from "./gateway-requests.ts";
import type { PlanStore } from "./plan-store.ts";
import { PlanWorld } from "./plan-world.ts";

/** The store must be fresh and empty, and of the gateway's policy. */
export async function runGatewayPlan(
  plan: GatewayPlan,
  gateway: PlanGateway,
  store: PlanStore,
): Promise<GatewayHistory> {
  const run = new PlanRun(plan, gateway, store);
  for (const step of plan.steps) await run.take(step);
  const { mode, requests } = plan;
  return { policy: gateway.policy.name, mode, requests, events: run.world.events };
}

/** The queue gives a message to the dead-letter queue after its fourth delivery (seed 000). */
const mostDeliveries = 4;
/** It delivers at least once: also what was acknowledged, now and then. */
const mostRedeliveries = 6;

interface Copy {
  readonly facts: CallerFacts;
  readonly waiting: WaitingCall;
  readonly behaviour: PassStep["behaviour"];
}

class PlanRun {
  readonly world: PlanWorld;
  readonly #plan: GatewayPlan;
  readonly #gateway: PlanGateway;
  readonly #attempts = new Map<number, GatedCaller>();
  readonly #deliveries = new Map<number, GatedCaller>();
  /** The key of an attempt, once it asked the store for it. */
  readonly #keys = new Map<number, string>();
  /** What a caller will hear at its next step, of a call that took effect before. */
  readonly #onTheWay = new Map<GatedCaller, Heard>();
  #copies: Copy[] = [];

  constructor(plan: GatewayPlan, gateway: PlanGateway, store: PlanStore) {
    this.#plan = plan;
    this.#gateway = gateway;
    this.world = new PlanWorld(plan, store);
  }

  async take(step: GatewayStep): Promise<void> {
    switch (step.kind) {
      case "start":
        return this.#start(step.attempt);
      case "pass":
        return this.#pass(step);
      case "stop":
        return this.#stop(step.caller);
      case "arrive":
        return this.#arrive(step.copy);
      case "deliver":
        return this.#deliver(step.message, step.delivery);
      case "advance":
        return this.world.advance(step.ms);
      case "advance-to":
        return this.world.advance(this.#msUntil(step) + step.offsetMs);
      case "jump":
        return this.world.jump(step.ms);
      case "late-alarm":
        return this.world.oversleep(step.ms);
      case "ring":
        return this.world.ring();
      case "crash":
        return this.world.crash();
    }
  }

  async #start(attempt: number): Promise<void> {
    const planned = this.#plan.requests[attempt];
    if (planned === undefined || this.#attempts.has(attempt)) return;
    const facts = {
      name: attemptName(attempt),
      attempt,
      message: null,
      token: `token-${attemptName(attempt).slice(-1)}`,
    };
    const caller = new GatedCaller(this.world, facts);
    this.#attempts.set(attempt, caller);
    this.world.note({ kind: "arrival", attempt, gatewayMs: this.world.gatewayMs });
    await caller.start(
      async (calls) => {
        const gateway = this.#gateway.gatewayWith(calls, this.#plan.mode);
        const response = await answerTrade(gateway, requestOf(planned));
        return { response, body: await response.text() };
      },
      ({ response, body }) => {
        const { status, headers } = response;
        const contentType = headers.get("content-type");
        this.world.note({
          kind: "response",
          attempt,
          status,
          code: contentType === "application/problem+json" ? codeOf(body) : "",
          replayed: headers.has("idempotency-replayed"),
          contentType,
          body,
        });
      },
    );
    const waiting = caller.waiting;
    if (waiting?.call === "reserve") this.#keys.set(attempt, waiting.request.key);
  }

  async #deliver(number: number, delivery: number): Promise<void> {
    const message = this.world.messages[number];
    const isBusy = this.#deliveries.get(delivery)?.isRunning === true;
    if (message === undefined || isBusy || message.deliveries >= mostRedeliveries) return;
    message.deliveries += 1;
    const { attempt, body, deliveries } = message;
    const name = `delivery ${delivery + 1}`;
    const token = `delivery-${number}-${deliveries}`;
    const facts = { name, attempt, message: { number, body }, token };
    const caller = new GatedCaller(this.world, facts);
    this.#deliveries.set(delivery, caller);
    const late = this.world.gatewayMs >= body.deadlineAtMs;
    this.world.note({ kind: "delivery", attempt, message: number, by: name, late });
    const end = ({ end: ended }: DeliveryEnd): void => {
      const isLast = ended === "retry" && deliveries >= mostDeliveries;
      if (isLast) this.world.bury(attempt, number);
      const kind = ended === "ack" || isLast ? "acknowledged" : "retried";
      message.isEnded ||= kind === "acknowledged";
      this.world.note({ kind, attempt, message: number });
    };
    await caller.start(
      (calls) => consumeDelivery(this.#gateway.consumerWith(calls, body), body, deliveries),
      end,
    );
  }

  #callerOf({ who, index }: Caller): GatedCaller | undefined {
    return (who === "attempt" ? this.#attempts : this.#deliveries).get(index);
  }

  async #stop(which: Caller): Promise<void> {
    const caller = this.#callerOf(which);
    if (caller?.isRunning !== true) return;
    caller.stop();
    const { name, attempt } = caller.facts;
    this.world.note({ kind: "stopped", by: name, attempt });
  }

  async #pass(step: PassStep): Promise<void> {
    const caller = this.#callerOf(step.caller);
    const waiting = caller?.waiting;
    if (caller === undefined || waiting === undefined || waiting === null) return;
    const { fault, behaviour } = step;
    const onTheWay = this.#onTheWay.get(caller);
    this.#onTheWay.delete(caller);
    const copy = { facts: caller.facts, waiting, behaviour };
    const heard = onTheWay ?? (await this.#send(copy, fault));
    if (fault === "slow" && onTheWay === undefined) this.#onTheWay.set(caller, heard);
    else await caller.hear(heard);
  }

  async #send(copy: Copy, fault: PassStep["fault"]): Promise<Heard> {
    const effect = () => this.#carryOut(copy, fault === "stale");
    switch (fault) {
      case "none":
      case "stale":
      case "slow":
        return heardOf(await effect());
      case "lost-before":
        return silence;
      case "lost-after":
        await effect();
        return silence;
      case "failed":
        return failureOf(copy.waiting);
      case "delayed":
        this.#later(copy);
        return silence;
      case "duplicated": {
        const first = await effect();
        this.#later(copy);
        return heardOf(first);
      }
      case "crossed":
        await effect();
        return heardOf(await effect());
      case "crashed":
        await this.world.crashUnder(copy.facts, copy.waiting);
        return silence;
    }
  }

  #later(copy: Copy): void {
    this.#copies.push(copy);
    const { attempt } = copy.facts;
    this.world.note({ kind: "copy-sent", attempt, call: copy.waiting.call });
  }

  async #arrive(place: number): Promise<void> {
    const copy = this.#copies[place];
    if (copy === undefined) return;
    this.#copies = this.#copies.filter((other) => other !== copy);
    await this.#carryOut(copy, false);
    const { attempt } = copy.facts;
    this.world.note({ kind: "copy-arrived", attempt, call: copy.waiting.call });
  }

  #carryOut({ facts, waiting, behaviour }: Copy, isStale: boolean) {
    return this.world.carryOut(facts, waiting, behaviour, isStale);
  }

  #msUntil({ edge, attempt }: Extract<GatewayStep, { readonly kind: "advance-to" }>): number {
    if (edge === "minute") return 60_000 - (this.world.gatewayMs % 60_000);
    const key = this.#keys.get(attempt);
    return key === undefined ? 0 : this.world.msUntil(edge, key);
  }
}

const silence: Heard = { heard: "silence" };

function heardOf({ answer, word }: { readonly answer: unknown; readonly word: string }): Heard {
  return answer === null ? silence : { heard: "answer", answer, word };
}

/** A definite failure: the call surely did nothing, and says so. */
function failureOf({ call }: WaitingCall): Heard {
  switch (call) {
    case "reserve":
    case "claim":
    case "commit":
    case "release":
    case "mark":
    case "deadLetter":
      return { heard: "answer", answer: { outcome: "unavailable" }, word: "unavailable" };
    case "dispatch":
      return { heard: "answer", answer: { connected: false }, word: "not-connected" };
    case "enqueue":
      return { heard: "answer", answer: { outcome: "failed" }, word: "failed" };
    case "hasMark":
      return silence;
  }
}

function codeOf(body: string): string {
  const { code } = JSON.parse(body) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}
