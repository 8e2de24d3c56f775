// The key lifecycle as a table: every situation of a record and an event, decided once in advance.
import {
  createKeyLifecycle,
  decide,
  type KeyDecision,
  type KeyLifecycle,
} from "./key-lifecycle.ts";
import {
  acceptedRecord,
  committedRecord,
  expectRecord,
  isEnded,
  isOwn,
  isSamePayload,
  lateRecord,
  replyOf,
} from "./key-record.ts";
import type { Policy } from "./policy.ts";
import type { KeyCommand, KeyEvent, KeyRecord, KeyReply } from "./vocabulary.ts";

/** What becomes of the record. */
export type RecordChange = "keep" | "accept" | "claim" | "commit" | "commit-late" | "erase";

export interface TableRow {
  readonly change: RecordChange;
  /** True where an alarm is scheduled for the record's end. */
  readonly schedules: boolean;
  readonly reply: KeyReply["outcome"] | null;
}

/** All that a decision depends on, each field small: a row's address. */
export interface Situation {
  readonly status: "absent" | KeyRecord["status"];
  /** The record's time is over. */
  readonly ended: boolean;
  /** The event carries the record's token. */
  readonly own: boolean;
  readonly sameFingerprint: boolean;
  /** The deadline of the reservation has come. */
  readonly pastDeadline: boolean;
  readonly claim: "none" | "same-delivery" | "other-delivery";
  readonly event: KeyEvent["type"];
}

/** The rows by `rowIndex`; derived from the machine of a policy, for all `situationCount` rows. */
export interface LifecycleTable {
  readonly policy: Policy;
  readonly rows: readonly TableRow[];
}

/** The table of a policy: the machine is asked once about each situation. */
export function deriveLifecycleTable(policy: Policy): LifecycleTable {
  const lifecycle = createKeyLifecycle(policy);
  return { policy, rows: situations().map((situation) => rowOf(lifecycle, situation)) };
}

/**
 * The machine's decisions with a memory: the machine is asked about a situation when it first
 * occurs, and its answer is applied whenever the situation occurs again. One `transition()` costs
 * as much as the rest of a call to the store.
 */
export function rememberDecisions(
  policy: Policy,
): (record: KeyRecord | null, event: KeyEvent) => KeyDecision {
  const lifecycle = createKeyLifecycle(policy);
  const rows: (TableRow | undefined)[] = Array.from({ length: situationCount });
  return (record, event) => {
    const situation = situationOf(record, event);
    const index = rowIndex(situation);
    const row = (rows[index] ??= rowOf(lifecycle, situation));
    return decideByRow(policy, row, record, event);
  };
}

/** The same decision as the machine's, read from the table. */
export function decideByTable(
  table: LifecycleTable,
  record: KeyRecord | null,
  event: KeyEvent,
): KeyDecision {
  const row = table.rows[rowIndex(situationOf(record, event))];
  if (row === undefined) throw new Error("the lifecycle table has no row for a situation");
  return decideByRow(table.policy, row, record, event);
}

function decideByRow(
  policy: Policy,
  row: TableRow,
  record: KeyRecord | null,
  event: KeyEvent,
): KeyDecision {
  const next = changed(policy, row.change, record, event);
  return { record: next, commands: commandsOf(policy, row, next, event) };
}

export function situationOf(record: KeyRecord | null, event: KeyEvent): Situation {
  return {
    status: record?.status ?? "absent",
    ended: isEnded(record, event),
    own: isOwn(record, event),
    sameFingerprint: isSamePayload(record, event),
    pastDeadline: record !== null && event.now >= record.deadlineAtMs,
    claim: claimOf(record, event),
    event: event.type,
  };
}

const statuses = ["absent", "pending", "committed"] as const;
const eventTypes = ["RESERVE", "CLAIM", "COMMIT", "RELEASE", "ALARM"] as const;
const claims = ["none", "same-delivery", "other-delivery"] as const;
const truths = [false, true] as const;

export const situationCount = 3 * 2 * 2 * 2 * 2 * 3 * 5;

/** Every situation, in the order of `rowIndex`. */
export function situations(): Situation[] {
  return statuses.flatMap((status) =>
    truths.flatMap((ended) =>
      truths.flatMap((own) =>
        truths.flatMap((sameFingerprint) =>
          truths.flatMap((pastDeadline) =>
            claims.flatMap((claim) =>
              eventTypes.map((event) => ({
                status,
                ended,
                own,
                sameFingerprint,
                pastDeadline,
                claim,
                event,
              })),
            ),
          ),
        ),
      ),
    ),
  );
}

export function rowIndex(situation: Situation): number {
  let index: number = statuses.indexOf(situation.status);
  index = index * 2 + Number(situation.ended);
  index = index * 2 + Number(situation.own);
  index = index * 2 + Number(situation.sameFingerprint);
  index = index * 2 + Number(situation.pastDeadline);
  index = index * 3 + claims.indexOf(situation.claim);
  return index * 5 + eventTypes.indexOf(situation.event);
}

function claimOf(record: KeyRecord | null, event: KeyEvent): Situation["claim"] {
  if (record === null || record.claimedBy === null) return "none";
  return event.type === "CLAIM" && event.delivery === record.claimedBy
    ? "same-delivery"
    : "other-delivery";
}

const exampleTimes = { deadlineMs: 10, pendingMs: 100, retentionMs: 100 };

/** A record and an event in the situation; where the record is absent the rest has no meaning. */
export function exampleOf(situation: Situation): { record: KeyRecord | null; event: KeyEvent } {
  const now = 1000;
  const record: KeyRecord | null =
    situation.status === "absent"
      ? null
      : {
          status: situation.status,
          token: situation.own ? "own" : "other",
          fingerprint: situation.sameFingerprint ? "same" : "another",
          fence: 7,
          acceptedAtMs: 900,
          deadlineAtMs: situation.pastDeadline ? now : now + 1,
          expiresAtMs: situation.ended ? now : now + 1,
          response: situation.status === "committed" ? "stored" : null,
          claimedBy: { none: null, "same-delivery": "this", "other-delivery": "that" }[
            situation.claim
          ],
        };
  return { record, event: exampleEvent(situation.event, now) };
}

function exampleEvent(type: KeyEvent["type"], now: number): KeyEvent {
  const attempt = { token: "own", fingerprint: "same", times: exampleTimes, now };
  switch (type) {
    case "RESERVE":
      return { type, ...attempt, nextFence: 8 };
    case "CLAIM":
      return { type, token: "own", delivery: "this", now };
    case "COMMIT":
      return { type, ...attempt, response: "given" };
    case "RELEASE":
      return { type, token: "own", now };
    case "ALARM":
      return { type, now };
  }
}

/**
 * The machine's answer to a situation. It is asked of the example, never of a record that happens
 * to be at hand: there two changes can look alike (a late commit over a late record).
 */
function rowOf(lifecycle: KeyLifecycle, situation: Situation): TableRow {
  const { record, event } = exampleOf(situation);
  const decision = decide(lifecycle, record, event);
  const reply = decision.commands.find((command) => command.type === "reply");
  return {
    change: changeOf(record, event, decision),
    schedules: decision.commands.some((command) => command.type === "scheduleAlarm"),
    reply: reply?.reply.outcome ?? null,
  };
}

function changeOf(
  record: KeyRecord | null,
  event: KeyEvent,
  { record: next, commands }: KeyDecision,
): RecordChange {
  if (commands.some((command) => command.type === "erase")) return "erase";
  if (!commands.some((command) => command.type === "persist")) return "keep";
  if (event.type === "RESERVE") return "accept";
  if (event.type === "CLAIM") return "claim";
  return next?.fence === record?.fence ? "commit" : "commit-late";
}

function changed(
  policy: Policy,
  change: RecordChange,
  record: KeyRecord | null,
  event: KeyEvent,
): KeyRecord | null {
  if (change === "keep") return record;
  if (change === "erase") return null;
  switch (event.type) {
    case "RESERVE":
      return acceptedRecord(event);
    case "CLAIM":
      return { ...expectRecord(record), claimedBy: event.delivery };
    case "COMMIT":
      return change === "commit-late"
        ? lateRecord(policy, event)
        : committedRecord(policy, expectRecord(record), event);
    case "RELEASE":
    case "ALARM":
      throw new Error(`the lifecycle table has change=${change} at event=${event.type}`);
  }
}

function commandsOf(
  policy: Policy,
  { change, schedules, reply }: TableRow,
  record: KeyRecord | null,
  event: KeyEvent,
): KeyCommand[] {
  const commands: KeyCommand[] = [];
  if (change === "erase") commands.push({ type: "erase" });
  else if (change !== "keep") commands.push({ type: "persist", record: expectRecord(record) });
  if (schedules) {
    const { expiresAtMs } = expectRecord(record);
    commands.push({ type: "scheduleAlarm", atMs: expiresAtMs, mode: policy.alarm });
  }
  if (reply !== null) commands.push({ type: "reply", reply: replyOf(reply, record, event.now) });
  return commands;
}
