// What one delivery asks and does: claim or mark, execute, settle, and what becomes of its message.
import { consumerEvents, lookUpDelivery } from "../../model/consumer-table.ts";
import type { ConsumerCommand, ConsumerEvent, ConsumerState } from "../../model/queue-consumer.ts";
import { type Parts, attemptRule, faultRule, forgetAttempt } from "./latchkey-steps.ts";
import {
  arrives,
  execute,
  isRefusedByFence,
  mayBeLate,
  mayExecute,
} from "./latchkey-downstream.ts";
import type { Fault } from "./latchkey-options.ts";
import type { EventName } from "./latchkey-phases.ts";
import {
  type LatchkeyState,
  claims,
  deliveries,
  keyOfAttempt,
  messages,
} from "./latchkey-state.ts";
import { isOwn, recordKind, replyOf } from "./latchkey-store-tables.ts";
import { type Indexed, assign, when } from "./system-builders.ts";
import { type Operand, and, choose, equal, not, plus } from "./system-expressions.ts";
import type { Expression, Rule, Statement } from "./system-language.ts";

function claimRules(parts: Parts, slot: Indexed, place: number, name: string): readonly Rule[] {
  const { state, store } = parts;
  const { claimedBy, options } = state;
  if (!claimedBy) return [];
  const checking = (a: Expression) => equal(slot.at(a), deliveries.of.checking);
  const key = (a: Expression) => keyOfAttempt(state, a);
  const mine =
    options.policy.consumerGuard === "claim-by-token" || place === 0 ? "first" : "second";
  const standing = (a: Expression) =>
    choose(
      equal(claimedBy.at(key(a)), claims.of.nobody),
      0,
      choose(equal(claimedBy.at(key(a)), claims.of[mine]), 1, 2),
    );
  const granted = (a: Expression) =>
    equal(
      store.claimReply.at(recordKind(state, key(a)), isOwn(state, key(a), a), standing(a)),
      replyOf.done,
    );
  const claim = (a: Expression) => assign(claimedBy.at(key(a)), claims.of[mine]);
  const actor = `consumer ({a}, ${name})`;
  return [
    attemptRule(
      parts,
      `claim ${name}`,
      (a) => and(checking(a), granted(a)),
      (a) => [claim(a), assign(slot.at(a), deliveries.of.executing)],
      { actor, action: "claim", detail: "granted: it executes" },
    ),
    attemptRule(
      parts,
      `claim denied ${name}`,
      (a) => and(checking(a), not(granted(a))),
      (a) => giveBack(parts, slot, a),
      { actor, action: "claim", detail: "denied: it gives the message back" },
    ),
    ...faultRule(
      parts,
      "lostReply",
      `claim ${name}, reply lost`,
      (a) => and(checking(a), granted(a)),
      (a) => [claim(a), ...giveBack(parts, slot, a)],
      { actor, action: "claim, reply lost", detail: "granted, but it does not know" },
    ),
    ...faultRule(
      parts,
      "lostCall",
      `claim ${name}, lost`,
      checking,
      (a) => giveBack(parts, slot, a),
      { actor, action: "claim, lost", detail: "it gives the message back" },
    ),
  ];
}

function markRules(parts: Parts, slot: Indexed, name: string): readonly Rule[] {
  const { marked } = parts.state;
  if (!marked) return [];
  const checking = (a: Expression) => equal(slot.at(a), deliveries.of.checking);
  const executes = (a: Expression) => [assign(slot.at(a), deliveries.of.executing)];
  const actor = `consumer ({a}, ${name})`;
  return [
    attemptRule(parts, `check ${name}`, (a) => and(checking(a), not(marked.at(a))), executes, {
      actor,
      action: "check",
      detail: "no mark: it executes",
    }),
    attemptRule(
      parts,
      `check ${name}, marked`,
      (a) => and(checking(a), marked.at(a)),
      (a) => acknowledge(parts, slot, a),
      { actor, action: "check", detail: "marked: nothing to do" },
    ),
    ...faultRule(
      parts,
      "staleRead",
      `check ${name}, stale`,
      (a) => and(checking(a), marked.at(a)),
      executes,
      { actor, action: "check, stale", detail: "the mark is not seen: it executes" },
    ),
  ];
}

export function executeRules(parts: Parts, slot: Indexed, name: string): readonly Rule[] {
  const { state } = parts;
  const { effectBy } = state;
  const executing = (a: Expression) => equal(slot.at(a), deliveries.of.executing);
  const passes = (a: Expression) => and(executing(a), mayExecute(state, a));
  const body = (event: EventName, reaches: boolean, executes: boolean) => (a: Expression) => [
    ...(reaches ? shows(state, a) : []),
    ...(executes ? execute(state, a) : []),
    ...hears(parts, slot, a, event),
  ];
  const actor = `consumer ({a}, ${name})`;
  const fault = (
    which: Fault,
    label: string,
    guard: (a: Expression) => Operand,
    run: (a: Expression) => readonly Statement[],
  ) =>
    faultRule(parts, which, `${name}: ${label}`, guard, run, {
      actor,
      action: label,
      detail: "the message is {message[a]'}",
    });
  const step = (
    label: string,
    guard: (a: Expression) => Operand,
    event: EventName,
    executes: boolean,
  ) =>
    attemptRule(parts, `${name}: ${label}`, guard, body(event, true, executes), {
      actor,
      action: label,
      detail: "the message is {message[a]'}",
    });
  return [
    step("execute", passes, "OUTCOME-success", true),
    ...fault("lostReply", "execute, reply lost", passes, body("OUTCOME-unanswered", true, true)),
    ...fault("unclear", "execute, 5xx", passes, body("OUTCOME-failed", true, true)),
    ...fault("softFail", "soft-fail", passes, body("OUTCOME-soft-fail", true, false)),
    ...fault("lostCall", "dispatch, lost", executing, body("OUTCOME-unanswered", false, false)),
    ...fault(
      "notConnected",
      "not connected",
      executing,
      body("OUTCOME-not-connected", false, false),
    ),
    ...fault("delay", "give up", executing, (a) => [
      assign(state.dispatches.at(a), plus(state.dispatches.at(a), 1)),
      ...hears(parts, slot, a, "OUTCOME-unanswered"),
    ]),
    ...(state.fence
      ? [
          step(
            "refuse by fence",
            (a) => and(executing(a), isRefusedByFence(state, a)),
            "OUTCOME-refused-by-fence",
            false,
          ),
        ]
      : []),
    ...(effectBy
      ? [
          step(
            "refuse by deadline",
            (a) => and(executing(a), not(isRefusedByFence(state, a)), mayBeLate(state, a)),
            "OUTCOME-refused-by-deadline",
            false,
          ),
        ]
      : []),
  ];
}

/** A call of the consumer reaches downstream: it shows the message's fence and was never a call of the attempt. */
function shows(state: LatchkeyState, a: Expression): readonly Statement[] {
  return arrives(state, a).slice(1);
}

/** The outcome reaches the delivery: the consumer's table says what it does next. */
function hears(parts: Parts, slot: Indexed, a: Expression, event: EventName): readonly Statement[] {
  const result = event.slice("OUTCOME-".length);
  const { commands, state } = lookUp(parts, "executing", "OUTCOME", result);
  const settles = state !== "finished";
  return [
    ...settle(parts.state, a, commands),
    assign(slot.at(a), deliveries.of.finished),
    // Commit, release and mark are sent, not waited for: the delivery ends alike however they come back.
    ...(settles
      ? ends(parts, a, state, "SETTLEMENT", "done")
      : ends(parts, a, "executing", "OUTCOME", result)),
  ];
}

function settle(
  { commits, releases, marked }: LatchkeyState,
  a: Expression,
  commands: readonly ConsumerCommand[],
): readonly Statement[] {
  return commands.flatMap((command) => {
    switch (command) {
      case "commit":
        return [assign(commits.at(a), plus(commits.at(a), 1))];
      case "release":
        return [assign(releases.at(a), plus(releases.at(a), 1))];
      case "mark":
        return marked ? [assign(marked.at(a), true)] : [];
      case "claim":
      case "check-mark":
      case "dispatch":
      case "ack":
      case "retry":
      case "dead-letter":
        return [];
    }
  });
}

/** What becomes of the message: acknowledged, dead-lettered, or given back for a delivery that is left. */
export function ends(
  parts: Parts,
  a: Expression,
  state: ConsumerState,
  type: ConsumerEvent["type"],
  result: string,
): readonly Statement[] {
  const { message, slots } = parts.state;
  if (!message) return [];
  const { commands } = lookUp(parts, state, type, result);
  const dead = assign(message.at(a), messages.of["dead-lettered"]);
  const forget = forgetAttempt(parts.state, a);
  if (commands.includes("dead-letter")) return [dead, ...forget];
  if (commands.includes("ack")) {
    return [
      when(equal(message.at(a), messages.of.queued), [assign(message.at(a), messages.of.acked)]),
      ...forget,
    ];
  }
  const exhausted = and(
    equal(message.at(a), messages.of.queued),
    ...slots.map((each) => equal(each.at(a), deliveries.of.finished)),
  );
  return [when(exhausted, [dead]), ...forget];
}

export function giveBack(parts: Parts, slot: Indexed, a: Expression): readonly Statement[] {
  return [
    assign(slot.at(a), deliveries.of.finished),
    ...ends(parts, a, "executing", "OUTCOME", "unanswered"),
  ];
}

function acknowledge(parts: Parts, slot: Indexed, a: Expression): readonly Statement[] {
  return [
    assign(slot.at(a), deliveries.of.finished),
    ...ends(parts, a, "guarded", "GUARD", "denied"),
  ];
}

function lookUp(parts: Parts, state: ConsumerState, type: ConsumerEvent["type"], result: string) {
  const event = consumerEvents.find((each) => each.type === type && each.result === result);
  if (!event) throw new Error(`no such event: ${type} ${result}`);
  return lookUpDelivery(parts.delivery, state, event);
}

export function guardRules(
  parts: Parts,
  slot: Indexed,
  place: number,
  name: string,
): readonly Rule[] {
  return parts.state.options.policy.consumerGuard === "presence-mark"
    ? markRules(parts, slot, name)
    : claimRules(parts, slot, place, name);
}
