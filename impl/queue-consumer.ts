// How one delivery of a queued message is carried through the consumer's machine.
import {
  createQueueConsumer,
  decideDelivery,
  type ConsumerCommand,
  type ConsumerEvent,
  type ConsumerState,
  type QueueConsumer,
} from "../model/queue-consumer.ts";
import { readMark, readSettlement } from "./answers.ts";
import { jsonResponse } from "./attempt-calls.ts";
import { ask, type Calls } from "./calls.ts";
import { clientOrderIdOf } from "./digest.ts";
import { readDownstream } from "./downstream-outcome.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { readQueuedTrade, type QueuedTrade } from "./queued-trade.ts";
import { writeStoredResponse } from "./stored-response.ts";

export interface Consumer {
  readonly settings: GatewaySettings;
  readonly calls: Calls;
  readonly machine: QueueConsumer;
}

/** What becomes of a delivery; `retry` asks the queue for another one after `delaySeconds`. */
export type DeliveryEnd =
  { readonly end: "ack" } | { readonly end: "retry"; readonly delaySeconds: number };

export function createConsumer(settings: GatewaySettings, calls: Calls): Consumer {
  return { settings, calls, machine: createQueueConsumer(settings.policy) };
}

/** Deliveries come at about 0, 30, 120 and 510 s after the first (seed 000, queue). */
const retryDelaysSeconds: readonly number[] = [30, 90, 390];

/**
 * Carries out one delivery: `attempts` is how many there were with this one. It never throws: what
 * is not finished is retried, and after the last delivery the queue itself dead-letters it.
 */
export async function consumeDelivery(
  consumer: Consumer,
  body: unknown,
  attempts: number,
): Promise<DeliveryEnd> {
  const last = retryDelaysSeconds.at(-1) ?? 0;
  const retry = { end: "retry", delaySeconds: retryDelaysSeconds[attempts - 1] ?? last } as const;
  try {
    const message = readQueuedTrade(body);
    const run = message === null ? null : new DeliveryRun(consumer, message);
    const end = run === null ? "dead-letter" : await run.toTheEnd();
    if (end !== "dead-letter") return end === "ack" ? { end } : retry;
    const reason = run?.reason ?? "the message is none of the gateway's";
    return (await bury(consumer, body, reason)) ? { end: "ack" } : retry;
  } catch {
    return retry;
  }
}

/** More rounds than any path through the machine has. */
const mostRounds = 8;

class DeliveryRun {
  readonly #consumer: Consumer;
  readonly #message: QueuedTrade;
  /** Of this delivery alone: a second delivery of the same message claims for itself. */
  readonly #delivery: string;
  #state: ConsumerState = "delivered";
  #success = "";
  /** Why the message ends in the dead-letter queue, if it does. */
  reason = "the deadline of the message has passed";

  constructor(consumer: Consumer, message: QueuedTrade) {
    this.#consumer = consumer;
    this.#message = message;
    this.#delivery = consumer.calls.randomToken();
  }

  async toTheEnd(): Promise<"ack" | "retry" | "dead-letter"> {
    let event = this.#arrival();
    for (let round = 0; round < mostRounds; round++) {
      const decision = decideDelivery(this.#consumer.machine, this.#state, event);
      this.#state = decision.state;
      const result = await this.#carryOut(decision.commands);
      if (typeof result === "string") return result;
      event = result;
    }
    throw new Error(`the delivery does not end: state=${this.#state}`);
  }

  /** Without a deadline at downstream, as published, no message is ever late. */
  #arrival(): ConsumerEvent {
    const { settings, calls } = this.#consumer;
    const hasDeadline = settings.policy.downstreamDeadline !== "none";
    const isLate = hasDeadline && calls.now() >= this.#message.deadlineAtMs;
    return { type: "DELIVERY", result: isLate ? "late" : "in-time" };
  }

  async #carryOut(commands: readonly ConsumerCommand[]) {
    let result: ConsumerEvent | "ack" | "retry" | "dead-letter" = "retry";
    for (const command of commands) result = await this.#call(command);
    return result;
  }

  async #call(command: ConsumerCommand): Promise<ConsumerEvent | "ack" | "retry" | "dead-letter"> {
    const { calls } = this.#consumer;
    const { key, token } = this.#message;
    switch (command) {
      case "claim": {
        const claim = { key, token, delivery: this.#delivery };
        const result = await this.#settle(() => calls.claim(claim));
        const granted = result === "done" ? "granted" : "denied";
        return { type: "GUARD", result: result === "unanswered" ? "unanswered" : granted };
      }
      case "check-mark":
        return { type: "GUARD", result: await this.#checkMark() };
      case "dispatch":
        return { type: "OUTCOME", result: await this.#dispatch() };
      case "mark":
        // Swallowed, as published: a mark that fails leaves the message to its next delivery.
        return { type: "SETTLEMENT", result: await this.#settle(() => calls.mark(token)) };
      case "commit":
        return { type: "SETTLEMENT", result: await this.#commit() };
      case "release":
        return {
          type: "SETTLEMENT",
          result: await this.#settle(() => calls.release({ key, token })),
        };
      case "ack":
      case "retry":
      case "dead-letter":
        return command;
    }
  }

  #checkMark() {
    const { calls, settings } = this.#consumer;
    const { token } = this.#message;
    return ask(calls, settings.waits.storeMs, () => calls.hasMark(token), readMark, "unanswered");
  }

  async #dispatch() {
    const { calls, settings } = this.#consumer;
    const { policy, waits } = settings;
    const { key, body, deadlineAtMs, fence } = this.#message;
    const request = {
      clientOrderId: await clientOrderIdOf(key),
      body,
      deadlineAtMs: policy.downstreamDeadline === "none" ? null : deadlineAtMs,
      fence: policy.downstreamFence === "none" ? null : fence,
    };
    const answer = await ask(
      calls,
      waits.downstreamMs,
      (signal) => calls.dispatch(request, signal),
      readDownstream,
      { outcome: "unanswered", body: "" } as const,
    );
    this.#success = answer.body;
    this.reason = `the trade service answered: outcome=${answer.outcome}`;
    return answer.outcome;
  }

  #commit() {
    const { calls } = this.#consumer;
    const { key, token, fingerprint, times } = this.#message;
    const response = writeStoredResponse(jsonResponse(200, this.#success));
    return this.#settle(() => calls.commit({ key, token, fingerprint, response, times }));
  }

  #settle(call: () => Promise<unknown>) {
    const { calls, settings } = this.#consumer;
    return ask(calls, settings.waits.storeMs, call, readSettlement, "unanswered");
  }
}

/** Whether the message is now where people see it; if nobody knows, it is kept and retried. */
function bury({ calls, settings }: Consumer, body: unknown, reason: string): Promise<boolean> {
  const isAccepted = (answer: unknown) => readSettlement(answer) === "done";
  const call = () => calls.deadLetter(body, reason);
  return ask(calls, settings.waits.queueMs, call, isAccepted, false);
}
