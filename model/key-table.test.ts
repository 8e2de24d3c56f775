import { describe, expect, it } from "vitest";
import { createKeyLifecycle, decide } from "./key-lifecycle.ts";
import { isEnded } from "./key-record.ts";
import { decideCase, deriveKeyTable, keyCases, type Moments } from "./key-table.ts";
import { hardened, policies, type Policy } from "./policy.ts";
import type { KeyEvent, KeyRecord } from "./vocabulary.ts";

const judged: readonly Policy[] = [
  ...Object.values(policies),
  { ...hardened, ownerTokens: false },
  { ...hardened, repeatedReserve: false },
  { ...hardened, fingerprints: false },
  { ...hardened, retentionFrom: "reserve" },
  { ...hardened, lateCommit: "ignore" },
];

describe("the key table", () => {
  it("agrees with the lifecycle at every moment of every case", () => {
    for (const policy of judged) {
      const lifecycle = createKeyLifecycle(policy);
      const table = deriveKeyTable(policy);
      for (const moments of everyMoment()) {
        keyCases.forEach((each, place) => {
          if (each.record === "in-flight" && moments.now >= deadlineOf(moments)) return;
          expect(decideCase(lifecycle, each, moments)).toEqual(table[place]);
        });
      }
    }
  });

  it("decides for a record whose time is over as for none, whether or not an alarm came", () => {
    for (const policy of judged) {
      const lifecycle = createKeyLifecycle(policy);
      for (const record of endedRecords()) {
        for (const event of callsAt(record.expiresAtMs)) {
          const ended = decide(lifecycle, record, event);
          const absent = decide(lifecycle, null, event);
          const standing = isEnded(ended.record, event) ? null : ended.record;
          expect(standing).toEqual(absent.record);
          expect(ended.commands.at(-1)).toEqual(absent.commands.at(-1));
        }
      }
    }
  });
});

function everyMoment(): readonly Moments[] {
  // Whatever is counted from now differs from what was counted from the acceptance.
  const times = { deadlineMs: 4, pendingMs: 20, retentionMs: 5 };
  return [0, 1, 2, 3].map((age) => ({ times, acceptedAtMs: 10, now: 10 + age }));
}

function deadlineOf({ acceptedAtMs, times }: Moments): number {
  return acceptedAtMs + times.deadlineMs;
}

function endedRecords(): readonly KeyRecord[] {
  const record = {
    fingerprint: "asked",
    fence: 1,
    acceptedAtMs: 10,
    deadlineAtMs: 12,
    expiresAtMs: 16,
    claimedBy: null,
  };
  return (["asking", "other"] as const).flatMap((token) => [
    { ...record, token, status: "pending", response: null },
    { ...record, token, status: "committed", response: "response" },
  ]);
}

function callsAt(now: number): readonly KeyEvent[] {
  const times = { deadlineMs: 2, pendingMs: 6, retentionMs: 4 };
  const token = "asking";
  const fingerprint = "asked";
  return [
    { type: "RESERVE", token, fingerprint, nextFence: 2, times, now },
    { type: "CLAIM", token, delivery: "asking", now },
    { type: "COMMIT", token, fingerprint, response: "response", times, now },
    { type: "RELEASE", token, now },
  ];
}
