// The key lifecycle as a table: what a record of each kind does with each call, derived from the machine.
import { createKeyLifecycle, decide, type KeyLifecycle } from "./key-lifecycle.ts";
import type { Policy } from "./policy.ts";
import type { BlockingTimes, KeyEvent, KeyRecord } from "./vocabulary.ts";

/**
 * What decides, of a record: a pending one is before or past its deadline. A record whose time is
 * over decides as no record does (a test shows it), so that an alarm is no step of its own.
 */
export const recordKinds = ["absent", "in-flight", "in-doubt", "committed"] as const;
export const storeCalls = ["reserve", "claim", "commit", "release"] as const;
/** Whose claim stands in the record: nobody's, the asking delivery's, another's. */
export const claimKinds = ["unclaimed", "own", "other"] as const;
export const storeReplies = [
  "proceed",
  "in-flight",
  "in-doubt",
  "duplicate",
  "mismatch",
  "done",
  "stale",
] as const;
export const recordChanges = ["kept", "accepted", "claimed", "committed", "erased"] as const;
/** What a moment or the fence of the record becomes; `other` is nothing that the lifecycle is known to do. */
export const recordEnds = ["none", "kept", "pending", "retention", "other"] as const;
export const recordDeadlines = ["none", "kept", "deadline", "now", "other"] as const;
export const recordFences = ["none", "kept", "next", "zero", "other"] as const;

export interface KeyCase {
  readonly record: (typeof recordKinds)[number];
  readonly call: (typeof storeCalls)[number];
  /** The caller's token made the record. */
  readonly isOwn: boolean;
  /** The caller's payload is the record's. */
  readonly samePayload: boolean;
  readonly claim: (typeof claimKinds)[number];
}

export interface KeyCaseDecision {
  readonly reply: (typeof storeReplies)[number];
  readonly change: (typeof recordChanges)[number];
  /** When the record ends: as before, or the pending time or the retention from now. */
  readonly end: (typeof recordEnds)[number];
  /** As before, D from now, or now. */
  readonly deadline: (typeof recordDeadlines)[number];
  readonly fence: (typeof recordFences)[number];
}

/** Every case that can arise, in one order; without a record nothing is its own or claimed. */
export const keyCases: readonly KeyCase[] = recordKinds.flatMap((record) =>
  storeCalls.flatMap((call) =>
    [false, true].flatMap((isOwn) =>
      [false, true].flatMap((samePayload) =>
        claimKinds.map((claim) => ({ record, call, isOwn, samePayload, claim })),
      ),
    ),
  ),
);

/** Asks the lifecycle about every case; the answer to `keyCases[i]` stands at place i. */
export function deriveKeyTable(policy: Policy): readonly KeyCaseDecision[] {
  const lifecycle = createKeyLifecycle(policy);
  return keyCases.map((each) => decideCase(lifecycle, each, exampleMoments));
}

/** Concrete moments that stand for a case; the table must not depend on which are taken. */
export interface Moments {
  readonly times: BlockingTimes;
  readonly acceptedAtMs: number;
  readonly now: number;
}

const exampleMoments: Moments = {
  times: { deadlineMs: 10, pendingMs: 100, retentionMs: 50 },
  acceptedAtMs: 1_000,
  now: 1_005,
};

export function decideCase(
  lifecycle: KeyLifecycle,
  each: KeyCase,
  moments: Moments,
): KeyCaseDecision {
  const before = recordOf(each, moments);
  const now =
    each.record === "in-doubt" ? moments.acceptedAtMs + moments.times.deadlineMs : moments.now;
  const { record: after, commands } = decide(lifecycle, before, eventOf(each, moments.times, now));
  const said = commands.flatMap((command) => (command.type === "reply" ? [command.reply] : []))[0];
  if (!said) throw new Error(`the key lifecycle did not reply: call=${each.call}`);
  const reply = said.outcome === "in-flight" && said.inDoubt ? "in-doubt" : said.outcome;
  const { times } = moments;
  return {
    reply,
    change: changeOf(before, after),
    end: becomes(before?.expiresAtMs, after?.expiresAtMs, {
      pending: now + times.pendingMs,
      retention: now + times.retentionMs,
    }),
    deadline: becomes(before?.deadlineAtMs, after?.deadlineAtMs, {
      deadline: now + times.deadlineMs,
      now,
    }),
    fence: becomes(before?.fence, after?.fence, { next: nextFence, zero: 0 }),
  };
}

const nextFence = 2;

/** Which of the named values a field took; `kept` before all of them, for the example's values differ. */
function becomes<Name extends string>(
  before: number | undefined,
  after: number | undefined,
  named: Readonly<Record<Name, number>>,
): Name | "none" | "kept" | "other" {
  if (after === undefined) return "none";
  if (after === before) return "kept";
  const names = Object.keys(named) as Name[];
  return names.find((name) => named[name] === after) ?? "other";
}

function recordOf(each: KeyCase, { times, acceptedAtMs }: Moments): KeyRecord | null {
  if (each.record === "absent") return null;
  const committed = each.record === "committed";
  return {
    status: committed ? "committed" : "pending",
    token: each.isOwn ? "asking" : "other",
    fingerprint: each.samePayload ? "asked" : "other",
    fence: 1,
    acceptedAtMs,
    deadlineAtMs: acceptedAtMs + times.deadlineMs,
    expiresAtMs: acceptedAtMs + (committed ? times.retentionMs : times.pendingMs),
    response: committed ? "response" : null,
    claimedBy: { unclaimed: null, own: "asking", other: "other" }[each.claim],
  };
}

function eventOf({ call }: KeyCase, times: BlockingTimes, now: number): KeyEvent {
  const token = "asking";
  switch (call) {
    case "reserve":
      return { type: "RESERVE", token, fingerprint: "asked", nextFence, times, now };
    case "claim":
      return { type: "CLAIM", token, delivery: "asking", now };
    case "commit":
      return { type: "COMMIT", token, fingerprint: "asked", response: "response", times, now };
    case "release":
      return { type: "RELEASE", token, now };
  }
}

function changeOf(before: KeyRecord | null, after: KeyRecord | null): KeyCaseDecision["change"] {
  if (after === null) return before === null ? "kept" : "erased";
  if (before !== null && isEqual(before, after)) return "kept";
  if (after.status === "committed") return "committed";
  return before !== null && before.claimedBy !== after.claimedBy && before.fence === after.fence
    ? "claimed"
    : "accepted";
}

function isEqual(one: KeyRecord, other: KeyRecord): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
