// The steps of downstream: it refuses by fence or deadline, executes, fails; its answer arrives or does not.
import { duplicateRule, faultRule, attemptRule, tell, type Parts } from "./latchkey-steps.ts";
import type { Fault } from "./latchkey-options.ts";
import { phases, type EventName, type PhaseStep } from "./latchkey-phases.ts";
import { keyOfAttempt, type LatchkeyState } from "./latchkey-state.ts";
import { watchExecution } from "./latchkey-observers.ts";
import { assign } from "./system-builders.ts";
import {
  and,
  atMost,
  equal,
  greater,
  greatest,
  less,
  minus,
  not,
  or,
  type Operand,
} from "./system-expressions.ts";
import type { Expression, Rule, Statement } from "./system-language.ts";

export function downstreamRules(parts: Parts): readonly Rule[] {
  return [...servedRules(parts), ...refusalRules(parts), ...unservedRules(parts)];
}

/** A call that downstream takes up and lets through its checks. */
function servedRules(parts: Parts): readonly Rule[] {
  const { state } = parts;
  const under = (a: Expression) => greater(state.dispatches.at(a), 0);
  const waits = (a: Expression) => equal(state.phase.at(a), phases.of.dispatched);
  const passes = (a: Expression) => and(under(a), mayExecute(state, a));
  const answered = (event: EventName, executes: boolean) => (a: Expression) => [
    ...arrives(state, a),
    ...(executes ? execute(state, a) : []),
    ...tell(parts, a, [event]),
  ];
  const fault = (name: Fault, label: string, event: EventName, executes: boolean, detail: string) =>
    faultRule(parts, name, label, (a) => and(passes(a), waits(a)), answered(event, executes), {
      actor: "downstream",
      action: label,
      detail: `${detail}: attempt {a} is {phase[a]'}`,
    });
  const twoSteps = state.checked;
  return [
    ...(twoSteps
      ? checkThenAct(parts, under)
      : [
          attemptRule(parts, "execute", passes, answered("OUTCOME-success", true), {
            actor: "downstream",
            action: "execute",
            detail: "for attempt {a}: {phase[a]} becomes {phase[a]'}",
          }),
        ]),
    // Two copies are under way, and the answer to the other comes first.
    ...(twoSteps
      ? []
      : [
          attemptRule(
            parts,
            "execute, overtaken",
            (a) => and(passes(a), waits(a), greater(state.dispatches.at(a), 1)),
            (a) => [...arrives(state, a), ...execute(state, a)],
            {
              actor: "downstream",
              action: "execute",
              detail: "for attempt {a}; the answer to another copy will come first",
            },
          ),
        ]),
    ...fault(
      "lostReply",
      "execute, reply lost",
      "OUTCOME-unanswered",
      true,
      "executed, nobody hears",
    ),
    ...fault("unclear", "execute, 5xx", "OUTCOME-failed", true, "executed, answered 5xx"),
    ...fault(
      "unclear",
      "execute, unreadable",
      "OUTCOME-unreadable",
      true,
      "executed, the 2xx cannot be read",
    ),
    ...fault(
      "softFail",
      "soft-fail",
      "OUTCOME-soft-fail",
      false,
      "success:false, nothing executed",
    ),
    // Where the machine takes both alike they are one step.
    ...(isAlike(
      parts.phase.step("dispatched", "OUTCOME-rejected"),
      parts.phase.step("dispatched", "OUTCOME-soft-fail"),
    )
      ? []
      : fault("softFail", "reject", "OUTCOME-rejected", false, "4xx, nothing executed")),
    ...fault(
      "brokenPromise",
      "soft-fail after the effect",
      "OUTCOME-soft-fail",
      true,
      "success:false after the effect",
    ),
  ];
}

function isAlike(one: PhaseStep, other: PhaseStep): boolean {
  return one.next === other.next && one.calls.join() === other.calls.join();
}

/**
 * Downstream's clock lags behind the store's by anything from 0 to ε, by another amount each time it
 * is asked. So before the deadline it lets through, ε after it refuses, and in between it does either.
 */
export function mayExecute(state: LatchkeyState, a: Expression): Operand {
  return and(not(isRefusedByFence(state, a)), isBeforeDeadline(state, a));
}

/** What was let through without a reservation carries no deadline, and no fence, to be refused by. */
function isBeforeDeadline({ effectBy, permitted }: LatchkeyState, a: Expression): Operand {
  if (!effectBy) return true;
  const before = greater(effectBy.at(a), 0);
  return permitted ? or(permitted.at(a), before) : before;
}

/** Whether downstream may find the deadline passed, by some clock that it may have. */
export function mayBeLate(state: LatchkeyState, a: Expression): Operand {
  const { effectBy, permitted, options } = state;
  if (!effectBy) return false;
  const late = atMost(effectBy.at(a), options.times.lag);
  return permitted ? and(not(permitted.at(a)), late) : late;
}

export function isRefusedByFence(state: LatchkeyState, a: Expression): Operand {
  const { fence, seenFence, permitted, options } = state;
  if (!fence || !seenFence) return false;
  const seen = seenFence.at(keyOfAttempt(state, a));
  const refused =
    options.policy.downstreamFence === "refuse-seen"
      ? atMost(fence.at(a), seen)
      : less(fence.at(a), seen);
  return permitted ? and(not(permitted.at(a)), refused) : refused;
}

/**
 * The call is there: its fence is seen from now on, whatever becomes of it. Otherwise a second copy
 * of a call that was refused or that failed could execute after its reservation was released.
 */
export function arrives(state: LatchkeyState, a: Expression): readonly Statement[] {
  const { dispatches, fence, seenFence } = state;
  const key = keyOfAttempt(state, a);
  return [
    assign(dispatches.at(a), minus(dispatches.at(a), 1)),
    ...(fence && seenFence
      ? [assign(seenFence.at(key), greatest(seenFence.at(key), fence.at(a)))]
      : []),
  ];
}

export function execute(state: LatchkeyState, a: Expression): readonly Statement[] {
  return [...watchExecution(state, a), assign(state.executed.at(a), true)];
}

function checkThenAct(parts: Parts, under: (a: Expression) => Operand): readonly Rule[] {
  const { state } = parts;
  const { checked } = state;
  if (!checked) return [];
  return [
    attemptRule(
      parts,
      "check",
      (a) => and(under(a), not(checked.at(a)), mayExecute(state, a)),
      (a) => [...arrives(state, a), assign(checked.at(a), true)],
      { actor: "downstream", action: "check", detail: "attempt {a} is before its deadline" },
    ),
    attemptRule(
      parts,
      "act",
      (a) => checked.at(a),
      (a) => [
        assign(checked.at(a), false),
        ...execute(state, a),
        ...tell(parts, a, ["OUTCOME-success"]),
      ],
      { actor: "downstream", action: "execute", detail: "for attempt {a}: {phase[a]'}" },
    ),
  ];
}

function refusalRules(parts: Parts): readonly Rule[] {
  const { state } = parts;
  const { dispatches, effectBy, fence } = state;
  const under = (a: Expression) => greater(dispatches.at(a), 0);
  const refused = (event: EventName) => (a: Expression) => [
    ...arrives(state, a),
    ...tell(parts, a, [event]),
  ];
  return [
    ...(fence
      ? [
          attemptRule(
            parts,
            "refuse by fence",
            (a) => and(under(a), isRefusedByFence(state, a)),
            refused("OUTCOME-refused-by-fence"),
            { actor: "downstream", action: "refuse by fence", detail: "attempt {a}: {phase[a]'}" },
          ),
        ]
      : []),
    ...(effectBy
      ? [
          attemptRule(
            parts,
            "refuse by deadline",
            (a) => and(under(a), not(isRefusedByFence(state, a)), mayBeLate(state, a)),
            refused("OUTCOME-refused-by-deadline"),
            {
              actor: "downstream",
              action: "refuse by deadline",
              detail: "attempt {a}: {phase[a]'}",
            },
          ),
        ]
      : []),
  ];
}

/** A call that does not reach downstream, or that its caller no longer waits for. */
function unservedRules(parts: Parts): readonly Rule[] {
  const { state } = parts;
  const { dispatches, phase } = state;
  const waits = (a: Expression) =>
    and(greater(dispatches.at(a), 0), equal(phase.at(a), phases.of.dispatched));
  const gone = (a: Expression) => assign(dispatches.at(a), minus(dispatches.at(a), 1));
  return [
    ...faultRule(
      parts,
      "lostCall",
      "lose dispatch",
      waits,
      (a) => [gone(a), ...tell(parts, a, ["OUTCOME-unanswered"])],
      { actor: "attempt {a}", action: "dispatch, lost", detail: "unanswered: {phase[a]'}" },
    ),
    ...faultRule(
      parts,
      "delay",
      "give up dispatch",
      waits,
      (a) => tell(parts, a, ["OUTCOME-unanswered"]),
      {
        actor: "attempt {a}",
        action: "give up",
        detail: "its dispatch is still under way: {phase[a]'}",
      },
    ),
    ...faultRule(
      parts,
      "notConnected",
      "not connected",
      // A call that could not be made has no second copy, neither under way nor there already.
      (a) =>
        and(
          waits(a),
          equal(dispatches.at(a), 1),
          not(state.executed.at(a)),
          ...(state.checked ? [not(state.checked.at(a))] : []),
        ),
      (a) => [gone(a), ...tell(parts, a, ["OUTCOME-not-connected"])],
      { actor: "attempt {a}", action: "not connected", detail: "to downstream: {phase[a]'}" },
    ),
    ...duplicateRule(parts, "dispatch", dispatches),
  ];
}
