import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { liveCalls } from "./live-calls.ts";

/** A KV namespace that answers what it is given, in order, and throws where that is an error. */
function namespaceOf(...answers: readonly unknown[]) {
  const reads = { count: 0 };
  const get = async () => {
    const answer = answers[reads.count++];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { reads, CONFIG: { get } as unknown as KVNamespace };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 4e12 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the operator's config", () => {
  it("is read once for a while, and then again", async () => {
    const { reads, CONFIG } = namespaceOf("one", "two");
    const calls = liveCalls({ CONFIG });
    expect([await calls.readConfig(), await calls.readConfig(), reads.count]).toEqual([
      "one",
      "one",
      1,
    ]);
    vi.setSystemTime(4e12 + 4_999);
    expect(await calls.readConfig()).toBe("one");
    vi.setSystemTime(4e12 + 5_000);
    expect(await calls.readConfig()).toBe("two");
  });

  it("is not what it was where it cannot be read any more", async () => {
    const { CONFIG } = namespaceOf("one", new Error("down"), null, "two");
    const calls = liveCalls({ CONFIG });
    await calls.readConfig();
    vi.setSystemTime(4e12 + 5_000);
    await expect(calls.readConfig()).rejects.toThrow("down");
    expect(await calls.readConfig()).toBe(null);
    expect(await calls.readConfig()).toBe("two");
  });

  it("is read again when the clock steps back", async () => {
    const { CONFIG } = namespaceOf("one", "two");
    const calls = liveCalls({ CONFIG });
    await calls.readConfig();
    vi.setSystemTime(4e12 - 1);
    expect(await calls.readConfig()).toBe("two");
  });
});

describe("a binding that is missing", () => {
  it("is said to be so, and never taken for an answer", async () => {
    const calls = liveCalls({});
    const times = { deadlineMs: 1, pendingMs: 1, retentionMs: 1 };
    const request = { key: "k", token: "t", fingerprint: "f", times, response: "", delivery: "d" };
    const unavailable = { outcome: "unavailable" };
    expect(await calls.reserve(request)).toEqual(unavailable);
    expect(await calls.claim(request)).toEqual(unavailable);
    expect(await calls.commit(request)).toEqual(unavailable);
    expect(await calls.release(request)).toEqual(unavailable);
    expect(await calls.mark("k")).toEqual(unavailable);
    expect(await calls.deadLetter({}, "")).toEqual(unavailable);
    expect(await calls.hasMark("k")).toBe(null);
    expect(await calls.readConfig()).toBe(undefined);
    expect(await calls.admit("s", { algorithm: "sliding-log", requests: 1, windowMs: 1 })).toBe(
      undefined,
    );
  });
});
