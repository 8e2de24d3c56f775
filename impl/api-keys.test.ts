import { describe, expect, it } from "vitest";
import { identify, readApiKeys } from "./api-keys.ts";
import { digestOf, isSameDigest } from "./digest.ts";

const keys = async () =>
  readApiKeys(
    JSON.stringify([
      { tenant: "acme", mode: "live", sha256: await digestOf("live-key") },
      { tenant: "acme", mode: "test", sha256: await digestOf("test-key") },
    ]),
  );

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
    for (const headers of [{}, { authorization: "" }, { authorization: "Basic live-key" }]) {
      expect((await present(headers)).outcome).toBe("missing");
    }
    for (const key of ["live-ke", "live-keyx", "LIVE-KEY", "live-key,live-key"]) {
      expect((await present({ authorization: `Bearer ${key}` })).outcome).toBe("unknown");
    }
  });

  it("is not its digest", async () => {
    const digest = await digestOf("live-key");
    expect((await present({ authorization: `Bearer ${digest}` })).outcome).toBe("unknown");
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
