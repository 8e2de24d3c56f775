// Each judge of keys fires on the smallest history that breaks its sentence, and is silent on the mended one.
import { describe, expect, it } from "vitest";
import { answers } from "../../model/gateway-answers.ts";
import { calls, hears, plainRequest, recordOf, rulingOf, store, told } from "./gateway-events.ts";
import type { PlannedRequest } from "./gateway-plan.ts";
import { judgeIsolation, judgeMismatch, judgeOneKey, judgeRelease } from "./judge-keys.ts";

const silent = { exercised: true, violations: [] };
const unexercised = { exercised: false, violations: [] };

/** Attempts A and B ask with these keys, B `atMs` later. */
function asks(first: string, second: string, atMs = 0) {
  return [calls(0, "reserve", { key: first }), calls(1, "reserve", { key: second, atMs })];
}

describe("one request, one key", () => {
  it("is broken by a retry under another key, and kept by one under the same", () => {
    expect(rulingOf(judgeOneKey, asks("k", "l")).violations).toMatchObject([
      { invariant: "one-request-one-key", events: [0, 1] },
    ]);
    expect(rulingOf(judgeOneKey, asks("k", "k"))).toEqual(silent);
  });

  it("lets a request without a key have another from W on", () => {
    const requests = [plainRequest({ clientKey: "none" }), plainRequest({ clientKey: "none" })];
    expect(rulingOf(judgeOneKey, asks("k", "l", 59_999), requests).violations).toHaveLength(1);
    expect(rulingOf(judgeOneKey, asks("k", "l", 60_000), requests)).toEqual(unexercised);
  });

  it("takes another spelling for the same request", () => {
    const requests = [plainRequest(), plainRequest({ respelled: true })];
    expect(rulingOf(judgeOneKey, asks("k", "l"), requests).violations).toHaveLength(1);
  });
});

describe("isolation", () => {
  it("is broken by two requests of one tenant that share a key, and kept by two keys", () => {
    const requests = [plainRequest(), plainRequest({ clientKey: "two" })];
    expect(rulingOf(judgeIsolation, asks("k", "k"), requests).violations).toContainEqual(
      expect.objectContaining({ invariant: "isolation", events: [0, 1] }),
    );
    expect(rulingOf(judgeIsolation, asks("k", "l"), requests)).toEqual(silent);
  });

  it("is broken by keys too long that become one", () => {
    const lengths: readonly PlannedRequest["clientKey"][] = ["long", "other-long"];
    const requests = lengths.map((clientKey) => plainRequest({ clientKey }));
    expect(rulingOf(judgeIsolation, asks("k", "k"), requests).violations).not.toEqual([]);
  });

  it("is kept by a retry, which is no stranger", () => {
    expect(rulingOf(judgeIsolation, asks("k", "k"))).toEqual(unexercised);
  });
});

describe("mismatch", () => {
  const before = recordOf(0);

  it("is broken by any other answer to another payload while a record blocks", () => {
    const asked = (answer: string) => [store(1, "reserve", answer, { before, fingerprint: "g" })];
    for (const answer of ["in-flight", "duplicate", "proceed"]) {
      expect(rulingOf(judgeMismatch, asked(answer)).violations).toMatchObject([
        { invariant: "mismatch", events: [0] },
      ]);
    }
    expect(rulingOf(judgeMismatch, asked("mismatch"))).toEqual(silent);
    expect(rulingOf(judgeMismatch, asked("unknown"))).toEqual(unexercised);
  });

  it("is broken by a committed record's answer to another payload as well", () => {
    const committed = { ...before, status: "committed" } as const;
    const duplicate = store(1, "reserve", "duplicate", { before: committed, fingerprint: "g" });
    expect(rulingOf(judgeMismatch, [duplicate]).violations).toMatchObject([{ events: [0] }]);
  });

  const heard = hears(1, "reserve", "mismatch");

  it("is broken where whoever hears of it tells the client anything but 422", () => {
    for (const answer of [answers.unavailable, answers.failed, answers.executed]) {
      expect(rulingOf(judgeMismatch, [heard, told(1, answer)]).violations).toMatchObject([
        { invariant: "mismatch", events: [0, 1] },
      ]);
    }
    expect(rulingOf(judgeMismatch, [heard, told(1, answers.mismatch)]).violations).toEqual([]);
  });

  it("is broken where a client is told so, and nobody said it", () => {
    const others = hears(1, "reserve", "in-flight");
    expect(rulingOf(judgeMismatch, [others, told(1, answers.mismatch)]).violations).toMatchObject([
      { invariant: "mismatch", events: [1] },
    ]);
    expect(rulingOf(judgeMismatch, [others, told(1, answers["in-flight"])]).violations).toEqual([]);
  });

  it("is never exercised by the same payload, or where nothing blocks", () => {
    expect(rulingOf(judgeMismatch, [store(1, "reserve", "in-flight", { before })])).toEqual(
      unexercised,
    );
    expect(rulingOf(judgeMismatch, [store(1, "reserve", "proceed", { fingerprint: "g" })])).toEqual(
      unexercised,
    );
  });
});

describe("release on soft-fail", () => {
  const released = store(0, "release", "done", { before: recordOf(0) });

  it("is broken by a refusal after the holder's release, and kept by a proceed", () => {
    expect(
      rulingOf(judgeRelease, [released, store(1, "reserve", "in-flight")]).violations,
    ).toMatchObject([{ invariant: "release-on-soft-fail", events: [0, 1] }]);
    expect(rulingOf(judgeRelease, [released, store(1, "reserve", "proceed")])).toEqual(silent);
  });

  it("asks nothing of the second reserve after the release, nor of one after a commit", () => {
    const [proceed, refusal] = [store(1, "reserve", "proceed"), store(2, "reserve", "in-flight")];
    expect(rulingOf(judgeRelease, [released, proceed, refusal])).toEqual(silent);
    const late = store(0, "commit", "done");
    expect(rulingOf(judgeRelease, [released, late, refusal])).toEqual(unexercised);
  });

  it("asks nothing of a reserve whose answer was lost in a reset", () => {
    const unknown = store(1, "reserve", "unknown");
    expect(rulingOf(judgeRelease, [released, unknown])).toEqual(unexercised);
  });

  it("asks nothing after a release that was stale, or by another than the holder", () => {
    const stale = store(0, "release", "stale", { before: recordOf(0) });
    const others = store(0, "release", "done", { before: recordOf(1) });
    for (const release of [stale, others]) {
      expect(rulingOf(judgeRelease, [release, store(1, "reserve", "in-flight")])).toEqual(
        unexercised,
      );
    }
  });
});
