// Each judge of executions fires on the smallest history that breaks its sentence, and is silent on the mended one.
import { describe, expect, it } from "vitest";
import { calls, delivered, executes, plainRequest, rulingOf } from "./gateway-events.ts";
import { judgeExecution, judgeLateness, judgeQueue } from "./judge-executions.ts";

const silent = { exercised: true, violations: [] };
const unexercised = { exercised: false, violations: [] };

describe("execution", () => {
  const twice = (gapMs: number, second = executes(1, { atMs: gapMs })) => [executes(0), second];

  it("is broken by two executions less than τ apart, and kept by two that are τ apart", () => {
    expect(rulingOf(judgeExecution, twice(299_999)).violations).toContainEqual(
      expect.objectContaining({ invariant: "execution", events: [0, 1] }),
    );
    expect(rulingOf(judgeExecution, twice(300_000)).violations).toEqual([]);
  });

  it("is broken within W where the client sent no key, and kept from W on", () => {
    const requests = [plainRequest({ clientKey: "none" }), plainRequest({ clientKey: "none" })];
    expect(rulingOf(judgeExecution, twice(59_999), requests).violations).not.toEqual([]);
    expect(rulingOf(judgeExecution, twice(60_000), requests).violations).toEqual([]);
  });

  it("is kept by two logical requests, and by a call that downstream refused", () => {
    const requests = [plainRequest(), plainRequest({ clientKey: "two" })];
    expect(rulingOf(judgeExecution, twice(0), requests).violations).toEqual([]);
    const refused = executes(1, { executed: false, said: "refused-by-fence" });
    expect(rulingOf(judgeExecution, twice(0, refused))).toEqual(silent);
  });

  it("is never exercised where nothing executes", () => {
    expect(rulingOf(judgeExecution, [executes(0, { executed: false })]).exercised).toBe(false);
  });

  it("is exercised by what comes after the first execution, in its quiet time", () => {
    const again = (atMs: number) => [executes(0), calls(1, "reserve", { atMs })];
    expect(rulingOf(judgeExecution, [executes(0)])).toEqual(unexercised);
    expect(rulingOf(judgeExecution, again(299_999))).toEqual(silent);
    expect(rulingOf(judgeExecution, again(300_000))).toEqual(unexercised);
    expect(rulingOf(judgeExecution, again(0).toReversed())).toEqual(unexercised);
    expect(rulingOf(judgeExecution, [executes(0), delivered(0)])).toEqual(silent);
    const others = [plainRequest(), plainRequest({ clientKey: "two" })];
    expect(rulingOf(judgeExecution, again(0), others)).toEqual(unexercised);
  });
});

describe("queue executes once", () => {
  const redelivered = (executed: boolean) => [
    delivered(0),
    executes(0, { viaQueue: true }),
    delivered(0),
    executes(0, { viaQueue: true, by: "delivery 2", executed }),
  ];

  it("is broken by a message that executes twice, and kept where the second is refused", () => {
    expect(rulingOf(judgeQueue, redelivered(true)).violations).toMatchObject([
      { invariant: "queue-executes-once", events: [1, 3] },
    ]);
    expect(rulingOf(judgeQueue, redelivered(false))).toEqual(silent);
  });

  it("does not count what the gateway itself executed", () => {
    const history = [executes(0), delivered(0), executes(0, { viaQueue: true })];
    expect(rulingOf(judgeQueue, history)).toEqual(unexercised);
  });

  it("is exercised by a delivery after the first execution, and not by the first one", () => {
    const first = [delivered(0), executes(0, { viaQueue: true })];
    expect(rulingOf(judgeQueue, first)).toEqual(unexercised);
    expect(rulingOf(judgeQueue, [...first, delivered(0)])).toEqual(silent);
    const overlapping = calls(0, "claim", { by: "delivery 2" });
    expect(rulingOf(judgeQueue, [...first, overlapping])).toEqual(silent);
  });
});

describe("no late execution", () => {
  const executedAt = (downstreamMs: number, executed = true) => [
    delivered(0, true),
    executes(0, { viaQueue: true, downstreamMs, messageDeadlineMs: 30_000, executed }),
  ];

  it("is broken at the message's deadline, and kept before it or where it is refused", () => {
    expect(rulingOf(judgeLateness, executedAt(30_000)).violations).toMatchObject([
      { invariant: "no-late-execution", events: [1] },
    ]);
    expect(rulingOf(judgeLateness, executedAt(29_999))).toEqual(unexercised);
    expect(rulingOf(judgeLateness, executedAt(30_000, false))).toEqual(silent);
  });

  it("is never exercised by a late delivery that does not reach downstream", () => {
    expect(rulingOf(judgeLateness, [delivered(0, true)]).exercised).toBe(false);
  });
});
