// The variables of the system: what a state remembers, and what it has no need to.
import { blockingTimes } from "../../model/policy.ts";
import {
  budgetOf,
  faults,
  hasQueue,
  isWatched,
  keyCount,
  watchedInvariants,
  type Fault,
  type LatchkeyOptions,
  type WatchedInvariant,
} from "./latchkey-options.ts";
import { phases } from "./latchkey-phases.ts";
import {
  arrayOver,
  assign,
  flag,
  memberOf,
  named,
  places,
  range,
  scalar,
  scalarset,
  type Indexed,
  type Scalar,
} from "./system-builders.ts";
import { greater, minus, type Operand } from "./system-expressions.ts";
import type { Expression, IndexSet, Statement } from "./system-language.ts";

export const records = named("record", ["absent", "pending", "committed"]);
export const holds = named("hold", ["none", "open", "committed"]);
export const messages = named("message", ["none", "queued", "acked", "dead-lettered"]);
export const deliveries = named("delivery", ["none", "checking", "executing", "finished"]);
export const claims = named("claim", ["nobody", "first", "second"]);
export const broken = named("broken", [
  "nothing",
  ...(Object.keys(watchedInvariants) as WatchedInvariant[]),
]);

/**
 * A state has no clock. Every moment that can still matter is a countdown in ticks that stops at 0:
 * nothing in the protocol compares anything but the time left until one of them. A countdown on the
 * store's clock also loses what that clock jumps. Fields that can matter no more are 0.
 */
export interface LatchkeyState {
  readonly options: LatchkeyOptions;
  readonly attempts: IndexSet;
  readonly keys: IndexSet;
  readonly pending: number;
  readonly retention: number;

  // Of an attempt.
  readonly phase: Indexed;
  /** The logical request: true is the other payload, or the other request. */
  readonly other: Indexed | null;
  readonly keyOf: Indexed | null;
  /** Calls under way, of each kind. */
  readonly reserves: Indexed;
  readonly dispatches: Indexed;
  readonly commits: Indexed;
  readonly releases: Indexed;
  /** The fence that its dispatches carry; 0 without one. */
  readonly fence: Indexed | null;
  /** How long downstream, by its slowest clock, still lets its effect through: ε + 1 more than the time left until its deadline. */
  readonly effectBy: Indexed | null;
  /** Downstream has checked the deadline and not acted yet (ablation: deciding and acting are two steps). */
  readonly checked: Indexed | null;
  readonly executed: Indexed;
  /** Dispatched or enqueued although no reserve of it was accepted (the paper's fail-open). */
  readonly permitted: Indexed | null;
  /** A `proceed` is under way to an attempt that gave its token up (ablation: it is obeyed). */
  readonly lateProceed: Indexed | null;
  readonly message: Indexed | null;
  readonly slots: readonly Indexed[];
  readonly marked: Indexed | null;

  // Of a key, at the store and downstream.
  readonly record: Indexed;
  readonly holder: Indexed;
  /** The time left until the record's end; 0 without one: an ended record is forgotten at once. */
  readonly endsIn: Indexed;
  readonly claimedBy: Indexed | null;
  readonly lastFence: Indexed | null;
  readonly seenFence: Indexed | null;

  // Observers: they watch and change nothing.
  readonly broken: Scalar;
  /** The last acceptance: not settled, committed, or (none) released. */
  readonly hold: Indexed | null;
  readonly holdBy: Indexed | null;
  readonly holdFor: Indexed | null;
  /** How long the last commit answered done has to block still. */
  readonly blocksFor: Indexed | null;
  /** How long ago τ still reaches back to the last acceptance that was not released. */
  readonly collidesFor: Indexed | null;
  readonly collidesBy: Indexed | null;
  /** Until when another execution would break the claim, in real time. */
  readonly quietFor: Scalar | null;
  readonly releasedLast: Indexed | null;

  readonly bucket: Scalar | null;
  readonly jumpsLeft: Scalar | null;
  readonly budgets: Readonly<Partial<Record<Fault, Scalar>>>;
}

/** `isUnreservedPossible`: by the gateway's table some attempt goes on without a reservation. */
export function createState(
  options: LatchkeyOptions,
  isUnreservedPossible: boolean,
): LatchkeyState {
  const attempts = scalarset("attempt", options.attempts);
  const keys = places("key", keyCount(options));
  const { policy, times } = options;
  const blocking = blockingTimes(policy, {
    retentionMs: times.retention,
    deadlineMs: times.deadline,
    lagMs: times.lag,
    jumpMs: times.jump,
  });
  const longest = Math.max(blocking.pendingMs, blocking.retentionMs);
  const base = {
    options,
    attempts,
    keys,
    pending: blocking.pendingMs,
    retention: blocking.retentionMs,
  };
  return {
    ...base,
    ...attemptVariables(options, attempts, keys),
    permitted: isUnreservedPossible ? arrayOver(attempts, "permitted", flag) : null,
    ...keyVariables(options, attempts, keys, longest),
    ...observers(options, attempts, keys, longest),
    bucket: keys.size > 1 ? scalar("bucket", range(1)) : null,
    jumpsLeft: times.jump > 0 ? scalar("jumpsLeft", range(times.jump), times.jump) : null,
    budgets: budgetVariables(options),
  };
}

function attemptVariables(options: LatchkeyOptions, attempts: IndexSet, keys: IndexSet) {
  const { policy, times } = options;
  const budget = budgetOf(options, "duplicate");
  const copies = budget === "any" ? 1 : budget;
  const inFlight = (name: string, most: number) => arrayOver(attempts, name, range(most));
  const fenced = policy.downstreamFence !== "none";
  const queue = hasQueue(options);
  const obeys = policy.lateProceed === "obey";
  return {
    phase: arrayOver(attempts, "phase", phases),
    other: budgetOf(options, "otherPayload") === 0 ? null : arrayOver(attempts, "other", flag),
    keyOf: keys.size > 1 ? arrayOver(attempts, "keyOf", range(1)) : null,
    reserves: inFlight("reserves", policy.reserveTries + copies),
    dispatches: inFlight("dispatches", 1 + copies + (queue ? 2 : 0) + (obeys ? 1 : 0)),
    commits: inFlight("commits", 1 + copies + (queue ? 2 : 0) + (obeys ? 1 : 0)),
    releases: inFlight(
      "releases",
      1 + copies + (queue ? 2 : 0) + (policy.deadTokens ? 0 : 1) + (obeys ? 1 : 0),
    ),
    fence: fenced ? arrayOver(attempts, "fence", range(mostFences(options))) : null,
    effectBy:
      policy.downstreamDeadline === "none"
        ? null
        : arrayOver(attempts, "effectBy", range(times.deadline + times.lag + 1)),
    checked:
      policy.downstreamDeadline === "check-then-act" ? arrayOver(attempts, "checked", flag) : null,
    executed: arrayOver(attempts, "executed", flag),
    lateProceed: obeys ? arrayOver(attempts, "lateProceed", flag) : null,
    message: queue ? arrayOver(attempts, "message", messages) : null,
    slots: queue
      ? [
          arrayOver(attempts, "firstDelivery", deliveries),
          arrayOver(attempts, "secondDelivery", deliveries),
        ]
      : [],
    marked:
      queue && policy.consumerGuard === "presence-mark"
        ? arrayOver(attempts, "marked", flag)
        : null,
  };
}

/** Each reserve that is served can be an acceptance: there are no more fences than that. */
function mostFences(options: LatchkeyOptions): number {
  const copies = budgetOf(options, "duplicate");
  return (
    options.attempts * options.policy.reserveTries + (copies === "any" ? options.attempts : copies)
  );
}

function keyVariables(
  options: LatchkeyOptions,
  attempts: IndexSet,
  keys: IndexSet,
  longest: number,
) {
  const fenced = options.policy.downstreamFence !== "none";
  const fence = (name: string) =>
    fenced ? arrayOver(keys, name, range(mostFences(options))) : null;
  return {
    record: arrayOver(keys, "record", records),
    holder: arrayOver(keys, "holder", memberOf(attempts, "nobody")),
    endsIn: arrayOver(keys, "endsIn", range(longest)),
    claimedBy:
      hasQueue(options) && options.policy.consumerGuard !== "presence-mark"
        ? arrayOver(keys, "claimedBy", claims)
        : null,
    lastFence: fence("lastFence"),
    seenFence: fence("seenFence"),
  };
}

function observers(options: LatchkeyOptions, attempts: IndexSet, keys: IndexSet, longest: number) {
  const watches = (...any: readonly WatchedInvariant[]) =>
    any.some((invariant) => isWatched(options, invariant));
  const { retention } = options.times;
  const countdown = (name: string, max: number) => arrayOver(keys, name, range(max));
  const member = (name: string) => arrayOver(keys, name, memberOf(attempts, "nobody"));
  const holding = watches("acceptance", "exclusion");
  const colliding = watches("collides-within-retention");
  return {
    broken: scalar("broken", broken),
    hold: holding ? arrayOver(keys, "hold", holds) : null,
    holdBy: holding ? member("holdBy") : null,
    holdFor: holding ? countdown("holdFor", longest) : null,
    blocksFor: watches("committed-blocks") ? countdown("blocksFor", longest) : null,
    collidesFor: colliding ? countdown("collidesFor", retention) : null,
    collidesBy: colliding ? member("collidesBy") : null,
    quietFor: watches("execution") ? scalar("quietFor", range(retention)) : null,
    releasedLast: watches("release-on-soft-fail") ? arrayOver(keys, "releasedLast", flag) : null,
  };
}

function budgetVariables(options: LatchkeyOptions): Partial<Record<Fault, Scalar>> {
  const variables: Partial<Record<Fault, Scalar>> = {};
  for (const fault of Object.keys(faults) as Fault[]) {
    const budget = budgetOf(options, fault);
    if (budget !== "any" && budget > 0) {
      variables[fault] = scalar(`${fault}Left`, range(budget), budget);
    }
  }
  return variables;
}

/** Whether the fault may happen (again), and what it costs; null where it never may. */
export function faultOf(
  state: LatchkeyState,
  fault: Fault,
): { readonly left: Operand; readonly spend: readonly Statement[] } | null {
  const left = state.budgets[fault];
  if (left) return { left: greater(left, 0), spend: [assign(left, minus(left, 1))] };
  return budgetOf(state.options, fault) === "any" ? { left: true, spend: [] } : null;
}

/** The key of an attempt, as an index. */
export function keyOfAttempt(state: LatchkeyState, attempt: Expression): Operand {
  return state.keyOf ? state.keyOf.at(attempt) : 0;
}

/** Every variable of the state, in the order in which a state is printed. */
export function variablesOf(state: LatchkeyState): (Scalar | Indexed)[] {
  const { options: _o, attempts: _a, keys: _k, pending: _p, retention: _r, ...rest } = state;
  const { slots, budgets, ...single } = rest;
  return [...Object.values(single), ...slots, ...Object.values(budgets)].filter(
    (each) => each !== null,
  );
}
