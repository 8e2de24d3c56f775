// What a key's record is after each change, and what a reply says of it.
import type { Policy } from "./policy.ts";
import type { CommitEvent, KeyEvent, KeyRecord, KeyReply, ReserveEvent } from "./vocabulary.ts";

/** The record of a new reservation. */
export function acceptedRecord(event: ReserveEvent): KeyRecord {
  const { token, fingerprint, nextFence, times, now } = event;
  return {
    status: "pending",
    token,
    fingerprint,
    fence: nextFence,
    acceptedAtMs: now,
    deadlineAtMs: now + times.deadlineMs,
    expiresAtMs: now + times.pendingMs,
    response: null,
    claimedBy: null,
  };
}

/** The record of a reservation that its holder commits. */
export function committedRecord(
  policy: Pick<Policy, "retentionFrom" | "replay">,
  record: KeyRecord,
  { response, times, now }: CommitEvent,
): KeyRecord {
  return {
    ...record,
    status: "committed",
    expiresAtMs: policy.retentionFrom === "commit" ? now + times.retentionMs : record.expiresAtMs,
    response: policy.replay ? response : null,
  };
}

/** The record of a commit that found the key free. */
export function lateRecord(policy: Pick<Policy, "replay">, event: CommitEvent): KeyRecord {
  const { token, fingerprint, response, times, now } = event;
  return {
    status: "committed",
    token,
    fingerprint,
    fence: 0,
    acceptedAtMs: now,
    deadlineAtMs: now,
    expiresAtMs: now + times.retentionMs,
    response: policy.replay ? response : null,
    claimedBy: null,
  };
}

/** Whether a record blocks no more at `now`; the blocking is half-open. */
export function isEnded(record: KeyRecord | null, { now }: { readonly now: number }): boolean {
  return record !== null && now >= record.expiresAtMs;
}

/** Whether the event carries the token of the record. */
export function isOwn(record: KeyRecord | null, event: KeyEvent): boolean {
  return record !== null && event.type !== "ALARM" && record.token === event.token;
}

/** Whether the event carries the fingerprint of the record. */
export function isSamePayload(record: KeyRecord | null, event: KeyEvent): boolean {
  return record !== null && "fingerprint" in event && record.fingerprint === event.fingerprint;
}

/** The reply with this outcome, given what the store holds of the key after the event. */
export function replyOf(
  outcome: KeyReply["outcome"],
  record: KeyRecord | null,
  now: number,
): KeyReply {
  switch (outcome) {
    case "proceed": {
      const { fence, deadlineAtMs } = expectRecord(record);
      return { outcome, fence, deadlineAtMs };
    }
    case "in-flight":
      return { outcome, inDoubt: now >= expectRecord(record).deadlineAtMs };
    case "duplicate":
      return { outcome, response: expectRecord(record).response };
    case "mismatch":
      return { outcome };
    case "done":
    case "stale":
      return { outcome };
  }
}

export function expectRecord(record: KeyRecord | null): KeyRecord {
  if (record === null) throw new Error("the key lifecycle needs a record here, got record=null");
  return record;
}
