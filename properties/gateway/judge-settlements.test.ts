// The judges of settlements fire on the smallest history that breaks them, and are silent on the mended one.
import { describe, expect, it } from "vitest";
import { answers } from "../../model/gateway-answers.ts";
import { calls, delivered, hears, message, rulingOf, told } from "./gateway-events.ts";
import type { GatewayEvent } from "./gateway-history.ts";
import { judgeCommits, judgeSoftFail } from "./judge-settlements.ts";

const silent = { exercised: true, violations: [] };
const unexercised = { exercised: false, violations: [] };
const by = "delivery 1";
const stopped: GatewayEvent = { kind: "stopped", atMs: 0, by: "attempt A", attempt: 0 };

describe("what is committed", () => {
  const success = hears(0, "dispatch", "success");
  const commit = calls(0, "commit");

  it("is an effect that its caller heard of", () => {
    expect(rulingOf(judgeCommits, [commit]).violations).toMatchObject([
      { invariant: "nothing-lost", events: [0] },
    ]);
    const doubtful = hears(0, "dispatch", "silence");
    expect(rulingOf(judgeCommits, [doubtful, commit]).violations).toHaveLength(1);
    const others = hears(1, "dispatch", "success");
    expect(rulingOf(judgeCommits, [others, calls(1, "commit"), commit]).violations).toHaveLength(1);
    expect(rulingOf(judgeCommits, [success, commit])).toEqual(silent);
  });

  it("is every effect that its caller heard of, at once and as far as that lives", () => {
    for (const next of [told(0, answers.executed), calls(0, "release")]) {
      expect(rulingOf(judgeCommits, [success, next]).violations).toMatchObject([
        { invariant: "nothing-lost", events: [0, 1] },
      ]);
    }
    expect(rulingOf(judgeCommits, [success, stopped])).toEqual(silent);
    expect(rulingOf(judgeCommits, [success])).toEqual(silent);
  });

  it("is what this very delivery heard of, and no earlier one at its place", () => {
    const heard = hears(0, "dispatch", "success", { by });
    const commits = calls(0, "commit", { by });
    const first = [delivered(0), heard, commits, message(0, "acknowledged")];
    expect(rulingOf(judgeCommits, first)).toEqual(silent);
    const again = [...first, delivered(0), commits];
    expect(rulingOf(judgeCommits, again).violations).toMatchObject([{ events: [5] }]);
    const dropped = [delivered(0), heard, message(0, "acknowledged")];
    expect(rulingOf(judgeCommits, dropped).violations).toMatchObject([{ events: [1, 2] }]);
  });

  it("is not asked where the policy commits what is enqueued", () => {
    expect(rulingOf(judgeCommits, [commit], undefined, "published")).toEqual(unexercised);
  });
});

describe("soft-fail releases", () => {
  const softFail = hears(0, "dispatch", "soft-fail");
  const failed = told(0, answers.failed);

  it("is broken where the attempt calls or answers before it releases", () => {
    for (const next of [failed, calls(0, "commit"), calls(0, "enqueue")]) {
      expect(rulingOf(judgeSoftFail, [softFail, next]).violations).toMatchObject([
        { invariant: "soft-fail-releases", events: [0, 1] },
      ]);
    }
    expect(rulingOf(judgeSoftFail, [softFail, calls(0, "release"), failed])).toEqual(silent);
  });

  it("is kept by an attempt that dies, and by what another does meanwhile", () => {
    expect(rulingOf(judgeSoftFail, [softFail])).toEqual(unexercised);
    expect(rulingOf(judgeSoftFail, [softFail, stopped])).toEqual(unexercised);
    const others = [softFail, calls(1, "commit"), calls(0, "release")];
    expect(rulingOf(judgeSoftFail, others)).toEqual(silent);
  });

  it("is broken by a delivery that surely failed and ends, where the consumer claims", () => {
    for (const heard of ["soft-fail", "rejected", "not-connected", "refused-by-deadline"]) {
      const failure = [delivered(0), hears(0, "dispatch", heard, { by })];
      const buried = [...failure, message(0, "buried")];
      expect(rulingOf(judgeSoftFail, buried).violations).toMatchObject([
        { invariant: "soft-fail-releases", events: [1, 2] },
      ]);
      const retried = [...failure, calls(0, "deadLetter", { by })];
      expect(rulingOf(judgeSoftFail, retried).violations).toHaveLength(1);
      const released = [...failure, calls(0, "release", { by }), message(0, "buried")];
      expect(rulingOf(judgeSoftFail, released).violations).toEqual([]);
      expect(rulingOf(judgeSoftFail, buried, undefined, "published").violations).toEqual([]);
    }
  });

  it("is broken by any sure failure of an attempt, unless it turns to the queue", () => {
    for (const [call, heard] of [
      ["dispatch", "rejected"],
      ["enqueue", "failed"],
    ] as const) {
      const ended = [hears(0, call, heard), failed];
      expect(rulingOf(judgeSoftFail, ended).violations).toMatchObject([{ events: [0, 1] }]);
    }
    const turned = [hears(0, "dispatch", "not-connected"), calls(0, "enqueue")];
    expect(rulingOf(judgeSoftFail, turned).violations).toEqual([]);
  });

  it("asks nothing where nobody knows whether it failed", () => {
    for (const heard of ["silence", "failed", "unreadable", "refused-by-fence"]) {
      const history = [hears(0, "dispatch", heard), told(0, answers.unknown)];
      expect(rulingOf(judgeSoftFail, history)).toEqual(unexercised);
    }
  });
});
