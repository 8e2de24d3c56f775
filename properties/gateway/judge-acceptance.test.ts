// The judge of acceptance fires on a second acceptance that comes too early, and is silent on one in time.
import { describe, expect, it } from "vitest";
import type { PolicyName } from "../../model/policy.ts";
import { plainRequest, recordOf, rulingOf, store } from "./gateway-events.ts";
import type { GatewayEvent } from "./gateway-history.ts";
import { judgeAcceptance } from "./judge-acceptance.ts";

const first = store(0, "reserve", "proceed", { after: recordOf(0) });

/** A is accepted at 0, `between` happens, B is accepted at `atMs`. */
function judged(
  policy: PolicyName,
  atMs: number,
  between: readonly GatewayEvent[] = [],
  request = plainRequest(),
) {
  const second = store(1, "reserve", "proceed", { after: recordOf(1), storeMs: atMs });
  return rulingOf(judgeAcceptance, [first, ...between, second], [request, request], policy);
}

describe("a second acceptance", () => {
  it("is too early while the first one's pending time runs, and in time at its end", () => {
    // Hardened: D + τ + ε + S.
    expect(judged("hardened", 339_999).violations).toMatchObject([
      { invariant: "acceptance", events: [0, 1] },
    ]);
    expect(judged("hardened", 340_000)).toEqual({ exercised: true, violations: [] });
    expect(judged("published", 299_999).violations).toHaveLength(1);
    expect(judged("published", 300_000).violations).toEqual([]);
  });

  it("may follow its holder's release at once, and not one by another", () => {
    const release = (attempt: number) => [
      store(attempt, "release", "done", { before: recordOf(0) }),
    ];
    expect(judged("published", 0, release(0)).violations).toEqual([]);
    expect(judged("published", 0, release(1)).violations).toHaveLength(1);
  });

  it("may follow its holder's release of a record that somebody else's commit had turned", () => {
    const committed = recordOf(0, { status: "committed" });
    const turned = store(1, "commit", "done", { before: recordOf(0), after: committed });
    const release = store(0, "release", "done", { before: committed });
    expect(judged("published", 0, [turned, release]).violations).toEqual([]);
  });

  it("waits for the retention, which counts from the commit or as published from the reserve", () => {
    const committed = recordOf(0, { status: "committed" });
    const commit = [
      store(0, "commit", "done", { before: recordOf(0), after: committed, storeMs: 10_000 }),
    ];
    expect(judged("published", 300_000, commit).violations).toEqual([]);
    expect(judged("hardened", 314_999, commit).violations).toHaveLength(1);
    // τ + S after the commit.
    expect(judged("hardened", 315_000, commit).violations).toEqual([]);
  });

  it("waits for W where the key is made of the request", () => {
    const window = plainRequest({ clientKey: "none" });
    expect(judged("hardened", 100_000, [], window).violations).toEqual([]);
    expect(judged("published", 100_000, [], window).violations).toHaveLength(1);
  });
});

it("is one with the repeated answers to its token", () => {
  const again = store(0, "reserve", "proceed", { before: recordOf(0), after: recordOf(0) });
  expect(rulingOf(judgeAcceptance, [first, again]).violations).toEqual([]);
});

it("is not exercised where nobody asks for a key that was accepted", () => {
  expect(rulingOf(judgeAcceptance, [first])).toEqual({ exercised: false, violations: [] });
});
