import { describe, expect, it } from "vitest";
import { createKeyLifecycle, decide, type KeyDecision } from "./key-lifecycle.ts";
import { type Policy, hardened, paper, published } from "./policy.ts";
import type { KeyEvent, KeyRecord } from "./vocabulary.ts";

const times = { deadlineMs: 10, pendingMs: 100, retentionMs: 50 };

const reserve = (token: string, now: number, fingerprint = "f", nextFence = 1): KeyEvent => ({
  type: "RESERVE",
  token,
  fingerprint,
  nextFence,
  times,
  now,
});
const commit = (token: string, now: number, response = "r", fingerprint = "f"): KeyEvent => ({
  type: "COMMIT",
  token,
  fingerprint,
  response,
  times,
  now,
});
const release = (token: string, now: number): KeyEvent => ({ type: "RELEASE", token, now });
const claim = (token: string, delivery: string, now: number): KeyEvent => ({
  type: "CLAIM",
  token,
  delivery,
  now,
});
const alarm = (now: number): KeyEvent => ({ type: "ALARM", now });

/** Sends the events one after another to one key; the last decision is the answer. */
function after(policy: Policy, ...events: readonly KeyEvent[]): KeyDecision {
  const lifecycle = createKeyLifecycle(policy);
  let decision: KeyDecision = { record: null, commands: [] };
  for (const event of events) decision = decide(lifecycle, decision.record, event);
  return decision;
}

function replyTo(policy: Policy, ...events: readonly KeyEvent[]) {
  return after(policy, ...events).commands.find((command) => command.type === "reply")?.reply;
}

function outcomeOf(policy: Policy, ...events: readonly KeyEvent[]) {
  return replyTo(policy, ...events)?.outcome;
}

describe("hardened", () => {
  it("stores a reservation, sets its alarm and tells the attempt to proceed, in that order", () => {
    const record: KeyRecord = {
      status: "pending",
      token: "a",
      fingerprint: "f",
      fence: 1,
      acceptedAtMs: 5,
      deadlineAtMs: 15,
      expiresAtMs: 105,
      response: null,
      claimedBy: null,
    };
    expect(after(hardened, reserve("a", 5))).toEqual({
      record,
      commands: [
        { type: "persist", record },
        { type: "scheduleAlarm", atMs: 105, mode: "earliest" },
        { type: "reply", reply: { outcome: "proceed", fence: 1, deadlineAtMs: 15 } },
      ],
    });
  });

  it("refuses another attempt until the last millisecond of the pending time, not at its end", () => {
    expect(outcomeOf(hardened, reserve("a", 0), reserve("b", 99))).toBe("in-flight");
    expect(outcomeOf(hardened, reserve("a", 0), reserve("b", 100))).toBe("proceed");
  });

  it("says in doubt from the deadline on, not before it", () => {
    expect(replyTo(hardened, reserve("a", 0), reserve("b", 9))).toMatchObject({ inDoubt: false });
    expect(replyTo(hardened, reserve("a", 0), reserve("b", 10))).toMatchObject({ inDoubt: true });
  });

  it("tells the holder to proceed again with the same fence and deadline, extending nothing", () => {
    const again = after(hardened, reserve("a", 0), reserve("a", 60, "f", 2));
    expect(again.record?.expiresAtMs).toBe(100);
    expect(again.commands).toEqual([
      { type: "reply", reply: { outcome: "proceed", fence: 1, deadlineAtMs: 10 } },
    ]);
  });

  it("refuses another payload before it looks at the token", () => {
    expect(outcomeOf(hardened, reserve("a", 0), reserve("a", 1, "g"))).toBe("mismatch");
    expect(outcomeOf(hardened, reserve("a", 0), commit("a", 1), reserve("a", 2, "g"))).toBe(
      "mismatch",
    );
    expect(outcomeOf(hardened, reserve("a", 0), reserve("b", 100, "g"))).toBe("proceed");
  });

  it("blocks for the retention from the commit, even where that is less than was left", () => {
    const committed = [reserve("a", 0), commit("a", 20)];
    expect(replyTo(hardened, ...committed, reserve("b", 69))).toEqual({
      outcome: "duplicate",
      response: "r",
    });
    expect(outcomeOf(hardened, ...committed, reserve("b", 70))).toBe("proceed");
    expect(after(hardened, ...committed).commands).toContainEqual({
      type: "scheduleAlarm",
      atMs: 70,
      mode: "earliest",
    });
  });

  it("keeps the first response and the first retention when a commit is repeated", () => {
    const twice = [reserve("a", 0), commit("a", 20, "first"), commit("a", 40, "second")];
    expect(outcomeOf(hardened, ...twice)).toBe("done");
    expect(after(hardened, ...twice).record).toMatchObject({ response: "first", expiresAtMs: 70 });
  });

  it("never obeys a commit or release by another token while a record blocks", () => {
    const pending = after(hardened, reserve("a", 0)).record;
    for (const event of [commit("b", 1), release("b", 1)]) {
      expect(outcomeOf(hardened, reserve("a", 0), event)).toBe("stale");
      expect(after(hardened, reserve("a", 0), event).record).toEqual(pending);
    }
    expect(outcomeOf(hardened, reserve("a", 0), commit("a", 1), commit("b", 2))).toBe("stale");
  });

  it("frees the key at once when the holder releases it while pending, and only then", () => {
    expect(outcomeOf(hardened, reserve("a", 0), release("a", 99))).toBe("done");
    expect(after(hardened, reserve("a", 0), release("a", 99)).record).toBeNull();
    expect(outcomeOf(hardened, reserve("a", 0), release("a", 100))).toBe("stale");
    expect(outcomeOf(hardened, reserve("a", 0), commit("a", 1), release("a", 2))).toBe("stale");
    expect(outcomeOf(hardened, release("a", 0))).toBe("stale");
  });

  it("records a late commit that finds the key free, and none that finds another's record", () => {
    expect(outcomeOf(hardened, commit("a", 0))).toBe("done");
    expect(after(hardened, reserve("a", 0), commit("a", 100)).record).toMatchObject({
      status: "committed",
      token: "a",
      fence: 0,
      expiresAtMs: 150,
    });
    expect(outcomeOf(hardened, reserve("a", 0), reserve("b", 100), commit("a", 101))).toBe("stale");
  });

  it("lets one delivery claim a message, again if it asks again, and no other", () => {
    const claimed = [reserve("a", 0), claim("a", "first", 1)];
    expect(outcomeOf(hardened, ...claimed)).toBe("done");
    expect(outcomeOf(hardened, ...claimed, claim("a", "first", 2))).toBe("done");
    expect(outcomeOf(hardened, ...claimed, claim("a", "second", 2))).toBe("stale");
  });

  it("lets nobody claim at the deadline, without the token, or once committed", () => {
    expect(outcomeOf(hardened, reserve("a", 0), claim("a", "first", 9))).toBe("done");
    expect(outcomeOf(hardened, reserve("a", 0), claim("a", "first", 10))).toBe("stale");
    expect(outcomeOf(hardened, reserve("a", 0), claim("b", "first", 1))).toBe("stale");
    expect(outcomeOf(hardened, reserve("a", 0), commit("a", 1), claim("a", "first", 2))).toBe(
      "stale",
    );
    expect(outcomeOf(hardened, claim("a", "first", 1))).toBe("stale");
  });

  it("erases at an alarm what has ended, to the millisecond, and nothing else", () => {
    expect(after(hardened, reserve("a", 0), alarm(99))).toMatchObject({ commands: [] });
    expect(after(hardened, reserve("a", 0), alarm(100))).toEqual({
      record: null,
      commands: [{ type: "erase" }],
    });
    expect(after(hardened, reserve("a", 0), commit("a", 1), alarm(50)).commands).toEqual([]);
    expect(after(hardened, reserve("a", 0), commit("a", 1), alarm(51)).record).toBeNull();
    expect(after(hardened, alarm(0))).toEqual({ record: null, commands: [] });
  });
});

describe("published", () => {
  it("obeys a release by anybody: the zombie of the witness list", () => {
    expect(outcomeOf(published, reserve("a", 0), reserve("b", 100), release("a", 101))).toBe(
      "done",
    );
    expect(after(published, reserve("a", 0), reserve("b", 100), release("a", 101)).record).toBe(
      null,
    );
  });

  it("deletes even a committed record at a release", () => {
    expect(after(published, reserve("a", 0), commit("a", 1), release("b", 2)).record).toBeNull();
  });

  it("keeps the end that was set at the reserve when it commits", () => {
    expect(after(published, reserve("a", 0), commit("a", 60)).record?.expiresAtMs).toBe(100);
  });

  it("erases an ended record at a commit, records nothing, and says done all the same", () => {
    const late = after(published, reserve("a", 0), commit("a", 100));
    expect(late.record).toBeNull();
    expect(outcomeOf(published, reserve("a", 0), commit("a", 100))).toBe("done");
    expect(outcomeOf(published, commit("a", 0))).toBe("done");
  });

  it("says duplicate whether pending or committed, to the same token too, whatever the payload", () => {
    expect(outcomeOf(published, reserve("a", 0), reserve("b", 1, "g"))).toBe("duplicate");
    expect(outcomeOf(published, reserve("a", 0), reserve("a", 1))).toBe("duplicate");
    expect(replyTo(published, reserve("a", 0), commit("a", 1), reserve("b", 2))).toEqual({
      outcome: "duplicate",
      response: null,
    });
  });
});

describe("paper", () => {
  it("has one phase: neither commit nor release changes anything", () => {
    for (const event of [commit("a", 1), release("a", 1), commit("a", 100), release("a", 100)]) {
      const reserved = after(paper, reserve("a", 0)).record;
      expect(after(paper, reserve("a", 0), event).record).toEqual(reserved);
      expect(outcomeOf(paper, reserve("a", 0), event)).toBe("stale");
    }
  });

  it("moves the alarm to the newest end", () => {
    expect(after(paper, reserve("a", 0)).commands).toContainEqual({
      type: "scheduleAlarm",
      atMs: 100,
      mode: "replace",
    });
  });
});
