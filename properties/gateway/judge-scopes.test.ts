import { describe, expect, it } from "vitest";
import { GatewayHistoryBuilder, plannedRequest } from "./gateway-history-builder.ts";
import type { PlannedRequest } from "./gateway-plan.ts";
import {
  judgeIsolation,
  judgeMismatch,
  judgeModes,
  judgeOneKey,
  judgeRelease,
  judgeSoftFail,
  judgeTenants,
} from "./judge-keys.ts";

/** Two requests arrive and get these keys. */
function keyed(other: Partial<PlannedRequest>, keys: readonly [string, string], first = {}) {
  const requests = [plannedRequest(first), plannedRequest(other)];
  return new GatewayHistoryBuilder("published", requests).arrives(0, keys[0]).arrives(1, keys[1])
    .facts;
}

describe("requests that are not the same", () => {
  it.each([
    ["isolation", judgeIsolation, { clientKey: "two" }],
    ["mode-isolation", judgeModes, { bearer: "test" }],
    ["tenant-isolation", judgeTenants, { bearer: "other-tenant" }],
  ] as const)(
    "break %s where they share a key, and not where they do not",
    (name, judge, other) => {
      expect(judge(keyed(other, ["k", "k"])).violations).toMatchObject([
        { invariant: name, events: [1, 3] },
      ]);
      expect(judge(keyed(other, ["k", "l"]))).toEqual({ exercised: true, violations: [] });
    },
  );

  it("exercise only what they differ in", () => {
    const tenants = keyed({ bearer: "other-tenant" }, ["k", "k"]);
    expect(judgeIsolation(tenants).exercised).toBe(false);
    expect(judgeModes(tenants).exercised).toBe(false);
    expect(judgeTenants(keyed({ clientKey: "two" }, ["k", "k"])).exercised).toBe(false);
  });

  it("are a silent downgrade where a key was not valid", () => {
    const facts = keyed({ clientKey: "long" }, ["k", "k"], { clientKey: "none" });
    expect(judgeIsolation(facts).violations).toMatchObject([{ way: "silent downgrade" }]);
  });
});

it("gives retries of one request one key", () => {
  expect(judgeOneKey(keyed({}, ["k", "k"]))).toEqual({ exercised: true, violations: [] });
  expect(judgeOneKey(keyed({}, ["k", "l"])).violations).toHaveLength(1);
});

describe("what a key answers", () => {
  const two = () => new GatewayHistoryBuilder("hardened", [plannedRequest(), plannedRequest()]);

  it("is mismatch to another payload while a record blocks", () => {
    const one = two();
    const record = { ...one.record(0, 1), fingerprint: "another" };
    one.store(1, "reserve", "mismatch", record, record);
    expect(judgeMismatch(one.facts)).toEqual({ exercised: true, violations: [] });
    expect(judgeMismatch(one.store(1, "reserve", "duplicate", record, record).facts)).toMatchObject(
      { violations: [{ events: [1] }] },
    );
  });

  it("is proceed after its holder's release", () => {
    const one = two();
    const record = one.record(0, 1);
    one.store(0, "release", "done", record, null);
    expect(judgeRelease(one.facts).exercised).toBe(false);
    one.store(1, "reserve", "in-flight", null, null);
    expect(judgeRelease(one.facts).violations).toMatchObject([{ events: [0, 1] }]);
  });
});

it("releases on a soft-fail before it answers", () => {
  const one = new GatewayHistoryBuilder("published", [plannedRequest()]);
  one.reply(0, "dispatch", "soft-fail");
  expect(judgeSoftFail(one.facts)).toEqual({ exercised: true, violations: [] });
  expect(judgeSoftFail(one.responds(0, { status: 500 }).facts).violations).toHaveLength(1);
});
