import { describe, expect, it } from "vitest";
import { identify, readApiKeys } from "./api-keys.ts";
import { digestOf, isSameDigest } from "./digest.ts";

const keys = async () => {
  const secret = JSON.stringify([
    { tenant: "acme", mode: "live", sha256: await digestOf("live-key") },
    { tenant: "acme", mode: "test", sha256: await digestOf("test-key") },
  ]);
  return readApiKeys(secret).apiKeys;
};

const present = async (headers: Record<string, string>) =>
  identify(await keys(), new Headers(headers));

describe("an API key", () => {
  it("says whose request it is, and whether it is live", async () => {
    expect(await present({ authorization: "Bearer live-key" })).toEqual({
      outcome: "identified",
      scope: { tenant: "acme", mode: "live" },
    });
    expect(await present({ "x-api-key": "test-key" })).toEqual({
      outcome: "identified",
      scope: { tenant: "acme", mode: "test" },
    });
  });

  it("is missing or unknown in every other form", async () => {
    for (const headers of [{}, { "x-api-key": "" }]) {
      expect((await present(headers)).outcome).toBe("missing");
    }
    for (const key of ["live-ke", "live-keyx", "LIVE-KEY", "live-key,live-key"]) {
      expect((await present({ authorization: `Bearer ${key}` })).outcome).toBe("unknown");
    }
  });

  it("is refused where Authorization is malformed, whatever X-API-Key says", async () => {
    for (const authorization of ["", "Basic live-key", "Bearer", "Bearer live-key test-key"]) {
      for (const other of [{}, { "x-api-key": "live-key" }]) {
        expect(await present({ authorization, ...other })).toEqual({ outcome: "malformed" });
      }
    }
  });

  it("is refused where two are sent, and is one where both are the same", async () => {
    const authorization = "Bearer test-key";
    for (const apiKey of ["live-key", "unknown", ""]) {
      const presented = await present({ authorization, "x-api-key": apiKey });
      expect(presented).toEqual({ outcome: "ambiguous" });
    }
    expect((await present({ authorization, "x-api-key": "test-key" })).outcome).toBe("identified");
  });

  it("is not its digest", async () => {
    const digest = await digestOf("live-key");
    expect((await present({ authorization: `Bearer ${digest}` })).outcome).toBe("unknown");
  });
});

describe("the list of keys", () => {
  const sha256 = "0".repeat(64);
  const key = { tenant: "a-secret", mode: "test", sha256 };

  it.each([
    [undefined, "is missing"],
    ["", "is no JSON"],
    ["a-secret", "is no JSON"],
    ['"a-secret"', "is not valid at its top"],
    ["[]", "is empty"],
    [JSON.stringify([key, { ...key, sha256: "a-secret" }]), "is not valid at 1.sha256"],
    [JSON.stringify([key, { ...key, mode: "a-secret" }]), "is not valid at 1.mode"],
    [JSON.stringify([key, { ...key, sha256: "1".repeat(64) }, key]), "at several places: 0, 2"],
  ])(
    "that lets nobody in says where it is wrong, and never what stands there: %s",
    (secret, where) => {
      const { fault } = readApiKeys(secret);
      expect(fault).toContain(where);
      expect(fault).not.toMatch(/a-secret|0000/);
    },
  );

  it("has no fault where nothing is wrong", () => {
    expect(readApiKeys(JSON.stringify([key]))).toEqual({ apiKeys: [key], fault: null });
  });
});

describe("the comparison of digests", () => {
  it("sees a difference in any place and in the length", async () => {
    const digest = await digestOf("x");
    expect(isSameDigest(digest, digest)).toBe(true);
    for (let at = 0; at < digest.length; at++) {
      const other = `${digest.slice(0, at)}g${digest.slice(at + 1)}`;
      expect(isSameDigest(digest, other)).toBe(false);
    }
    expect(isSameDigest(digest, "")).toBe(false);
    expect(isSameDigest(digest, digest.slice(1))).toBe(false);
  });
});
