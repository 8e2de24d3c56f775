// The judge of later trades fires where the same trade is refused later, and is silent where it passes.
import { expect, it } from "vitest";
import type { PolicyName } from "../../model/policy.ts";
import { arrives, plainRequest, recordOf, rulingOf, store } from "./gateway-events.ts";
import { judgeLaterTrades } from "./judge-later-trades.ts";

const withoutKey = plainRequest({ clientKey: "none" });
const unexercised = { exercised: false, violations: [] };
const passed = { exercised: true, violations: [] };

/** A is accepted at 30 s, B asks for the same trade at `atMs` and is answered. */
function judged(
  policy: PolicyName,
  atMs: number,
  answer: string,
  requests = [withoutKey, withoutKey],
) {
  const events = [
    arrives(0, 30_000),
    store(0, "reserve", "proceed", { after: recordOf(0), storeMs: 30_000 }),
    arrives(1, atMs),
    store(1, "reserve", answer, { before: recordOf(0), storeMs: atMs }),
  ];
  return rulingOf(judgeLaterTrades, events, requests, policy);
}

it("passes in a later minute as published, and does not have to within one", () => {
  expect(judged("published", 59_999, "duplicate")).toEqual(unexercised);
  expect(judged("published", 60_000, "proceed")).toEqual(passed);
  expect(judged("published", 60_000, "duplicate").violations).toMatchObject([
    { invariant: "later-trades-pass", events: [3] },
  ]);
});

it("passes under hardened once the blocking time is over: D + W + ε + S where nobody settled", () => {
  expect(judged("hardened", 129_999, "in-doubt")).toEqual(unexercised);
  expect(judged("hardened", 130_000, "proceed")).toEqual(passed);
  expect(judged("hardened", 130_000, "in-doubt").violations).toHaveLength(1);
});

it("is not judged where the client chose a key, or another request's record refuses", () => {
  const keyed = [plainRequest(), plainRequest()];
  expect(judged("published", 90_000, "duplicate", keyed)).toEqual(unexercised);
  const tenants = [plainRequest({ clientKey: "none", bearer: "other-tenant" }), withoutKey];
  expect(judged("published", 90_000, "duplicate", tenants)).toEqual(unexercised);
});
