import { describe, expect, it } from "vitest";
import { hardened } from "../model/policy.ts";
import { deriveLifecycleTable } from "../model/lifecycle-table.ts";
import { contractRules } from "./contract-spec.ts";
import { allCapabilities } from "./history-builder.ts";
import type { KeySituation } from "./key-spec.ts";
import { machineRule } from "./machine-spec.ts";

const record = (
  call: KeySituation["call"],
  status: KeySituation["status"],
  own = false,
  sameFingerprint = true,
): KeySituation => ({ call, status, own, sameFingerprint });

function outcomes(situation: KeySituation, capabilities = allCapabilities): readonly string[] {
  return contractRules(situation, capabilities).map(
    ({ change, outcome }) => `${outcome}, ${change}`,
  );
}

const situations = (["reserve", "commit", "release"] as const).flatMap((call) =>
  (["absent", "pending", "committed"] as const).flatMap((status) =>
    [false, true].flatMap((own) =>
      [false, true].map((sameFingerprint) => record(call, status, own, sameFingerprint)),
    ),
  ),
);

describe("the contract as a specification", () => {
  it("answers a reserve in the contract's order", () => {
    expect(outcomes(record("reserve", "absent"))).toEqual(["proceed, accept"]);
    expect(outcomes(record("reserve", "pending", true, false))).toEqual(["mismatch, keep"]);
    expect(outcomes(record("reserve", "pending", true))).toEqual(["proceed, keep"]);
    expect(outcomes(record("reserve", "pending"))).toEqual(["in-flight, keep"]);
    expect(outcomes(record("reserve", "committed", true, false))).toEqual(["mismatch, keep"]);
    expect(outcomes(record("reserve", "committed", true))).toEqual(["duplicate, keep"]);
    expect(outcomes(record("reserve", "committed"))).toEqual(["duplicate, keep"]);
  });

  it("takes a late commit either way, and obeys only the holder otherwise", () => {
    expect(outcomes(record("commit", "absent"))).toEqual(["done, commit-late", "stale, keep"]);
    expect(outcomes(record("commit", "pending", true))).toEqual(["done, commit"]);
    expect(outcomes(record("commit", "pending"))).toEqual(["stale, keep"]);
    expect(outcomes(record("commit", "committed", true))).toEqual(["done, keep"]);
    expect(outcomes(record("commit", "committed"))).toEqual(["stale, keep"]);
  });

  it("frees the key by the holder's release while pending, and by no other", () => {
    expect(outcomes(record("release", "pending", true))).toEqual(["done, erase"]);
    for (const status of ["absent", "committed"] as const)
      expect(outcomes(record("release", status, true))).toEqual(["stale, keep"]);
    expect(outcomes(record("release", "pending"))).toEqual(["stale, keep"]);
  });

  it("goes by key alone without owner tokens, and knows no mismatch without fingerprints", () => {
    const capabilities = { ...allCapabilities, ownerTokens: false, fingerprints: false };
    expect(outcomes(record("reserve", "pending", true, false), capabilities)).toEqual([
      "in-flight, keep",
    ]);
    expect(outcomes(record("commit", "pending"), capabilities)).toEqual(["done, commit"]);
    expect(outcomes(record("release", "absent"), capabilities)).toEqual(["done, erase"]);
  });

  it("allows what the hardened machine does in every situation", () => {
    const table = deriveLifecycleTable(hardened);
    for (const situation of situations)
      expect(contractRules(situation, allCapabilities)).toContainEqual(
        machineRule(table, situation),
      );
  });
});
