// Each judge of executions fires on the smallest history that breaks its sentence, and is silent on the mended one.
import { describe, expect, it } from "vitest";
import { answers, gateRefusals } from "../../model/gateway-answers.ts";
import {
  calls,
  delivered,
  executes,
  hears,
  plainRequest,
  recordOf,
  rulingOf,
  store,
  told,
} from "./gateway-events.ts";
import { judgeExecution, judgeFailClosed, judgeLateness, judgeQueue } from "./judge-executions.ts";

const silent = { exercised: true, violations: [] };

describe("execution", () => {
  const twice = (gapMs: number, second = executes(1, { atMs: gapMs })) => [executes(0), second];

  it("is broken by two executions less than τ apart, and kept by two that are τ apart", () => {
    expect(rulingOf(judgeExecution, twice(299_999)).violations).toContainEqual(
      expect.objectContaining({ invariant: "execution", events: [0, 1] }),
    );
    expect(rulingOf(judgeExecution, twice(300_000))).toEqual(silent);
  });

  it("is broken within W where the client sent no key, and kept from W on", () => {
    const requests = [plainRequest({ clientKey: "none" }), plainRequest({ clientKey: "none" })];
    expect(rulingOf(judgeExecution, twice(59_999), requests).violations).not.toEqual([]);
    expect(rulingOf(judgeExecution, twice(60_000), requests)).toEqual(silent);
  });

  it("is kept by two logical requests, and by a call that downstream refused", () => {
    const requests = [plainRequest(), plainRequest({ clientKey: "two" })];
    expect(rulingOf(judgeExecution, twice(0), requests)).toEqual(silent);
    const refused = executes(1, { executed: false, said: "refused-by-fence" });
    expect(rulingOf(judgeExecution, twice(0, refused))).toEqual(silent);
  });

  it("is never exercised where nothing executes", () => {
    expect(rulingOf(judgeExecution, [executes(0, { executed: false })]).exercised).toBe(false);
  });
});

describe("queue executes once", () => {
  const redelivered = (executed: boolean) => [
    delivered(0),
    executes(0, { viaQueue: true }),
    delivered(0),
    executes(0, { viaQueue: true, by: "delivery 1", executed }),
  ];

  it("is broken by a message that executes twice, and kept where the second is refused", () => {
    expect(rulingOf(judgeQueue, redelivered(true)).violations).toMatchObject([
      { invariant: "queue-executes-once", events: [1, 3] },
    ]);
    expect(rulingOf(judgeQueue, redelivered(false))).toEqual(silent);
  });

  it("does not count what the gateway itself executed", () => {
    const history = [executes(0), delivered(0), executes(0, { viaQueue: true })];
    expect(rulingOf(judgeQueue, history)).toEqual(silent);
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
    expect(rulingOf(judgeLateness, executedAt(29_999))).toEqual(silent);
    expect(rulingOf(judgeLateness, executedAt(30_000, false))).toEqual(silent);
  });

  it("is never exercised where no delivery is late", () => {
    expect(rulingOf(judgeLateness, [delivered(0)]).exercised).toBe(false);
  });
});

describe("fail closed", () => {
  const accepted = store(0, "reserve", "proceed", { after: recordOf(0) });
  const { unavailable } = answers;

  it("is broken by an execution without an acceptance of the same attempt before it", () => {
    const broken = { invariant: "fail-closed" };
    expect(rulingOf(judgeFailClosed, [executes(0)]).violations).toMatchObject([broken]);
    expect(rulingOf(judgeFailClosed, [executes(0), accepted]).violations).toMatchObject([broken]);
    expect(rulingOf(judgeFailClosed, [accepted, executes(1)]).violations).toMatchObject([broken]);
    expect(rulingOf(judgeFailClosed, [accepted, executes(0)]).violations).toEqual([]);
  });

  it("is kept by an acceptance whose answer was lost in a reset", () => {
    const lost = store(0, "reserve", "unknown", { after: recordOf(0) });
    expect(rulingOf(judgeFailClosed, [lost, executes(0)]).violations).toEqual([]);
  });

  it.each(["silence", "unavailable"])(
    "is broken by any answer but 503 after %s at reserve",
    (heard) => {
      const answered = (answer: { readonly status: number; readonly code: string }) => [
        hears(0, "reserve", heard),
        told(0, answer),
      ];
      expect(rulingOf(judgeFailClosed, answered(answers.executed)).violations).toMatchObject([
        { invariant: "fail-closed", events: [0] },
      ]);
      expect(rulingOf(judgeFailClosed, answered(unavailable))).toEqual(silent);
    },
  );

  it("is broken by an execution after silence at reserve, whatever the store did", () => {
    const history = [accepted, hears(0, "reserve", "silence"), executes(0), told(0, unavailable)];
    expect(rulingOf(judgeFailClosed, history).violations).toMatchObject([{ events: [1, 2] }]);
    const served = [accepted, hears(0, "reserve", "silence"), hears(0, "reserve", "proceed")];
    expect(rulingOf(judgeFailClosed, [...served, executes(0)]).violations).toEqual([]);
  });

  it("is broken by a forged request that reaches anything, or is told anything but 403", () => {
    const forged = [plainRequest({ bearer: "forged" })];
    const refused = told(0, gateRefusals["api-key"]);
    const ruling = (...events: Parameters<typeof rulingOf>[1]) =>
      rulingOf(judgeFailClosed, events, forged);
    expect(ruling(calls(0, "reserve"), refused).violations).toMatchObject([{ events: [0] }]);
    expect(ruling(told(0, answers.failed)).violations).toMatchObject([{ events: [0] }]);
    expect(ruling(refused)).toEqual(silent);
  });
});
