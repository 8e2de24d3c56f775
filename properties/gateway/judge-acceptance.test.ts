import { describe, expect, it } from "vitest";
import type { PolicyName } from "../../model/policy.ts";
import { GatewayHistoryBuilder, plannedRequest } from "./gateway-history-builder.ts";
import { judgeAcceptance } from "./judge-acceptance.ts";

const retentionMs = 300_000;
/** Hardened: D + τ + ε + S. */
const pendingMs = 340_000;

const two = (policy: PolicyName, request = plannedRequest()) =>
  new GatewayHistoryBuilder(policy, [request, request]);

/** A is accepted, `between` happens, B is accepted. */
function judged(builder: GatewayHistoryBuilder, between: (one: GatewayHistoryBuilder) => void) {
  builder.arrives(0).store(0, "reserve", "proceed", null, builder.record(0, pendingMs));
  between(builder);
  builder.arrives(1).store(1, "reserve", "proceed", null, builder.record(1, pendingMs));
  return judgeAcceptance(builder.facts);
}

describe("a second acceptance", () => {
  it("is too early while the first one's pending time runs, and comes at its very end", () => {
    const early = judged(two("hardened"), (one) => one.advance(pendingMs - 1));
    expect(early.violations).toMatchObject([{ invariant: "acceptance", events: [2, 6] }]);
    const onTime = judged(two("hardened"), (one) => one.advance(pendingMs));
    expect(onTime).toEqual({ exercised: true, violations: [] });
  });

  it("may follow its holder's release at once", () => {
    const { violations } = judged(two("hardened"), (one) =>
      one.store(0, "release", "done", one.record(0, pendingMs), null),
    );
    expect(violations).toEqual([]);
  });

  it("may not follow a release by another attempt", () => {
    const { violations } = judged(two("published"), (one) =>
      one.store(1, "release", "done", one.record(0, retentionMs), null),
    );
    expect(violations).toHaveLength(1);
  });

  it("waits for the retention, which counts from the commit or as published from the reserve", () => {
    const commit = (one: GatewayHistoryBuilder) =>
      one
        .advance(10_000)
        .store(
          0,
          "commit",
          "done",
          one.record(0, pendingMs),
          one.record(0, retentionMs, "committed"),
        )
        .advance(retentionMs - 10_000);
    expect(judged(two("published"), commit).violations).toEqual([]);
    expect(judged(two("hardened"), commit).violations).toHaveLength(1);
  });

  it("waits for W where the key is made of the request", () => {
    const window = plannedRequest({ clientKey: "none" });
    const wait = (one: GatewayHistoryBuilder) => one.advance(100_000);
    expect(judged(two("hardened", window), wait).violations).toEqual([]);
    expect(judged(two("published", window), wait).violations).toHaveLength(1);
  });
});

it("is not exercised where nobody asks for a key that was accepted", () => {
  const one = two("hardened");
  one.arrives(0).store(0, "reserve", "proceed", null, one.record(0, pendingMs));
  expect(judgeAcceptance(one.facts)).toEqual({ exercised: false, violations: [] });
});
