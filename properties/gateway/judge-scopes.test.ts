// The judges of what requests differ in: one scope's keys, modes, tenants, each exercised by its own pairs only.
import { describe, expect, it } from "vitest";
import { calls, plainRequest, rulingOf } from "./gateway-events.ts";
import type { PlannedRequest } from "./gateway-plan.ts";
import { judgeIsolation, judgeModes, judgeTenants } from "./judge-keys.ts";

/** Two requests that get these keys. */
function asks(keys: readonly [string, string]) {
  return keys.map((key, attempt) => calls(attempt, "reserve", { key }));
}

function beside(other: Partial<PlannedRequest>, first: Partial<PlannedRequest> = {}) {
  return [plainRequest(first), plainRequest(other)];
}

describe("requests that are not the same", () => {
  it.each([
    ["isolation", judgeIsolation, { clientKey: "two" }],
    ["mode-isolation", judgeModes, { bearer: "test" }],
    ["tenant-isolation", judgeTenants, { bearer: "other-tenant" }],
  ] as const)(
    "break %s where they share a key, and not where they do not",
    (name, judge, other) => {
      const shared = rulingOf(judge, asks(["k", "k"]), beside(other));
      expect(shared.violations).toMatchObject([{ invariant: name, events: [0, 1] }]);
      const apart = rulingOf(judge, asks(["k", "l"]), beside(other));
      expect(apart).toEqual({ exercised: true, violations: [] });
    },
  );

  it("exercise only what they differ in", () => {
    const shared = asks(["k", "k"]);
    const tenants = beside({ bearer: "other-tenant" });
    expect(rulingOf(judgeIsolation, shared, tenants).exercised).toBe(false);
    expect(rulingOf(judgeModes, shared, tenants).exercised).toBe(false);
    expect(rulingOf(judgeTenants, shared, beside({ clientKey: "two" })).exercised).toBe(false);
  });

  it("are a silent downgrade where a key was not valid", () => {
    const requests = beside({ clientKey: "long" }, { clientKey: "none" });
    expect(rulingOf(judgeIsolation, asks(["k", "k"]), requests).violations).toMatchObject([
      { way: "silent downgrade" },
    ]);
  });
});
