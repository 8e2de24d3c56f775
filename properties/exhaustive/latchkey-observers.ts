// The observers: they note the first invariant that a step breaks, and what they need to remember for that.
import { type WatchedInvariant, isWatched } from "./latchkey-options.ts";
import { phases, refusedPhases, waitingPhases } from "./latchkey-phases.ts";
import {
  type LatchkeyState,
  broken,
  deliveries,
  holds,
  messages,
  records,
} from "./latchkey-state.ts";
import { changeOf, isSamePayload, numberOfEvent, replyOf } from "./latchkey-store-tables.ts";
import { assign, when } from "./system-builders.ts";
import {
  type Operand,
  and,
  atMost,
  differ,
  equal,
  greater,
  nobody,
  not,
  oneOf,
  or,
} from "./system-expressions.ts";
import type { Expression, Statement } from "./system-language.ts";

/** Notes the first invariant that breaks; the history ends there. */
export function breaks(state: LatchkeyState, invariant: WatchedInvariant): readonly Statement[] {
  return isWatched(state.options, invariant)
    ? [when(equal(state.broken, broken.of.nothing), [assign(state.broken, broken.of[invariant])])]
    : [];
}

function breaksIf(
  state: LatchkeyState,
  invariant: WatchedInvariant,
  test: Operand,
): readonly Statement[] {
  return isWatched(state.options, invariant) ? [when(test, breaks(state, invariant))] : [];
}

export function watchReserve(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  heard: Operand,
  said: Expression,
): readonly Statement[] {
  const { record, holder, releasedLast, attempts } = state;
  const is = (name: `RESERVE-${string}`) => equal(said, numberOfEvent(name));
  const another = and(
    differ(holder.at(key), nobody(attempts)),
    differ(holder.at(key), attempt),
    equal(isSamePayload(state, key, attempt), 1),
  );
  const refused = or(is("RESERVE-in-flight"), is("RESERVE-in-doubt"), is("RESERVE-duplicate"));
  const untrue = or(
    not(another),
    and(is("RESERVE-duplicate"), not(livesOn(state, key))),
    not(isSaidOfRecord(state, key, said)),
  );
  const ownPending = and(equal(record.at(key), records.of.pending), equal(holder.at(key), attempt));
  return [
    ...breaksIf(state, "truthful-refusal", and(heard, refused, untrue)),
    ...breaksIf(
      state,
      "mismatch",
      and(
        differ(holder.at(key), nobody(attempts)),
        equal(isSamePayload(state, key, attempt), 0),
        not(is("RESERVE-mismatch")),
      ),
    ),
    ...breaksIf(
      state,
      "record-blocks",
      and(
        differ(holder.at(key), nobody(attempts)),
        differ(holder.at(key), attempt),
        is("RESERVE-proceed"),
      ),
    ),
    ...breaksIf(state, "lost-replies-heal", and(ownPending, not(is("RESERVE-proceed")))),
    ...(releasedLast
      ? [
          ...breaksIf(
            state,
            "release-on-soft-fail",
            and(releasedLast.at(key), not(is("RESERVE-proceed"))),
          ),
          assign(releasedLast.at(key), false),
        ]
      : []),
  ];
}

/** Whether a refusal says of the record what it is: pending before its deadline, past it, committed. */
function isSaidOfRecord(state: LatchkeyState, key: Operand, said: Expression): Expression {
  const { record, endsIn, pending, options } = state;
  const isPending = equal(record.at(key), records.of.pending);
  const isPast = atMost(endsIn.at(key), Math.max(0, pending - options.times.deadline));
  const says = (name: `RESERVE-${string}`, truth: Operand) =>
    or(differ(said, numberOfEvent(name)), truth);
  return and(
    says("RESERVE-in-flight", and(isPending, not(isPast))),
    says("RESERVE-in-doubt", and(isPending, isPast)),
    // A policy with one word for all refusals says duplicate of a pending record too.
    options.policy.refusal === "uniform"
      ? true
      : says("RESERVE-duplicate", equal(record.at(key), records.of.committed)),
  );
}

/** Whether the effect of the record's holder happened or still may. */
function livesOn(state: LatchkeyState, key: Operand): Expression {
  const { holder, attempts, executed, phase, dispatches, message, slots } = state;
  const by = holder.at(key);
  const running = slots.map((slot) =>
    oneOf(slot.at(by), [deliveries.of.checking, deliveries.of.executing]),
  );
  return and(
    differ(by, nobody(attempts)),
    or(
      executed.at(by),
      oneOf(
        phase.at(by),
        [...waitingPhases, "executed" as const].map((name) => phases.of[name]),
      ),
      greater(dispatches.at(by), 0),
      ...(message ? [equal(message.at(by), messages.of.queued)] : []),
      ...running,
    ),
  );
}

export function watchAcceptance(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
): readonly Statement[] {
  const { hold, holdBy, holdFor, blocksFor, collidesFor, collidesBy } = state;
  const statements: Statement[] = [];
  if (hold && holdBy && holdFor) {
    const held = and(equal(hold.at(key), holds.of.open), greater(holdFor.at(key), 0));
    statements.push(
      ...breaksIf(state, "exclusion", held),
      ...breaksIf(state, "acceptance", greater(holdFor.at(key), 0)),
      assign(hold.at(key), holds.of.open),
      assign(holdBy.at(key), attempt),
      assign(holdFor.at(key), state.pending),
    );
  }
  if (blocksFor) {
    statements.push(...breaksIf(state, "committed-blocks", greater(blocksFor.at(key), 0)));
  }
  if (collidesFor && collidesBy) {
    statements.push(
      ...breaksIf(state, "collides-within-retention", greater(collidesFor.at(key), 0)),
      assign(collidesFor.at(key), state.options.times.retention),
      assign(collidesBy.at(key), attempt),
    );
  }
  return statements;
}

export function watchSettlement(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  reply: Expression,
  change: Expression,
): readonly Statement[] {
  const { holder, attempts } = state;
  return breaksIf(
    state,
    "ownership",
    and(
      differ(holder.at(key), nobody(attempts)),
      differ(holder.at(key), attempt),
      or(differ(reply, replyOf.stale), differ(change, changeOf.kept)),
    ),
  );
}

export function watchCommit(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  reply: Expression,
): readonly Statement[] {
  const { hold, holdBy, holdFor, blocksFor, releasedLast, record, holder } = state;
  const statements: Statement[] = [];
  if (hold && holdBy && holdFor) {
    // A commit that is repeated extends nothing; one that comes while another holds takes nothing from it.
    const counts = or(
      atMost(holdFor.at(key), 0),
      and(equal(holdBy.at(key), attempt), equal(hold.at(key), holds.of.open)),
    );
    statements.push(
      when(counts, [
        assign(hold.at(key), holds.of.committed),
        assign(holdBy.at(key), attempt),
        assign(holdFor.at(key), state.retention),
      ]),
    );
  }
  if (blocksFor) {
    const repeated = and(
      equal(record.at(key), records.of.committed),
      equal(holder.at(key), attempt),
    );
    statements.push(when(not(repeated), [assign(blocksFor.at(key), state.retention)]));
  }
  if (releasedLast) statements.push(assign(releasedLast.at(key), false));
  return statements.length === 0 ? [] : [when(equal(reply, replyOf.done), statements)];
}

export function watchRelease(
  state: LatchkeyState,
  key: Operand,
  attempt: Expression,
  reply: Expression,
): readonly Statement[] {
  const { hold, holdBy, holdFor, collidesFor, collidesBy, releasedLast, record, holder } = state;
  const statements: Statement[] = [];
  if (hold && holdBy && holdFor) {
    statements.push(
      when(equal(holdBy.at(key), attempt), [
        assign(hold.at(key), holds.of.none),
        assign(holdBy.at(key), nobody(state.attempts)),
        assign(holdFor.at(key), 0),
      ]),
    );
  }
  if (collidesFor && collidesBy) {
    statements.push(
      when(equal(collidesBy.at(key), attempt), [
        assign(collidesFor.at(key), 0),
        assign(collidesBy.at(key), nobody(state.attempts)),
      ]),
    );
  }
  if (releasedLast) {
    statements.push(
      when(and(equal(record.at(key), records.of.pending), equal(holder.at(key), attempt)), [
        assign(releasedLast.at(key), true),
      ]),
    );
  }
  return statements.length === 0 ? [] : [when(equal(reply, replyOf.done), statements)];
}

/** Watches an effect: too close to another, without a reservation, or after a refusal. */
export function watchExecution(state: LatchkeyState, attempt: Expression): readonly Statement[] {
  const { quietFor, permitted, phase, options } = state;
  const unreserved = permitted ? permitted.at(attempt) : false;
  return [
    ...breaksIf(
      state,
      "fail-closed",
      or(unreserved, oneOf(phase.at(attempt), [phases.of.unavailable, phases.of.refused])),
    ),
    ...breaksIf(
      state,
      "truthful-answer",
      oneOf(
        phase.at(attempt),
        refusedPhases.map((name) => phases.of[name]),
      ),
    ),
    ...(quietFor
      ? [
          ...breaksIf(state, "execution", greater(quietFor, 0)),
          assign(quietFor, options.times.retention),
        ]
      : []),
  ];
}
