// The judge of client order ids fires on two of one key and on one of two keys, and is silent on one for each.
import { expect, it } from "vitest";
import { calls, executes, rulingOf } from "./gateway-events.ts";
import { judgeOrderIds } from "./judge-order-ids.ts";

/** Attempts A and B ask with these keys, and reach downstream with these client order ids. */
function dispatched(keys: readonly [string, string], orderIds: readonly [string, string]) {
  return [0, 1].flatMap((attempt) => [
    calls(attempt, "reserve", { key: keys[attempt] ?? null }),
    executes(attempt, { key: orderIds[attempt] ?? "", executed: attempt === 0 }),
  ]);
}

it("is broken by two client order ids of one key", () => {
  expect(rulingOf(judgeOrderIds, dispatched(["k", "k"], ["1", "2"])).violations).toMatchObject([
    { invariant: "execution", events: [1, 3] },
  ]);
});

it("is broken by one client order id of two keys", () => {
  expect(rulingOf(judgeOrderIds, dispatched(["k", "l"], ["1", "1"])).violations).toMatchObject([
    { invariant: "execution", events: [1, 3] },
  ]);
});

it("is kept by one client order id for each key", () => {
  const silent = { exercised: true, violations: [] };
  expect(rulingOf(judgeOrderIds, dispatched(["k", "k"], ["1", "1"]))).toEqual(silent);
  expect(rulingOf(judgeOrderIds, dispatched(["k", "l"], ["1", "2"]))).toEqual(silent);
});

it("asks nothing of one call alone", () => {
  const alone = dispatched(["k", "k"], ["1", "2"]).slice(0, 2);
  expect(rulingOf(judgeOrderIds, alone)).toEqual({ exercised: false, violations: [] });
});
