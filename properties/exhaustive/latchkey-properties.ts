// What is claimed of the system: each watched invariant, and the situation without which it would be vacuous.
import { isWatched, watchedInvariants, type WatchedInvariant } from "./latchkey-options.ts";
import { phases, refusedPhases, type Phase } from "./latchkey-phases.ts";
import {
  broken,
  deliveries,
  keyOfAttempt,
  messages,
  records,
  type LatchkeyState,
} from "./latchkey-state.ts";
import { always, reachable, sometimes } from "./system-builders.ts";
import {
  and,
  differ,
  equal,
  every,
  greater,
  nobody,
  not,
  oneOf,
  or,
  some,
  type Operand,
} from "./system-expressions.ts";
import type { Expression, Property } from "./system-language.ts";

export function propertiesOf(state: LatchkeyState): readonly Property[] {
  const situations = situationsOf(state);
  const claims = (Object.keys(watchedInvariants) as WatchedInvariant[])
    .filter((invariant) => isWatched(state.options, invariant))
    .map((invariant) => claimOf(state, invariant));
  const named = new Set(claims.flatMap(({ exercisedBy }) => exercisedBy ?? []));
  return [...claims, ...situations.filter(({ id }) => named.has(id))];
}

type Situation = keyof typeof situationStatements;

const situationStatements = {
  executed: "An attempt executes.",
  "accepted-again": "A key is reserved while an earlier attempt that held it has ended.",
  refused: "An attempt is refused because of a record.",
  blocked: "An attempt asks while a record blocks.",
  committed: "An attempt asks while a commit that was answered done has to block.",
  released: "An attempt asks for a key that its holder has just released.",
  "told-failure": "An attempt was told that it failed.",
  unavailable: "An attempt is told that the store is unavailable.",
  "strange-settlement": "A commit or release is under way while another's record blocks.",
  "told-nothing-happened": "An attempt is told that nothing happened.",
  "told-success": "An attempt is told 2xx.",
  "other-payload": "Two payloads meet under one key.",
  "asked-again": "A reserve is under way while its own reservation is pending.",
  "two-keyed": "Two attempts have started under keys that the gateway made.",
  "two-requests": "Two different requests have come.",
  "turned-away": "A request is turned away before the store is asked.",
} as const;

const exercisedBy: Readonly<Record<WatchedInvariant, Situation>> = {
  acceptance: "accepted-again",
  execution: "executed",
  exclusion: "accepted-again",
  "committed-blocks": "committed",
  "release-on-soft-fail": "released",
  "fail-closed": "unavailable",
  ownership: "strange-settlement",
  "truthful-refusal": "refused",
  "truthful-answer": "told-nothing-happened",
  "nothing-lost": "told-success",
  mismatch: "other-payload",
  "lost-replies-heal": "asked-again",
  "one-request-one-key": "two-keyed",
  isolation: "two-requests",
  "collides-within-retention": "blocked",
  "failed-may-retry": "told-failure",
  "record-blocks": "blocked",
  "forged-never-executes": "turned-away",
  "no-stuck-key": "blocked",
};

function claimOf(state: LatchkeyState, invariant: WatchedInvariant): Property {
  const statement = watchedInvariants[invariant];
  const by = exercisedBy[invariant];
  if (invariant === "no-stuck-key") {
    const free = every("k", state.keys, (k) => equal(state.record.at(k), records.of.absent));
    return reachable(invariant, statement, or(free, differ(state.broken, broken.of.nothing)), by);
  }
  const unbroken = differ(state.broken, broken.of[invariant]);
  return always(invariant, statement, and(unbroken, ...stateClaim(state, invariant)), by);
}

/** Claims that a state shows by itself, beside what the observers note on the way. */
function stateClaim(state: LatchkeyState, invariant: WatchedInvariant): readonly Operand[] {
  const { attempts, phase, executed, message, slots, dispatches, releases, record, holder } = state;
  const each = (body: (a: Expression) => Operand) => [every("b", attempts, body)];
  switch (invariant) {
    case "truthful-answer":
      return each((a) => not(and(executed.at(a), isIn(state, a, refusedPhases))));
    case "nothing-lost":
      return each((a) =>
        or(
          not(equal(phase.at(a), phases.of.queued)),
          executed.at(a),
          greater(dispatches.at(a), 0),
          ...(message
            ? [oneOf(message.at(a), [messages.of.queued, messages.of["dead-lettered"]])]
            : []),
          ...slots.map((slot) =>
            oneOf(slot.at(a), [deliveries.of.checking, deliveries.of.executing]),
          ),
        ),
      );
    case "failed-may-retry":
      return each((a) =>
        not(
          and(
            equal(phase.at(a), phases.of.failed),
            equal(releases.at(a), 0),
            equal(record.at(keyOfAttempt(state, a)), records.of.pending),
            equal(holder.at(keyOfAttempt(state, a)), a),
          ),
        ),
      );
    case "forged-never-executes":
      return each((a) =>
        or(
          differ(phase.at(a), phases.of.refused),
          and(equal(state.reserves.at(a), 0), equal(dispatches.at(a), 0), not(executed.at(a))),
        ),
      );
    case "record-blocks":
    case "acceptance":
    case "execution":
    case "exclusion":
    case "committed-blocks":
    case "release-on-soft-fail":
    case "fail-closed":
    case "ownership":
    case "truthful-refusal":
    case "mismatch":
    case "lost-replies-heal":
    case "one-request-one-key":
    case "isolation":
    case "collides-within-retention":
    case "no-stuck-key":
      return [];
  }
}

function isIn(state: LatchkeyState, a: Expression, names: readonly Phase[]): Expression {
  return oneOf(
    state.phase.at(a),
    names.map((name) => phases.of[name]),
  );
}

function situationsOf(state: LatchkeyState): readonly Property[] {
  const { attempts, phase, record, holder, reserves, commits, releases, other } = state;
  const { blocksFor, releasedLast } = state;
  const isKnown = (a: Expression) => differ(phase.at(a), phases.of.idle);
  const hasKey = (a: Expression) => and(isKnown(a), differ(phase.at(a), phases.of.refused));
  const anybody = (body: (a: Expression) => Operand) => some("b", attempts, body);
  const key = (a: Expression) => keyOfAttempt(state, a);
  const another = (a: Expression) =>
    and(differ(holder.at(key(a)), nobody(attempts)), differ(holder.at(key(a)), a));
  const predicates: Readonly<Record<Situation, Operand>> = {
    executed: anybody((a) => or(state.executed.at(a), equal(phase.at(a), phases.of.executed))),
    "accepted-again": anybody((a) =>
      and(
        another(a),
        equal(record.at(key(a)), records.of.pending),
        isIn(state, a, ["executed", "failed", "unknown", "queued"]),
      ),
    ),
    refused: anybody((a) => isIn(state, a, ["in-flight", "in-doubt", "duplicate"])),
    blocked: anybody((a) => and(another(a), greater(reserves.at(a), 0))),
    committed: blocksFor
      ? anybody((a) => and(greater(blocksFor.at(key(a)), 0), greater(reserves.at(a), 0)))
      : false,
    released: releasedLast
      ? anybody((a) => and(releasedLast.at(key(a)), greater(reserves.at(a), 0)))
      : false,
    "told-failure": anybody((a) => equal(phase.at(a), phases.of.failed)),
    unavailable: anybody((a) => equal(phase.at(a), phases.of.unavailable)),
    "strange-settlement": anybody((a) =>
      and(another(a), or(greater(commits.at(a), 0), greater(releases.at(a), 0))),
    ),
    "told-nothing-happened": anybody((a) => isIn(state, a, refusedPhases)),
    "told-success": anybody((a) => isIn(state, a, ["executed", "queued"])),
    "other-payload": other
      ? anybody((a) =>
          and(
            differ(holder.at(key(a)), nobody(attempts)),
            differ(other.at(holder.at(key(a))), other.at(a)),
            greater(reserves.at(a), 0),
          ),
        )
      : false,
    "asked-again": anybody((a) =>
      and(
        equal(holder.at(key(a)), a),
        equal(record.at(key(a)), records.of.pending),
        greater(reserves.at(a), 0),
      ),
    ),
    "two-keyed": some("b", attempts, (b) =>
      some("c", attempts, (c) => and(differ(b, c), hasKey(b), hasKey(c))),
    ),
    "two-requests": other
      ? some("b", attempts, (b) =>
          some("c", attempts, (c) => and(differ(other.at(b), other.at(c)), isKnown(b), isKnown(c))),
        )
      : false,
    "turned-away": anybody((a) => equal(phase.at(a), phases.of.refused)),
  };
  return (Object.keys(predicates) as Situation[]).map((id) =>
    sometimes(id, situationStatements[id], predicates[id]),
  );
}
