// The gateway attempt as a table: every snapshot that an attempt can be in × every event, derived from the machine.
import { gateRefusals, type GateRefusal } from "./gateway-answers.ts";
import {
  createGatewayAttempt,
  decideAttempt,
  receivedAttempt,
  type AttemptDecision,
  type AttemptEvent,
  type AttemptSnapshot,
  type GatewayMode,
} from "./gateway-attempt.ts";
import type { Policy } from "./policy.ts";

export interface GatewayTable {
  /** Every reachable snapshot; the first is an attempt just received. */
  readonly snapshots: readonly AttemptSnapshot[];
  /** What the machine decides in `snapshots[row]` at `attemptEvents[column]`. */
  readonly rows: readonly (readonly GatewayTableEntry[])[];
}

export interface GatewayTableEntry {
  /** Index of the next snapshot. */
  readonly next: number;
  readonly commands: AttemptDecision["commands"];
}

const gates = Object.keys(gateRefusals) as GateRefusal[];
const settlements = ["done", "stale", "unavailable", "unanswered"] as const;

/** Every event that the world can have for an attempt. */
export const attemptEvents: readonly AttemptEvent[] = [
  ...(["passed", ...gates] as const).map((result) => ({ type: "AUTHENTICATION", result }) as const),
  ...(["passed", ...gates] as const).map((result) => ({ type: "ADMISSION", result }) as const),
  ...(
    [
      "proceed",
      "in-flight",
      "in-doubt",
      "duplicate",
      "mismatch",
      "unavailable",
      "unanswered",
    ] as const
  ).map((result) => ({ type: "RESERVE", result }) as const),
  ...(
    [
      "success",
      "soft-fail",
      "rejected",
      "not-connected",
      "refused-by-deadline",
      "refused-by-fence",
      "unreadable",
      "failed",
      "unanswered",
    ] as const
  ).map((result) => ({ type: "OUTCOME", result }) as const),
  ...(["accepted", "failed", "unanswered"] as const).map(
    (result) => ({ type: "ENQUEUE", result }) as const,
  ),
  ...settlements.map((result) => ({ type: "SETTLEMENT", result }) as const),
];

/** Asks the machine about every event in every snapshot that it can come to. */
export function deriveGatewayTable(policy: Policy, mode: GatewayMode): GatewayTable {
  const machine = createGatewayAttempt(policy, mode);
  const snapshots: AttemptSnapshot[] = [receivedAttempt];
  const rows: GatewayTableEntry[][] = [];
  for (const snapshot of snapshots) {
    rows.push(
      attemptEvents.map((event) => {
        const { attempt, commands } = decideAttempt(machine, snapshot, event);
        return { next: indexOf(snapshots, attempt), commands };
      }),
    );
  }
  return { snapshots, rows };
}

/** What the table says, for a snapshot and an event that it knows. */
export function lookUpAttempt(
  table: GatewayTable,
  snapshot: AttemptSnapshot,
  event: AttemptEvent,
): AttemptDecision {
  const row = table.snapshots.findIndex((each) => isSame(each, snapshot));
  const column = attemptEvents.findIndex(
    ({ type, result }) => type === event.type && result === event.result,
  );
  const entry = table.rows[row]?.[column];
  const next = entry && table.snapshots[entry.next];
  if (!entry || !next) {
    throw new Error(
      `the gateway table does not know this: state=${snapshot.state} event=${event.type} ${event.result}`,
    );
  }
  return { attempt: next, commands: entry.commands };
}

function indexOf(snapshots: AttemptSnapshot[], wanted: AttemptSnapshot): number {
  const found = snapshots.findIndex((each) => isSame(each, wanted));
  return found === -1 ? snapshots.push(wanted) - 1 : found;
}

function isSame(one: AttemptSnapshot, other: AttemptSnapshot): boolean {
  return (
    one.state === other.state && one.reserves === other.reserves && one.answer === other.answer
  );
}
