import { describe, expect, it } from "vitest";
import { hardened, published } from "../model/policy.ts";
import type { KeyRecord } from "../model/vocabulary.ts";
import { deadReason, showsExecutions, standingOf } from "./message-standing.ts";

const pending: KeyRecord = {
  status: "pending",
  token: "t",
  fingerprint: "f",
  fence: 1,
  acceptedAtMs: 0,
  deadlineAtMs: 100,
  expiresAtMs: 200,
  response: null,
  claimedBy: null,
};

describe("a message", () => {
  it("is surely not executed only where nobody claimed it and nobody can any more", () => {
    expect(standingOf(pending, "t", 100)).toBe("unclaimed");
    expect(standingOf(pending, "t", 99)).toBe("open");
    expect(standingOf({ ...pending, claimedBy: "d" }, "t", 100)).toBe("claimed");
    expect(standingOf({ ...pending, status: "committed" }, "t", 0)).toBe("executed");
    expect(standingOf(pending, "other", 100)).toBe("gone");
    expect(standingOf(null, "t", 100)).toBe("gone");
  });

  it("that may have executed is never said to be dead", () => {
    for (const standing of ["claimed", "open", "gone", null] as const) {
      expect(deadReason(standing)).toMatch(/may (have|yet) execute.*look at the exchange/);
    }
    expect(deadReason("unclaimed")).toContain("nobody executed it");
  });

  it("leaves no trace of its execution in the store as published", () => {
    expect(showsExecutions(hardened)).toBe(true);
    expect(showsExecutions(published)).toBe(false);
    expect(showsExecutions({ ...hardened, commitWhen: "enqueued" })).toBe(false);
  });
});
