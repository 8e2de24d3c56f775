// How a step of an attempt is written: rules, faults with their budgets, what the machine does next, what is forgotten.
import type { ConsumerTable } from "../../model/consumer-table.ts";
import type { Fault } from "./latchkey-options.ts";
import {
  type Call,
  type EventName,
  type PhaseTables,
  events,
  goesOnUnreserved,
  phases,
  waitingPhases,
} from "./latchkey-phases.ts";
import { breaks } from "./latchkey-observers.ts";
import { type LatchkeyState, deliveries, faultOf, messages } from "./latchkey-state.ts";
import type { StoreTables } from "./latchkey-store-tables.ts";
import { takeProceed } from "./latchkey-store.ts";
import { type Indexed, assign, rule, when } from "./system-builders.ts";
import {
  type Operand,
  and,
  differ,
  equal,
  greater,
  less,
  not,
  oneOf,
  or,
  plus,
} from "./system-expressions.ts";
import type { Expression, Rule, Statement, Telling } from "./system-language.ts";

export interface Parts {
  readonly state: LatchkeyState;
  readonly phase: PhaseTables;
  readonly store: StoreTables;
  readonly delivery: ConsumerTable;
}

/** A step of one attempt: its guard, what it does, and how a witness tells it. */
export function attemptRule(
  { state }: Parts,
  name: string,
  guard: (a: Expression) => Operand,
  body: (a: Expression) => readonly Statement[],
  tells: Telling,
): Rule {
  return rule(name, { a: state.attempts }, ({ a }) => ({ guard: guard(a), body: body(a), tells }));
}

/** A step of one attempt that is a fault: it spends the fault's budget, and is none where that is zero. */
export function faultRule(
  parts: Parts,
  fault: Fault,
  name: string,
  guard: (a: Expression) => Operand,
  body: (a: Expression) => readonly Statement[],
  tells: Telling,
): readonly Rule[] {
  const chance = faultOf(parts.state, fault);
  if (!chance) return [];
  return [
    attemptRule(
      parts,
      name,
      (a) => and(chance.left, guard(a)),
      (a) => [...chance.spend, ...body(a)],
      tells,
    ),
  ];
}

/** A call that is under way arrives once more. */
export function duplicateRule(parts: Parts, name: string, count: Indexed): readonly Rule[] {
  const { domain } = count.declaration;
  const most = domain.kind === "range" ? domain.max : 1;
  return faultRule(
    parts,
    "duplicate",
    `duplicate ${name}`,
    (a) => and(greater(count.at(a), 0), less(count.at(a), most)),
    (a) => [assign(count.at(a), plus(count.at(a), 1))],
    {
      actor: "network",
      action: "duplicate",
      detail: `the ${name} of attempt {a} will arrive twice`,
    },
  );
}

/**
 * Tells the attempt what came back: the machine's table says which phase follows and which calls are
 * made. `event` is one of `possible`, or the only one.
 */
export function tell(
  parts: Parts,
  a: Expression,
  possible: readonly EventName[],
  event: Operand = eventOf(possible[0] ?? "RESERVE-proceed"),
): readonly Statement[] {
  const { state, phase } = parts;
  const makes = (call: Call) =>
    possible.some((each) => phaseList.some((from) => phase.step(from, each).calls.includes(call)));
  const made = (call: Call, body: readonly Statement[]): readonly Statement[] =>
    makes(call) && body.length > 0
      ? [when(phase.makes[call].at(state.phase.at(a), event), body)]
      : [];
  const goesOn = takesReserve(parts, a, possible, event);
  const more = (count: Indexed) => assign(count.at(a), plus(count.at(a), 1));
  return [
    ...watchSuccess(parts, a, possible, event),
    ...made("reserve", [more(state.reserves)]),
    ...made("dispatch", [more(state.dispatches), ...goesOn]),
    ...made("enqueue", goesOn),
    ...made("commit", [more(state.commits)]),
    ...made("release", [more(state.releases)]),
    assign(state.phase.at(a), phase.next.at(state.phase.at(a), event)),
    ...forgetAttempt(state, a),
  ];
}

/** What an attempt has of its reserve where it goes on: fence and deadline of a `proceed`, or nothing at all. */
function takesReserve(
  { state, phase }: Parts,
  a: Expression,
  possible: readonly EventName[],
  event: Operand,
): readonly Statement[] {
  const unreserved = possible.some((each) => goesOnUnreserved(phase, each));
  const proceeds = possible.includes("RESERVE-proceed") ? takeProceed(state, a) : [];
  const permits = unreserved && state.permitted ? [assign(state.permitted.at(a), true)] : [];
  return permits.length > 0 && proceeds.length > 0
    ? [when(equal(event, eventOf("RESERVE-proceed")), proceeds, permits)]
    : [...proceeds, ...permits];
}

/** Where the attempt comes to say that it executed, it has executed. */
function watchSuccess(
  { state, phase }: Parts,
  a: Expression,
  possible: readonly EventName[],
  event: Operand,
): readonly Statement[] {
  const says = (each: EventName) =>
    phaseList.some((from) => from !== "executed" && phase.step(from, each).next === "executed");
  const lost = breaks(state, "nothing-lost");
  if (lost.length === 0 || !possible.some(says)) return [];
  const comes = and(
    differ(state.phase.at(a), phases.of.executed),
    equal(phase.next.at(state.phase.at(a), event), phases.of.executed),
  );
  return [when(and(comes, not(state.executed.at(a))), lost)];
}

const phaseList = Object.keys(phases.of) as (keyof typeof phases.of)[];

export function eventOf(name: EventName): Operand {
  const found = events.of[name];
  if (!found) throw new Error(`no such event: ${name}`);
  return found;
}

/**
 * Forgets what can matter no more: fence and deadline of an attempt that has nothing left to execute;
 * whether it executed, once its client was told so or told that nobody knows and no commit can follow.
 */
export function forgetAttempt(state: LatchkeyState, a: Expression): readonly Statement[] {
  const { fence, effectBy, phase, dispatches, message, slots, lateProceed, checked } = state;
  const over = and(
    differ(phase.at(a), phases.of.dispatched),
    differ(phase.at(a), phases.of.enqueueing),
    equal(dispatches.at(a), 0),
    ...(message ? [differ(message.at(a), messages.of.queued)] : []),
    ...slots.map((slot) =>
      not(oneOf(slot.at(a), [deliveries.of.checking, deliveries.of.executing])),
    ),
    ...(lateProceed ? [not(lateProceed.at(a))] : []),
    ...(checked ? [not(checked.at(a))] : []),
  );
  const forget: Statement[] = [
    ...(fence ? [assign(fence.at(a), 0)] : []),
    ...(effectBy ? [assign(effectBy.at(a), 0)] : []),
  ];
  const told = state.message
    ? equal(phase.at(a), phases.of.executed)
    : or(equal(phase.at(a), phases.of.executed), equal(phase.at(a), phases.of.unknown));
  return [
    ...(forget.length > 0 ? [when(over, forget)] : []),
    when(told, [assign(state.executed.at(a), false)]),
  ];
}

export function isWaiting(state: LatchkeyState, a: Expression): Expression {
  return oneOf(
    state.phase.at(a),
    waitingPhases.map((name) => phases.of[name]),
  );
}
