// How one delivery of a queued message is carried through the consumer's machine.
import {
  createQueueConsumer,
  decideDelivery,
  type ConsumerCommand,
  type ConsumerEvent,
  type ConsumerState,
  type QueueConsumer,
} from "../model/queue-consumer.ts";
import { readMark, readSettlement, readStanding } from "./answers.ts";
import { jsonResponse } from "./attempt-calls.ts";
import { ask, type Calls } from "./calls.ts";
import { clientOrderIdOf } from "./digest.ts";
import { readDownstream } from "./downstream-outcome.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { deadReason, showsExecutions } from "./message-standing.ts";
import { tellOperator, traceOf } from "./operator-log.ts";
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

/** How long a message waits that was delivered `attempts` times and is not finished, in seconds. */
export function retryDelaySeconds(attempts: number): number {
  return retryDelaysSeconds[attempts - 1] ?? retryDelaysSeconds.at(-1) ?? 0;
}

/**
 * Carries out one delivery: `attempts` is how many there were with this one. It never throws: what
 * is not finished is retried, and after the last delivery the queue itself dead-letters it.
 */
export async function consumeDelivery(
  consumer: Consumer,
  body: unknown,
  attempts: number,
): Promise<DeliveryEnd> {
  const retry = { end: "retry", delaySeconds: retryDelaySeconds(attempts) } as const;
  try {
    const message = readQueuedTrade(body);
    if (message === null) {
      return (await bury(consumer, body, foreignReason)) ? { end: "ack" } : retry;
    }
    const run = new DeliveryRun(consumer, message);
    const end = await run.toTheEnd();
    if (end === "ack") return { end };
    // A delivery that executed nothing may be one of a message that an earlier one finished.
    const ending = run.failure === null ? await endOf(consumer, message) : null;
    if (ending?.end === "executed") return { end: "ack" };
    if (end === "retry") return retry;
    const reason = run.failure ?? ending?.reason ?? deadReason(null);
    return (await bury(consumer, body, reason)) ? { end: "ack" } : retry;
  } catch (error) {
    tellOperator(`a delivery broke off: ${traceOf(error)}`);
    return retry;
  }
}

export const foreignReason = "the message is none of the gateway's";

/** What became of a message that will not execute any more, as far as the store knows. */
export type MessageEnd =
  { readonly end: "executed" } | { readonly end: "dead"; readonly reason: string };

/** Asks the store; only one that executed is surely no dead letter. */
export async function endOf(
  { calls, settings }: Consumer,
  { key, token }: QueuedTrade,
): Promise<MessageEnd> {
  const { policy, waits } = settings;
  if (!showsExecutions(policy)) return { end: "dead", reason: deadReason(null) };
  const call = () => calls.standing({ key, token });
  const standing = await ask(calls, waits.storeMs, call, readStanding, null);
  return standing === "executed"
    ? { end: "executed" }
    : { end: "dead", reason: deadReason(standing) };
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
  /** What the trade service said where it did not succeed; null where it was not asked. */
  failure: string | null = null;

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
    this.failure = `the trade service answered: outcome=${answer.outcome}`;
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
