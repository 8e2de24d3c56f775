import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyLifecycle, decide } from "./key-lifecycle.ts";
import { lateRecord } from "./key-record.ts";
import {
  decideByTable,
  deriveLifecycleTable,
  rememberDecisions,
  exampleOf,
  rowIndex,
  situationCount,
  situationOf,
  situations,
} from "./lifecycle-table.ts";
import { type Policy, policies } from "./policy.ts";
import type { CommitEvent, KeyEvent, KeyRecord } from "./vocabulary.ts";

const judged: readonly Policy[] = [
  ...Object.values(policies),
  { ...policies.hardened, name: "hardened without owner tokens", ownerTokens: false },
  { ...policies.hardened, name: "hardened without late commits", lateCommit: "ignore" },
];

describe.each(judged)("the table of $name", (policy) => {
  const lifecycle = createKeyLifecycle(policy);
  const table = deriveLifecycleTable(policy);

  it("agrees with the machine in every situation", () => {
    expect(table.rows).toHaveLength(situationCount);
    for (const situation of situations()) {
      const { record, event } = exampleOf(situation);
      expect(decideByTable(table, record, event)).toEqual(decide(lifecycle, record, event));
    }
  });

  it("remembers of the machine what the machine says, however often it is asked", () => {
    const remembered = rememberDecisions(policy);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.option(records), events), { minLength: 20 }), (asked) => {
        for (const [record, event] of asked) {
          expect(remembered(record, event)).toEqual(decide(lifecycle, record, event));
        }
      }),
    );
  });

  it("remembers the same whichever record came first: a late commit over a late one", () => {
    const remembered = rememberDecisions(policy);
    const late = lateRecord(policy, commitAt(0));
    for (const record of [late, { ...late, fence: 1 }]) {
      const event = commitAt(late.expiresAtMs);
      expect(remembered(record, event)).toEqual(decide(lifecycle, record, event));
    }
  });

  it("agrees with the machine on records and events of any values", () => {
    fc.assert(
      fc.property(fc.option(records), events, (record, event) => {
        expect(decideByTable(table, record, event)).toEqual(decide(lifecycle, record, event));
      }),
      { numRuns: 1000 },
    );
  });
});

it("gives every situation a row of its own", () => {
  expect(situations().map(rowIndex)).toEqual(Array.from({ length: situationCount }, (_, i) => i));
});

it("finds the situation of each example again, where a record gives it a meaning", () => {
  for (const situation of situations()) {
    if (situation.status === "absent") continue;
    const { record, event } = exampleOf(situation);
    const found = situationOf(record, event);
    expect(found).toEqual({
      ...situation,
      own: situation.own && event.type !== "ALARM",
      sameFingerprint: situation.sameFingerprint && "fingerprint" in event,
      claim:
        situation.claim === "same-delivery" && event.type !== "CLAIM"
          ? "other-delivery"
          : situation.claim,
    });
  }
});

const word = fc.constantFrom("a", "b");
const moment = fc.nat({ max: 6 });
const times = fc.record({
  deadlineMs: fc.integer({ min: 1, max: 3 }),
  pendingMs: fc.integer({ min: 1, max: 3 }),
  retentionMs: fc.integer({ min: 1, max: 3 }),
});

function commitAt(now: number): CommitEvent {
  const blocking = { deadlineMs: 1, pendingMs: 1, retentionMs: 1 };
  return { type: "COMMIT", token: "a", fingerprint: "a", response: "", times: blocking, now };
}

const records: fc.Arbitrary<KeyRecord> = fc
  .record({
    status: fc.constantFrom("pending" as const, "committed" as const),
    token: word,
    fingerprint: word,
    fence: fc.nat(),
    acceptedAtMs: moment,
    deadlineAtMs: moment,
    expiresAtMs: moment,
    response: fc.constantFrom("", "r"),
    claimedBy: fc.option(word),
  })
  .map((record) => (record.status === "pending" ? { ...record, response: null } : record));

const events: fc.Arbitrary<KeyEvent> = fc.oneof(
  fc.record({
    type: fc.constant("RESERVE" as const),
    token: word,
    fingerprint: word,
    nextFence: fc.nat(),
    times,
    now: moment,
  }),
  fc.record({ type: fc.constant("CLAIM" as const), token: word, delivery: word, now: moment }),
  fc.record({
    type: fc.constant("COMMIT" as const),
    token: word,
    fingerprint: word,
    response: word,
    times,
    now: moment,
  }),
  fc.record({ type: fc.constant("RELEASE" as const), token: word, now: moment }),
  fc.record({ type: fc.constant("ALARM" as const), now: moment }),
);
