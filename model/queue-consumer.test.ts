import { describe, expect, it } from "vitest";
import {
  consumerEvents,
  consumerStates,
  deriveConsumerTable,
  lookUpDelivery,
} from "./consumer-table.ts";
import { hardened, policies, published, type Policy } from "./policy.ts";
import {
  createQueueConsumer,
  decideDelivery,
  type ConsumerEvent,
  type ConsumerState,
} from "./queue-consumer.ts";

function run(policy: Policy, events: readonly ConsumerEvent[]): string {
  const machine = createQueueConsumer(policy);
  let state: ConsumerState = "delivered";
  const words: string[] = [];
  for (const event of events) {
    const decision = decideDelivery(machine, state, event);
    state = decision.state;
    words.push(...decision.commands);
  }
  return [...words, state].join(" ");
}

const inTime: ConsumerEvent = { type: "DELIVERY", result: "in-time" };
const granted: ConsumerEvent = { type: "GUARD", result: "granted" };
const done: ConsumerEvent = { type: "SETTLEMENT", result: "done" };
const outcome = (result: Extract<ConsumerEvent, { type: "OUTCOME" }>["result"]): ConsumerEvent => ({
  type: "OUTCOME",
  result,
});

describe("the queue consumer", () => {
  it("claims, executes and commits under hardened", () => {
    expect(run(hardened, [inTime, granted, outcome("success"), done])).toBe(
      "claim dispatch commit ack finished",
    );
  });

  it("does not execute a delivery whose claim is denied or unanswered", () => {
    for (const result of ["denied", "unanswered"] as const) {
      expect(run(hardened, [inTime, { type: "GUARD", result }])).toBe("claim retry finished");
    }
  });

  it("dead-letters a message past its deadline without asking anyone", () => {
    expect(run(hardened, [{ type: "DELIVERY", result: "late" }])).toBe("dead-letter finished");
  });

  it("releases after a definite failure and ends the message visibly", () => {
    expect(run(hardened, [inTime, granted, outcome("soft-fail"), done])).toBe(
      "claim dispatch release dead-letter finished",
    );
  });

  it("leaves an unknown outcome in doubt", () => {
    expect(run(hardened, [inTime, granted, outcome("unanswered")])).toBe(
      "claim dispatch retry finished",
    );
  });

  it("as published, checks for a mark before and marks after", () => {
    expect(run(published, [inTime, granted, outcome("success"), done])).toBe(
      "check-mark dispatch mark ack finished",
    );
    expect(run(published, [inTime, { type: "GUARD", result: "denied" }])).toBe(
      "check-mark ack finished",
    );
  });

  it("as published, retries whatever did not succeed", () => {
    expect(run(published, [inTime, granted, outcome("soft-fail")])).toBe(
      "check-mark dispatch retry finished",
    );
  });

  it("has a table that agrees with the machine in every state at every event", () => {
    for (const policy of Object.values(policies)) {
      const machine = createQueueConsumer(policy);
      const table = deriveConsumerTable(policy);
      for (const state of consumerStates) {
        for (const event of consumerEvents) {
          expect(lookUpDelivery(table, state, event)).toEqual(
            decideDelivery(machine, state, event),
          );
        }
      }
    }
  });
});
