// The idempotency mutex in small: attempts, one key, one clock; the example of the language and the model that checkers are measured on.
import {
  always,
  arrayOver,
  assign,
  flag,
  memberOf,
  named,
  range,
  reachable,
  rule,
  scalar,
  scalarset,
  sometimes,
  system,
  when,
} from "./system-builders.ts";
import {
  and,
  atLeast,
  atMost,
  choose,
  count,
  differ,
  equal,
  every,
  less,
  nobody,
  not,
  oneOf,
  or,
  plus,
  some,
  type Operand,
} from "./system-expressions.ts";
import type { Expression, IndexSet, System } from "./system-language.ts";

/** The bounds and the switches of the mutex; times are ticks of its one clock. */
export interface MutexOptions {
  readonly attempts: number;
  /** The clock stops here; the larger, the more states. */
  readonly horizon: number;
  /** τ: how long a committed record blocks. */
  readonly retention: number;
  /** D: how long after its acceptance an effect may still happen. */
  readonly deadline: number;
  /** How long a reservation blocks that nobody settles; safe from D + τ on. */
  readonly pendingTime: number;
  /** Off: a commit or a release is obeyed whoever sends it, as the published mutex did. */
  readonly ownerTokens: boolean;
}

export const smallMutex: MutexOptions = {
  attempts: 3,
  horizon: 6,
  retention: 2,
  deadline: 1,
  pendingTime: 4,
  ownerTokens: true,
};

const Phase = named("phase", [
  "idle",
  "called",
  "holding",
  "executed",
  "failed",
  "settled",
  "refused",
]);
const Key = named("key", ["absent", "pending", "committed"]);

export function exampleMutex(options: MutexOptions): System {
  const attempts = scalarset("attempt", options.attempts);
  const state = variables(attempts, options);
  return system({
    name: "example-mutex",
    indexSets: [attempts],
    variables: Object.values(state),
    rules: [
      ...requestRules(attempts, state, options),
      ...settlementRules(attempts, state, options),
    ],
    properties: properties(attempts, state),
    end: every("a", attempts, (a) =>
      oneOf(state.phase.at(a), [Phase.of.settled, Phase.of.refused]),
    ),
  });
}

type State = ReturnType<typeof variables>;

function variables(
  attempts: IndexSet,
  { horizon, retention, deadline, pendingTime }: MutexOptions,
) {
  return {
    phase: arrayOver(attempts, "phase", Phase),
    /** Until when the attempt's effect may happen; 0 unless it holds. */
    effectBy: arrayOver(attempts, "effectBy", range(horizon + deadline)),
    key: scalar("key", Key),
    holder: scalar("holder", memberOf(attempts, "nobody")),
    /** When the record's time is over; 0 without a record. */
    endsAt: scalar("endsAt", range(horizon + Math.max(retention, pendingTime))),
    clock: scalar("clock", range(horizon)),
    /** Until when another execution would break the claim; 0 before the first. */
    quietUntil: scalar("quietUntil", range(horizon + retention)),
    executedTwice: scalar("executedTwice", flag),
  };
}

function requestRules(attempts: IndexSet, state: State, options: MutexOptions) {
  const { phase, effectBy, key, holder, endsAt, clock, quietUntil, executedTwice } = state;
  const free = or(equal(key, Key.of.absent), atMost(endsAt, clock));
  return [
    rule("call", { a: attempts }, ({ a }) => ({
      guard: equal(phase.at(a), Phase.of.idle),
      body: [assign(phase.at(a), Phase.of.called)],
      tells: { actor: "attempt {a}", action: "call", detail: "sends its reserve" },
    })),
    rule("reserve", { a: attempts }, ({ a }) => ({
      guard: equal(phase.at(a), Phase.of.called),
      body: [
        when(
          free,
          [
            assign(key, Key.of.pending),
            assign(holder, a),
            assign(endsAt, plus(clock, options.pendingTime)),
            assign(effectBy.at(a), plus(clock, options.deadline)),
            assign(phase.at(a), Phase.of.holding),
          ],
          [assign(phase.at(a), Phase.of.refused)],
        ),
      ],
      tells: { actor: "store", action: "reserve", detail: "attempt {a} is {phase[a]'}" },
    })),
    rule("execute", { a: attempts }, ({ a }) => ({
      guard: and(equal(phase.at(a), Phase.of.holding), atMost(clock, effectBy.at(a))),
      body: [
        when(less(clock, quietUntil), [assign(executedTwice, true)]),
        assign(quietUntil, plus(clock, options.retention)),
        assign(effectBy.at(a), 0),
        assign(phase.at(a), Phase.of.executed),
      ],
      tells: { actor: "downstream", action: "execute", detail: "for attempt {a}, at {clock}" },
    })),
    rule("fail", { a: attempts }, ({ a }) => ({
      guard: equal(phase.at(a), Phase.of.holding),
      body: [assign(effectBy.at(a), 0), assign(phase.at(a), Phase.of.failed)],
      tells: { actor: "downstream", action: "fail", detail: "attempt {a} failed definitely" },
    })),
  ];
}

function settlementRules(attempts: IndexSet, state: State, options: MutexOptions) {
  const { phase, key, holder, endsAt, clock } = state;
  const owns = (a: Expression): Operand =>
    or(not(options.ownerTokens), and(equal(key, Key.of.pending), equal(holder, a)));
  const erase = [assign(key, Key.of.absent), assign(holder, nobody(attempts)), assign(endsAt, 0)];
  return [
    rule("commit", { a: attempts }, ({ a }) => ({
      guard: equal(phase.at(a), Phase.of.executed),
      body: [
        when(or(equal(key, Key.of.absent), owns(a)), [
          assign(key, Key.of.committed),
          assign(holder, a),
          assign(endsAt, plus(clock, options.retention)),
        ]),
        assign(phase.at(a), Phase.of.settled),
      ],
      tells: { actor: "store", action: "commit", detail: "of attempt {a}: the key is {key'}" },
    })),
    rule("release", { a: attempts }, ({ a }) => ({
      guard: equal(phase.at(a), Phase.of.failed),
      body: [when(owns(a), erase), assign(phase.at(a), Phase.of.settled)],
      tells: { actor: "store", action: "release", detail: "of attempt {a}: the key is {key'}" },
    })),
    rule("reclaim", {}, () => ({
      guard: and(differ(key, Key.of.absent), atMost(endsAt, clock)),
      body: erase,
      tells: { actor: "store", action: "reclaim", detail: "the record of {holder} is over" },
    })),
    rule("tick", {}, () => ({
      guard: less(clock, options.horizon),
      body: [assign(clock, plus(clock, 1))],
      tells: { actor: "clock", action: "tick", detail: "{clock} to {clock'}" },
    })),
  ];
}

function properties(
  attempts: IndexSet,
  { phase, key, holder, clock, endsAt, executedTwice }: State,
) {
  const refused = some("a", attempts, (a) => equal(phase.at(a), Phase.of.refused));
  return [
    always("execution", "No two executions are less than τ apart.", not(executedTwice), "executed"),
    always(
      "record",
      "A record has a holder, and no other attempt is recorded.",
      choose(
        equal(key, Key.of.absent),
        equal(holder, nobody(attempts)),
        differ(holder, nobody(attempts)),
      ),
    ),
    sometimes("executed", "An execution happens.", oneExecuted(attempts, phase)),
    sometimes("refused", "An attempt is refused.", refused),
    sometimes(
      "two-executed",
      "Two attempts have executed and have not committed.",
      atLeast(
        count("a", attempts, (a) => equal(phase.at(a), Phase.of.executed)),
        2,
      ),
    ),
    reachable(
      "no-stuck-key",
      "The key can be free again.",
      or(equal(key, Key.of.absent), atMost(endsAt, clock)),
      "refused",
    ),
  ];
}

function oneExecuted(attempts: IndexSet, phase: State["phase"]): Expression {
  return some("a", attempts, (a) => equal(phase.at(a), Phase.of.executed));
}
