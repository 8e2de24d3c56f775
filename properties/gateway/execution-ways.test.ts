// Each known way to execute twice is told from the others, and exercised only by its own situation.
import { describe, expect, it } from "vitest";
import {
  arrives,
  calls,
  delivered,
  executes,
  hears,
  plainRequest,
  recordOf,
  rulingOf,
  store,
} from "./gateway-events.ts";
import {
  judgeExecution,
  judgeMinuteBoundary,
  judgeQueue,
  judgeRedelivery,
  judgeUnknownOutcome,
} from "./judge-executions.ts";

const silent = { exercised: true, violations: [] };
const unexercised = { exercised: false, violations: [] };

describe("two executions of one request", () => {
  it("are an unknown outcome where the first caller heard no success", () => {
    const first = [executes(0), hears(0, "dispatch", "silence")];
    expect(rulingOf(judgeUnknownOutcome, first)).toEqual(unexercised);
    expect(rulingOf(judgeUnknownOutcome, [...first, executes(0)])).toEqual(unexercised);
    expect(rulingOf(judgeUnknownOutcome, [...first, calls(1, "reserve")])).toEqual(silent);
    expect(rulingOf(judgeUnknownOutcome, [...first, executes(1)]).violations).toMatchObject([
      { invariant: "execution/unknown-outcome", way: "unknown outcome", events: [0, 2] },
    ]);
  });

  it("are a late effect where it did, or never heard of it", () => {
    const heard = [executes(0), hears(0, "dispatch", "success"), executes(1)];
    for (const events of [heard, [executes(0), executes(1)]]) {
      const { violations } = rulingOf(judgeExecution, events);
      expect(violations).toMatchObject([{ way: "late effect" }]);
      expect(rulingOf(judgeUnknownOutcome, events)).toEqual(unexercised);
    }
  });

  it("are a late effect where the second was accepted before the first caller heard", () => {
    const accepted = store(1, "reserve", "proceed", { after: recordOf(1) });
    const told = hears(0, "dispatch", "server-error");
    const stalled = [accepted, executes(0), told, executes(1)];
    expect(rulingOf(judgeExecution, stalled).violations).toMatchObject([{ way: "late effect" }]);
    expect(rulingOf(judgeUnknownOutcome, stalled)).toEqual(silent);
    const retried = [executes(0), told, accepted, executes(1)];
    expect(rulingOf(judgeUnknownOutcome, retried).violations).toMatchObject([
      { way: "unknown outcome", events: [0, 3] },
    ]);
  });

  it("are a minute's boundary where it gave them two keys", () => {
    const requests = [plainRequest({ clientKey: "none" }), plainRequest({ clientKey: "none" })];
    const asked = [arrives(0, 59_999), executes(0, { atMs: 59_999 }), arrives(1, 60_000)];
    expect(rulingOf(judgeMinuteBoundary, asked, requests)).toEqual(silent);
    const again = executes(1, { key: "another", atMs: 60_000 });
    expect(rulingOf(judgeMinuteBoundary, [...asked, again], requests).violations).toMatchObject([
      { way: "minute boundary", events: [1, 3] },
    ]);
  });

  it("do not exercise the boundary within one minute", () => {
    const requests = [plainRequest({ clientKey: "none" }), plainRequest({ clientKey: "none" })];
    const asked = [arrives(0), executes(0), arrives(1, 59_999)];
    expect(rulingOf(judgeMinuteBoundary, asked, requests)).toEqual(unexercised);
  });
});

describe("the message of one attempt", () => {
  const first = executes(0, { viaQueue: true, token: "delivery-0-1" });

  it("is redelivered where two deliveries execute", () => {
    const delivery = [delivered(0), first, delivered(0)];
    expect(rulingOf(judgeRedelivery, delivery)).toEqual(silent);
    expect(rulingOf(judgeRedelivery, [delivered(0), first])).toEqual(unexercised);
    const twice = [...delivery, executes(0, { viaQueue: true, token: "delivery-0-2" })];
    for (const judge of [judgeRedelivery, judgeQueue]) {
      expect(rulingOf(judge, twice).violations).toMatchObject([
        { way: "redelivery", events: [1, 3] },
      ]);
    }
  });

  it("is not redelivered by the delivery of another message", () => {
    expect(rulingOf(judgeRedelivery, [delivered(0), first, delivered(1)])).toEqual(unexercised);
  });

  it("is doubled where one delivery executes twice", () => {
    const doubled = [delivered(0), first, first];
    expect(rulingOf(judgeRedelivery, doubled)).toEqual(unexercised);
    expect(rulingOf(judgeQueue, doubled).violations).toMatchObject([{ way: "doubled call" }]);
  });
});
