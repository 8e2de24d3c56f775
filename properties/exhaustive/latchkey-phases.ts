// The phases of an attempt in the system: the gateway machine's snapshots, those merged that nothing in the system can tell apart.
import { gateRefusals, type GateRefusal } from "../../model/gateway-answers.ts";
import type { AttemptEvent, AttemptSnapshot } from "../../model/gateway-attempt.ts";
import { attemptEvents, lookUpAttempt, type GatewayTable } from "../../model/gateway-table.ts";
import { flag, named, table, type Table } from "./system-builders.ts";
import type { Named } from "./system-expressions.ts";

/** What an attempt waits for, or what it was told. */
export type Phase = (typeof phaseNames)[number];

export const phaseNames = [
  "idle",
  "reserving",
  "reserving-again",
  "dispatched",
  "enqueueing",
  "executed",
  "queued",
  "failed",
  "unknown",
  "in-flight",
  "in-doubt",
  "duplicate",
  "mismatch",
  "unavailable",
  "refused",
  "stopped",
] as const;

export const phases: Named<Phase> = named("phase", phaseNames);

/** Phases in which the attempt told its client that nothing happened and nothing will. */
export const refusedPhases: readonly Phase[] = [
  "failed",
  "in-flight",
  "in-doubt",
  "duplicate",
  "mismatch",
  "unavailable",
  "refused",
];
export const waitingPhases: readonly Phase[] = [
  "reserving",
  "reserving-again",
  "dispatched",
  "enqueueing",
];

/** The events that reach an attempt after its reserve was sent, by name, numbered for the tables. */
export const events: Named<EventName> = named("event", attemptEvents.filter(isShared).map(nameOf));
export type EventName = `${AttemptEvent["type"]}-${string}`;

export const calls = ["reserve", "dispatch", "enqueue", "commit", "release"] as const;
export type Call = (typeof calls)[number];

export interface PhaseTables {
  readonly next: Table;
  /** Whether the machine makes the call there at that event. */
  readonly makes: Readonly<Record<Call, Table>>;
  /** The same facts outside the language: which phase follows, and with which calls. */
  step(phase: Phase, event: EventName): PhaseStep;
  /** What becomes of a request that passes the gates before the reserve. */
  readonly passed: PhaseStep;
  /** What becomes of one that a gate refuses; where they differ, of one that makes a call all the same. */
  readonly refused: PhaseStep;
}

export interface PhaseStep {
  readonly next: Phase;
  readonly calls: readonly Call[];
}

/**
 * The tables of the machine over merged snapshots. Merged are: the reserves sent, once the store
 * answered; and `settled` with `responded`, because whatever comes back of a commit or a release the
 * answer is the same (the machine's own test says so) and no property asks when it is sent. What
 * comes before the first reserve touches nothing shared: it is one step.
 */
export function phaseTables(machineTable: GatewayTable): PhaseTables {
  const steps = new Map<Phase, Map<EventName, PhaseStep>>();
  for (const snapshot of machineTable.snapshots) {
    if (snapshot.state !== "received" && snapshot.state !== "authenticated") {
      addSteps(steps, machineTable, snapshot);
    }
  }
  const step = (phase: Phase, event: EventName): PhaseStep =>
    steps.get(phase)?.get(event) ?? { next: phase, calls: [] };
  const at = (phase: number, event: number) =>
    step(phaseNames[phase] ?? "idle", eventNames[event] ?? "RESERVE-proceed");
  const dimensions = [phaseNames.length, eventNames.length];
  const makes = (call: Call, name: string) =>
    table(name, dimensions, flag, (phase = 0, event = 0) =>
      at(phase, event).calls.includes(call) ? 1 : 0,
    );
  return {
    next: table("nextPhase", dimensions, phases, (phase = 0, event = 0) =>
      phaseNames.indexOf(at(phase, event).next),
    ),
    makes: {
      reserve: makes("reserve", "makesReserve"),
      dispatch: makes("dispatch", "makesDispatch"),
      enqueue: makes("enqueue", "makesEnqueue"),
      commit: makes("commit", "makesCommit"),
      release: makes("release", "makesRelease"),
    },
    step,
    ...gateSteps(machineTable),
  };
}

/** Authentication and admission in one step, whatever the machine makes of each refusal. */
function gateSteps(machineTable: GatewayTable): Pick<PhaseTables, "passed" | "refused"> {
  const after = (...gates: readonly AttemptEvent[]): PhaseStep => {
    let [snapshot] = machineTable.snapshots;
    if (snapshot === undefined) throw new Error("the gateway table has no first snapshot");
    const made: Call[] = [];
    for (const event of gates) {
      const { attempt, commands } = lookUpAttempt(machineTable, snapshot, event);
      made.push(...commands.flatMap(({ type }) => (type === "respond" ? [] : [type])));
      snapshot = attempt;
    }
    return { next: phaseOf(snapshot), calls: made };
  };
  const authenticated = { type: "AUTHENTICATION", result: "passed" } as const;
  const admitted = { type: "ADMISSION", result: "passed" } as const;
  const refusals = (Object.keys(gateRefusals) as GateRefusal[]).flatMap((result) => [
    after({ type: "AUTHENTICATION", result }, admitted),
    after(authenticated, { type: "ADMISSION", result }),
  ]);
  const [first] = refusals;
  if (first === undefined) throw new Error("the gateway has no gates");
  return {
    passed: after(authenticated, admitted),
    refused: refusals.find(({ calls: made }) => made.length > 0) ?? first,
  };
}

/** Whether an attempt goes on to downstream or the queue although no reserve of it was accepted. */
export function goesOnUnreserved(tables: Pick<PhaseTables, "step">, event: EventName): boolean {
  return (
    event.startsWith("RESERVE-") &&
    event !== "RESERVE-proceed" &&
    phaseNames.some((from) => {
      const { calls: made } = tables.step(from, event);
      return made.includes("dispatch") || made.includes("enqueue");
    })
  );
}

export const eventNames = attemptEvents.filter(isShared).map(nameOf);

function addSteps(
  steps: Map<Phase, Map<EventName, PhaseStep>>,
  machineTable: GatewayTable,
  snapshot: AttemptSnapshot,
): void {
  const phase = phaseOf(snapshot);
  const known = steps.get(phase) ?? new Map<EventName, PhaseStep>();
  steps.set(phase, known);
  for (const event of attemptEvents.filter(isShared)) {
    const { attempt, commands } = lookUpAttempt(machineTable, snapshot, event);
    const made = commands.flatMap(({ type }) => (type === "respond" ? [] : [type]));
    const step = { next: phaseOf(attempt), calls: made };
    const other = known.get(nameOf(event));
    if (other && JSON.stringify(other) !== JSON.stringify(step)) {
      throw new Error(`merged snapshots differ: phase=${phase} event=${nameOf(event)}`);
    }
    known.set(nameOf(event), step);
  }
}

function phaseOf({ state, reserves, answer }: AttemptSnapshot): Phase {
  switch (state) {
    case "received":
    case "authenticated":
      return "idle";
    case "admitted":
      return reserves > 1 ? "reserving-again" : "reserving";
    case "dispatched":
      return "dispatched";
    case "enqueued":
      return "enqueueing";
    case "settled":
    case "responded":
      if (answer === null) throw new Error(`an attempt ended without an answer: state=${state}`);
      return answer in gateRefusals ? "refused" : (answer as Phase);
  }
}

function isShared({ type }: AttemptEvent): boolean {
  return type === "RESERVE" || type === "OUTCOME" || type === "ENQUEUE";
}

function nameOf({ type, result }: AttemptEvent): EventName {
  return `${type}-${result}`;
}
