import { describe, expect, it } from "vitest";
import { GatewayHistoryBuilder, plannedRequest, startMs } from "./gateway-history-builder.ts";
import {
  judgeExecution,
  judgeLateness,
  judgeMinuteBoundary,
  judgeQueue,
  judgeRedelivery,
  judgeUnknownOutcome,
} from "./judge-executions.ts";

const two = (request = plannedRequest()) =>
  new GatewayHistoryBuilder("published", [request, request]);

describe("two executions of one request", () => {
  it("break execution less than τ apart, and not at τ", () => {
    const { facts: early } = two().executes(0).advance(299_999).executes(1);
    expect(judgeExecution(early).violations).toMatchObject([{ events: [0, 2] }]);
    const { facts: onTime } = two().executes(0).advance(300_000).executes(1);
    expect(judgeExecution(onTime)).toEqual({ exercised: true, violations: [] });
  });

  it("are told apart by what the client chose: another key is another request", () => {
    const requests = [plannedRequest(), plannedRequest({ clientKey: "two" })];
    const { facts } = new GatewayHistoryBuilder("published", requests).executes(0).executes(1);
    expect(judgeExecution(facts).violations).toEqual([]);
  });

  it("are an unknown outcome where the first caller heard no success", () => {
    const { facts } = two().executes(0).reply(0, "dispatch", "silence").executes(1);
    expect(judgeUnknownOutcome(facts)).toMatchObject({
      exercised: true,
      violations: [{ invariant: "execution/unknown-outcome", way: "unknown outcome" }],
    });
  });

  it("are a late effect where it did, or never heard of it", () => {
    const { facts: heard } = two().executes(0).reply(0, "dispatch", "success").executes(1);
    const { facts: unheard } = two().executes(0).executes(1);
    for (const facts of [heard, unheard]) {
      expect(judgeExecution(facts).violations).toMatchObject([{ way: "late effect" }]);
      expect(judgeUnknownOutcome(facts)).toEqual({ exercised: false, violations: [] });
    }
  });

  it("are a minute's boundary where it gave them two keys", () => {
    const one = two(plannedRequest({ clientKey: "none" }))
      .arrives(0)
      .executes(0)
      .advance(59_999)
      .arrives(1);
    expect(judgeMinuteBoundary(one.facts)).toEqual({ exercised: true, violations: [] });
    const { facts } = one.executes(1, { key: "order 2" });
    expect(judgeMinuteBoundary(facts).violations).toMatchObject([{ way: "minute boundary" }]);
  });

  it("do not exercise the boundary within one minute", () => {
    const { facts } = two(plannedRequest({ clientKey: "none" }))
      .arrives(0)
      .executes(0)
      .advance(19_999)
      .arrives(1);
    expect(judgeMinuteBoundary(facts).exercised).toBe(false);
  });
});

describe("the message of one attempt", () => {
  const delivery = (number: number) => ({
    viaQueue: true,
    by: `delivery ${number}`,
    token: `delivery-0-${number}`,
  });
  const delivered = (late: boolean) =>
    ({ kind: "delivery", attempt: 0, message: 0, by: "delivery 0", late }) as const;

  it("is redelivered where two deliveries execute, and doubled where one does twice", () => {
    const one = two().also(delivered(false)).also(delivered(false)).executes(0, delivery(0));
    expect(judgeRedelivery(one.facts)).toEqual({ exercised: true, violations: [] });
    const { facts } = one.executes(0, delivery(1));
    expect(judgeRedelivery(facts).violations).toMatchObject([{ way: "redelivery" }]);
    expect(judgeQueue(facts).violations).toMatchObject([{ events: [2, 3], way: "redelivery" }]);

    const { facts: doubled } = two()
      .also(delivered(false))
      .executes(0, delivery(0))
      .executes(0, delivery(0));
    expect(judgeRedelivery(doubled)).toEqual({ exercised: false, violations: [] });
    expect(judgeQueue(doubled).violations).toMatchObject([{ way: "doubled call" }]);
  });

  it("is late from its deadline on", () => {
    const executed = (messageDeadlineMs: number) =>
      two()
        .also(delivered(true))
        .executes(0, { ...delivery(0), messageDeadlineMs });
    expect(judgeLateness(executed(startMs + 1).facts)).toEqual({ exercised: true, violations: [] });
    expect(judgeLateness(executed(startMs).facts).violations).toHaveLength(1);
  });
});
