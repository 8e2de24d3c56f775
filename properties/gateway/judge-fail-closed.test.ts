// The judges of fail-closed and of forgeries fire on the smallest history that breaks them, and are silent on the mended one.
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
import type { GatewayEvent } from "./gateway-history.ts";
import { judgeFailClosed, judgeForgeries } from "./judge-fail-closed.ts";

const silent = { exercised: true, violations: [] };

describe("fail closed", () => {
  const accepted = store(0, "reserve", "proceed", { after: recordOf(0) });
  const { unavailable } = answers;

  it("is broken by an execution without an acceptance of the same attempt before it", () => {
    const broken = { invariant: "fail-closed" };
    expect(rulingOf(judgeFailClosed, [executes(0)]).violations).toMatchObject([broken]);
    expect(rulingOf(judgeFailClosed, [executes(0), accepted]).violations).toMatchObject([broken]);
    expect(rulingOf(judgeFailClosed, [accepted, executes(1)]).violations).toMatchObject([broken]);
    const refused = store(0, "reserve", "in-flight", { before: recordOf(1), after: recordOf(1) });
    expect(rulingOf(judgeFailClosed, [refused, executes(0)]).violations).toMatchObject([broken]);
    expect(rulingOf(judgeFailClosed, [accepted, executes(0)]).violations).toEqual([]);
  });

  it("is broken by an execution for which a commit is all the leave there was", () => {
    const committed = store(0, "commit", "done", { after: recordOf(0, { status: "committed" }) });
    expect(rulingOf(judgeFailClosed, [committed, executes(0)]).violations).toMatchObject([
      { invariant: "fail-closed", events: [1] },
    ]);
  });

  it("is broken by an execution for another key than the accepted one", () => {
    for (const storeKey of ["l", null]) {
      const history = [accepted, executes(0, { storeKey })];
      expect(rulingOf(judgeFailClosed, history).violations).toMatchObject([{ events: [1] }]);
    }
  });

  it("is broken by a call sent after its own release was done, and kept by one sent before", () => {
    const [sent, released] = [calls(0, "dispatch"), store(0, "release", "done")];
    const judged = (...events: readonly GatewayEvent[]) =>
      rulingOf(judgeFailClosed, [accepted, ...events]).violations;
    expect(judged(released, sent, executes(0))).toMatchObject([{ events: [3] }]);
    expect(judged(sent, released, executes(0))).toEqual([]);
    expect(judged(store(0, "release", "stale"), sent, executes(0))).toEqual([]);
    expect(judged(store(1, "release", "done"), sent, executes(0))).toEqual([]);
  });

  it("is broken by a delivery after that release, where the consumer claims", () => {
    const history = [
      accepted,
      store(0, "release", "done"),
      delivered(0),
      calls(0, "dispatch", { by: "delivery 1" }),
      executes(0, { viaQueue: true }),
    ];
    expect(rulingOf(judgeFailClosed, history).violations).toMatchObject([{ events: [4] }]);
    expect(rulingOf(judgeFailClosed, history, undefined, "published").violations).toEqual([]);
  });

  it("is broken by 503 where a reserve was answered, or none was sent", () => {
    const served = [hears(0, "reserve", "silence"), hears(0, "reserve", "in-flight")];
    expect(rulingOf(judgeFailClosed, [...served, told(0, unavailable)]).violations).toMatchObject([
      { invariant: "fail-closed", events: [2] },
    ]);
    expect(rulingOf(judgeFailClosed, [told(0, unavailable)]).violations).toHaveLength(1);
    expect(rulingOf(judgeFailClosed, [...served, told(0, answers["in-flight"])])).toEqual({
      exercised: false,
      violations: [],
    });
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
      for (const other of [answers.executed, gateRefusals["kill-switch"]]) {
        expect(rulingOf(judgeFailClosed, answered(other)).violations).toMatchObject([
          { invariant: "fail-closed", events: [0] },
        ]);
      }
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
      rulingOf(judgeForgeries, events, forged);
    expect(ruling(calls(0, "reserve"), refused).violations).toMatchObject([{ events: [0] }]);
    expect(ruling(told(0, answers.failed)).violations).toMatchObject([{ events: [0] }]);
    expect(ruling(refused)).toEqual(silent);
  });
});
