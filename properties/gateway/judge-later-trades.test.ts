import { expect, it } from "vitest";
import type { PolicyName } from "../../model/policy.ts";
import { GatewayHistoryBuilder, plannedRequest } from "./gateway-history-builder.ts";
import type { PlannedRequest } from "./gateway-plan.ts";
import { judgeLaterTrades } from "./judge-later-trades.ts";

const withoutKey = plannedRequest({ clientKey: "none" });

/** A is accepted, `waitMs` pass, B asks for the same trade and is answered. */
function judged(
  policy: PolicyName,
  waitMs: number,
  answer: string,
  requests: readonly PlannedRequest[] = [withoutKey, withoutKey],
) {
  const one = new GatewayHistoryBuilder(policy, requests);
  const record = one.record(0, 300_000);
  one.arrives(0).store(0, "reserve", "proceed", null, record).advance(waitMs).arrives(1);
  return judgeLaterTrades(one.store(1, "reserve", answer, record, record).facts);
}

it("passes in a later minute as published, and does not have to within one", () => {
  // The first minute ends after 20 s.
  expect(judged("published", 19_999, "duplicate")).toEqual({ exercised: false, violations: [] });
  expect(judged("published", 20_000, "proceed")).toEqual({ exercised: true, violations: [] });
  expect(judged("published", 20_000, "duplicate").violations).toMatchObject([
    { invariant: "later-trades-pass", events: [6] },
  ]);
});

it("passes under hardened once the blocking time is over: D + W + ε + S where nobody settled", () => {
  expect(judged("hardened", 99_999, "in-doubt").exercised).toBe(false);
  expect(judged("hardened", 100_000, "proceed")).toEqual({ exercised: true, violations: [] });
  expect(judged("hardened", 100_000, "in-doubt").violations).toHaveLength(1);
});

it("is not judged where the client chose a key, or another request's record refuses", () => {
  const keyed = [plannedRequest(), plannedRequest()];
  expect(judged("published", 60_000, "duplicate", keyed).exercised).toBe(false);
  const tenants = [plannedRequest({ clientKey: "none", bearer: "other-tenant" }), withoutKey];
  expect(judged("published", 60_000, "duplicate", tenants)).toEqual({
    exercised: false,
    violations: [],
  });
});
