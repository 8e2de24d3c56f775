import { describe, expect, it } from "vitest";
import { claims } from "./claims.ts";
import { gatewayClaims } from "./gateway-claims.ts";
import { gatewayInvariants } from "./gateway-invariants.ts";
import { rateLimitClaims } from "./rate-limit-claims.ts";
import { rateLimitInvariants } from "./rate-limit-invariants.ts";

describe("the claim register", () => {
  it("gives each claim an id of its own", () => {
    const ids = claims.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has a claim of the gateway for each of its invariants", () => {
    const judged = new Set<string>(gatewayClaims.flatMap(({ invariants }) => invariants));
    expect([...judged].toSorted()).toEqual(Object.keys(gatewayInvariants).toSorted());
  });

  it("has a claim of the rate limiter for each of its invariants", () => {
    const judged = new Set<string>(rateLimitClaims.flatMap(({ invariants }) => invariants));
    expect([...judged].toSorted()).toEqual(Object.keys(rateLimitInvariants).toSorted());
  });

  it("expects of hardened that every claim of the gateway holds, but for what no policy can keep", () => {
    const others = gatewayClaims.filter(({ expected }) => expected.hardened !== "holds");
    expect(others.map(({ id }) => id)).toEqual(["failed-attempts-may-retry"]);
  });
});
