// The steps of time: a tick of every clock, a jump of the store's alone, the minute of the gateway's.
import { forgetAttempt, type Parts } from "./latchkey-steps.ts";
import { phases } from "./latchkey-phases.ts";
import { faultOf, holds, type LatchkeyState } from "./latchkey-state.ts";
import { erase } from "./latchkey-store.ts";
import { assign, forEach, rule, when, type Indexed } from "./system-builders.ts";
import {
  and,
  differ,
  equal,
  greater,
  greatest,
  minus,
  nobody,
  not,
  or,
  some,
  type Operand,
} from "./system-expressions.ts";
import type { Expression, Rule, Statement } from "./system-language.ts";

export function clockRules(parts: Parts): readonly Rule[] {
  const { state } = parts;
  const { jumpsLeft, quietFor, bucket } = state;
  const minute = faultOf(state, "minute");
  return [
    rule("tick", {}, () => ({
      guard: or(isRunning(state), ...(quietFor ? [greater(quietFor, 0)] : [])),
      body: [
        ...passAtStore(state, true),
        ...(quietFor ? [assign(quietFor, greatest(0, minus(quietFor, 1)))] : []),
      ],
      tells: { actor: "clock", action: "tick", detail: "the record ends in {endsIn[0]'}" },
    })),
    ...(jumpsLeft
      ? [
          rule("jump", {}, () => ({
            guard: and(greater(jumpsLeft, 0), isRunning(state)),
            body: [assign(jumpsLeft, minus(jumpsLeft, 1)), ...passAtStore(state, false)],
            tells: {
              actor: "clock",
              action: "jump",
              detail:
                "the store's clock steps forward; downstream's is never more than ε behind it",
            },
          })),
        ]
      : []),
    ...(bucket && minute
      ? [
          rule("minute", {}, () => ({
            guard: and(minute.left, equal(bucket, 0)),
            body: [...minute.spend, assign(bucket, 1)],
            tells: {
              actor: "clock",
              action: "minute",
              detail: "a new minute begins at the gateway",
            },
          })),
        ]
      : []),
  ];
}

/** Whether some countdown on the store's clock still runs; without one a tick changes nothing. */
function isRunning(state: LatchkeyState): Operand {
  const { attempts, keys, endsIn, effectBy } = state;
  const observed = storeCountdowns(state).map((each) =>
    some("k", keys, (k) => greater(each.at(k), 0)),
  );
  return or(
    some("k", keys, (k) => greater(endsIn.at(k), 0)),
    ...observed,
    ...(effectBy ? [some("b", attempts, (b) => greater(effectBy.at(b), 0))] : []),
  );
}

function storeCountdowns({ holdFor, blocksFor, collidesFor }: LatchkeyState): readonly Indexed[] {
  return [holdFor, blocksFor, collidesFor].filter((each) => each !== null);
}

/** One tick passes on the store's clock. A deadline counted from the receipt is on the gateway's: it does not jump. */
function passAtStore(state: LatchkeyState, isTick: boolean): readonly Statement[] {
  const { attempts, keys, effectBy, options } = state;
  const deadlinePasses = isTick || options.policy.deadlineFrom === "acceptance";
  return [
    forEach("k", keys, (k) => passAtKey(state, k)),
    ...(effectBy && deadlinePasses
      ? [
          forEach("b", attempts, (b) => [
            when(greater(effectBy.at(b), 0), [
              assign(effectBy.at(b), minus(effectBy.at(b), 1)),
              ...forgetLateCalls(state, b),
            ]),
          ]),
        ]
      : []),
  ];
}

/** Every countdown of a key loses one; what ends is forgotten at once (see the key table: an alarm decides nothing). */
function passAtKey(state: LatchkeyState, k: Expression): readonly Statement[] {
  const { endsIn, hold, holdBy, holdFor, blocksFor, collidesFor, collidesBy, attempts } = state;
  const less = (each: Indexed, atEnd: readonly Statement[]) =>
    when(greater(each.at(k), 0), [
      assign(each.at(k), minus(each.at(k), 1)),
      ...(atEnd.length > 0 ? [when(equal(each.at(k), 0), atEnd)] : []),
    ]);
  return [
    less(endsIn, erase(state, k)),
    ...(hold && holdBy && holdFor
      ? [less(holdFor, [assign(hold.at(k), holds.of.none), assign(holdBy.at(k), nobody(attempts))])]
      : []),
    ...(blocksFor ? [less(blocksFor, [])] : []),
    ...(collidesFor && collidesBy
      ? [less(collidesFor, [assign(collidesBy.at(k), nobody(attempts))])]
      : []),
  ];
}

/**
 * A call past its deadline that nobody waits for can only be refused, and all that its arrival does
 * is to show its fence. That matters to calls with an older fence alone: without any it is forgotten.
 */
function forgetLateCalls(state: LatchkeyState, b: Expression): readonly Statement[] {
  const { effectBy, dispatches, phase, fence, attempts, checked, options } = state;
  if (!effectBy || checked || options.policy.downstreamDeadline !== "one-step") return [];
  const older = fence
    ? some("c", attempts, (c) =>
        and(differ(c, b), greater(fence.at(c), 0), greater(fence.at(b), fence.at(c))),
      )
    : false;
  return [
    when(
      and(
        equal(effectBy.at(b), 0),
        greater(dispatches.at(b), 0),
        not(equal(phase.at(b), phases.of.dispatched)),
        not(older),
      ),
      [assign(dispatches.at(b), 0), ...forgetAttempt(state, b)],
    ),
  ];
}
