// The steps of the attempts: they start, call the store, get its answers or none, stop.
import { type EventName, type PhaseStep, phases } from "./latchkey-phases.ts";
import { type LatchkeyState, faultOf } from "./latchkey-state.ts";
import {
  type Parts,
  attemptRule,
  duplicateRule,
  eventOf,
  faultRule,
  forgetAttempt,
  isWaiting,
  tell,
} from "./latchkey-steps.ts";
import { breaks } from "./latchkey-observers.ts";
import { erase, serveCommit, serveRelease, serveReserve, takeProceed } from "./latchkey-store.ts";
import { type Indexed, assign, rule, when } from "./system-builders.ts";
import {
  and,
  differ,
  equal,
  greater,
  minus,
  nobody,
  not,
  oneOf,
  plus,
  some,
} from "./system-expressions.ts";
import type { Expression, Rule, Statement } from "./system-language.ts";

export function attemptRules(parts: Parts): readonly Rule[] {
  return [
    ...startRules(parts),
    ...reserveRules(parts),
    ...settlementRules(parts),
    ...faultRule(
      parts,
      "stop",
      "stop",
      (a) => isWaiting(parts.state, a),
      (a) => [assign(parts.state.phase.at(a), phases.of.stopped), ...forgetAttempt(parts.state, a)],
      {
        actor: "attempt {a}",
        action: "stop",
        detail: "stops, or its client goes away, while {phase[a]}",
      },
    ),
  ];
}

function startRules(parts: Parts): readonly Rule[] {
  const { state } = parts;
  const { options, bucket } = state;
  const idle = (a: Expression) => equal(state.phase.at(a), phases.of.idle);
  const { passed, refused } = parts.phase;
  const isOther = (a: Expression, other: boolean) =>
    state.other ? [assign(state.other.at(a), other)] : [];
  const refuse = (a: Expression) => [
    ...comesTo(state, a, refused),
    ...(refused.calls.length > 0 ? breaks(state, "forged-never-executes") : []),
  ];
  if (options.keys === "invalid-client" && options.policy.invalidKey === "refuse") {
    const tells = {
      actor: "attempt {a}",
      action: "refuse",
      detail: "its client key is not valid: 400",
    };
    const body = (other: boolean) => (a: Expression) => [...isOther(a, other), ...refuse(a)];
    return [
      attemptRule(parts, "start", idle, body(false), tells),
      ...faultRule(parts, "otherPayload", "start other", idle, body(true), tells),
    ];
  }
  const byMinute = options.policy.fingerprintKey === "minute-bucket";
  const start = (a: Expression, other: boolean): readonly Statement[] => [
    ...isOther(a, other),
    ...(state.keyOf && bucket ? [assign(state.keyOf.at(a), byMinute ? bucket : 0)] : []),
    ...comesTo(state, a, passed),
    ...watchKey(state, a),
  ];
  const under = bucket && byMinute ? " under the key of minute {bucket}" : "";
  return [
    attemptRule(parts, "start", idle, (a) => start(a, false), {
      actor: "attempt {a}",
      action: "start",
      detail: `is authenticated and admitted, and sends its reserve${under}`,
    }),
    ...faultRule(parts, "forged", "start forged", idle, refuse, {
      actor: "attempt {a}",
      action: "refuse",
      detail: "it is not authenticated: 403",
    }),
    ...faultRule(parts, "otherPayload", "start other", idle, (a) => start(a, true), {
      actor: "attempt {a}",
      action: "start",
      detail:
        options.keys === "client"
          ? "sends its reserve: the same key, another payload"
          : `another request of the same payload sends its reserve${under}`,
    }),
  ];
}

/** What the machine makes of a request at its gates: the phase, and a reserve where it sends one. */
function comesTo(state: LatchkeyState, a: Expression, step: PhaseStep): readonly Statement[] {
  return [
    assign(state.phase.at(a), phases.of[step.next]),
    ...(step.calls.includes("reserve")
      ? [assign(state.reserves.at(a), plus(state.reserves.at(a), 1))]
      : []),
  ];
}

/** One request, one key; and no key for two requests. */
function watchKey(state: LatchkeyState, a: Expression): readonly Statement[] {
  const { keyOf, other, attempts, phase, options } = state;
  if (options.keys === "client") return [];
  const different = other
    ? (b: Expression) => differ(other.at(a), other.at(b))
    : (_: Expression) => false;
  const started = (b: Expression) => and(differ(a, b), differ(phase.at(b), phases.of.idle));
  const sameKey = (b: Expression) => (keyOf ? equal(keyOf.at(a), keyOf.at(b)) : true);
  const split = some("b", attempts, (b) => and(started(b), not(different(b)), not(sameKey(b))));
  const shared = some("b", attempts, (b) => and(started(b), different(b), sameKey(b)));
  // Two requests with equal fingerprints are one request; two client keys are not.
  const clientKeys = options.keys === "invalid-client";
  return [
    when(split, breaks(state, "one-request-one-key")),
    ...(clientKeys ? [when(shared, breaks(state, "isolation"))] : []),
  ].filter((each) => each.kind !== "if" || each.then.length > 0);
}

/**
 * A reserve is served and answered in one step where the answer arrives at once: an answer that is
 * on its way while nobody gives up is the same as an attempt that pauses before its next call.
 */
function reserveRules(parts: Parts): readonly Rule[] {
  const { state } = parts;
  const { reserves, lateProceed } = state;
  const under = (a: Expression) => greater(reserves.at(a), 0);
  const waits = (a: Expression) =>
    oneOf(state.phase.at(a), [phases.of.reserving, phases.of["reserving-again"]]);
  const arrives = (a: Expression) => assign(reserves.at(a), minus(reserves.at(a), 1));
  const silent = (a: Expression) => tell(parts, a, ["RESERVE-unanswered"]);
  return [
    attemptRule(
      parts,
      "reserve",
      under,
      (a) => [
        arrives(a),
        ...serveReserve(state, parts.store, a, waits(a), (said) =>
          tell(parts, a, reserveReplies, said),
        ),
      ],
      { actor: "store", action: "reserve", detail: "attempt {a}: {phase[a]} becomes {phase[a]'}" },
    ),
    // Two copies are under way, and the answer to the other may come first.
    attemptRule(
      parts,
      "reserve, overtaken",
      (a) => and(greater(reserves.at(a), 1), waits(a)),
      (a) => [arrives(a), ...serveReserve(state, parts.store, a, false, () => [])],
      {
        actor: "store",
        action: "reserve",
        detail: "attempt {a}: the key is {record[0]'}, the answer to another copy will come first",
      },
    ),
    ...faultRule(
      parts,
      "lostReply",
      "reserve, reply lost",
      (a) => and(under(a), waits(a)),
      (a) => [
        arrives(a),
        ...serveReserve(state, parts.store, a, false, (said) =>
          lateProceed
            ? [
                when(equal(said, eventOf("RESERVE-proceed")), [
                  assign(lateProceed.at(a), true),
                  ...takeProceed(state, a),
                ]),
              ]
            : [],
        ),
        ...silent(a),
      ],
      {
        actor: "store",
        action: "reserve, reply lost",
        detail: "the key is {record[0]'}, attempt {a} hears nothing: {phase[a]'}",
      },
    ),
    ...faultRule(
      parts,
      "lostCall",
      "lose reserve",
      (a) => and(under(a), waits(a)),
      (a) => [arrives(a), ...silent(a)],
      {
        actor: "attempt {a}",
        action: "reserve, lost",
        detail: "it never reached the store: {phase[a]'}",
      },
    ),
    ...faultRule(parts, "delay", "give up reserve", (a) => and(under(a), waits(a)), silent, {
      actor: "attempt {a}",
      action: "give up",
      detail: "its reserve is still under way: {phase[a]'}",
    }),
    ...faultRule(
      parts,
      "storeUnavailable",
      "store unavailable",
      (a) => and(under(a), waits(a)),
      (a) => [arrives(a), ...tell(parts, a, ["RESERVE-unavailable"])],
      { actor: "store", action: "unavailable", detail: "attempt {a}: {phase[a]'}" },
    ),
    ...duplicateRule(parts, "reserve", reserves),
    ...lateProceedRules(parts),
  ];
}

const reserveReplies: readonly EventName[] = [
  "RESERVE-proceed",
  "RESERVE-in-flight",
  "RESERVE-in-doubt",
  "RESERVE-duplicate",
  "RESERVE-mismatch",
];

function lateProceedRules(parts: Parts): readonly Rule[] {
  const { lateProceed, phase } = parts.state;
  if (!lateProceed) return [];
  return [
    attemptRule(
      parts,
      "late proceed",
      (a) => and(lateProceed.at(a), equal(phase.at(a), phases.of.unavailable)),
      (a) => [
        assign(lateProceed.at(a), false),
        assign(parts.state.dispatches.at(a), plus(parts.state.dispatches.at(a), 1)),
        assign(phase.at(a), phases.of[parts.phase.step("unavailable", "RESERVE-proceed").next]),
      ],
      { actor: "attempt {a}", action: "late proceed", detail: "is obeyed: {phase[a]'}" },
    ),
  ];
}

/**
 * Commit and release are served at any time after they were sent, or never: nobody waits for their
 * answer, so that one under way for ever is one that was lost.
 */
function settlementRules(parts: Parts): readonly Rule[] {
  const { state, store } = parts;
  const { commits, releases } = state;
  const takes = (count: Indexed, a: Expression) => assign(count.at(a), minus(count.at(a), 1));
  const lost = (name: string, count: Indexed) =>
    faultRule(
      parts,
      "lostSettlement",
      `lose ${name}`,
      (a) => greater(count.at(a), 0),
      (a) => [takes(count, a), ...forgetAttempt(state, a)],
      { actor: `attempt {a}`, action: `${name}, lost`, detail: "it never reached the store" },
    );
  if (state.options.policy.phases === "one") return [];
  return [
    attemptRule(
      parts,
      "commit",
      (a) => greater(commits.at(a), 0),
      (a) => [takes(commits, a), ...serveCommit(state, store, a)],
      { actor: "store", action: "commit", detail: "of attempt {a}: the key is {record[0]'}" },
    ),
    attemptRule(
      parts,
      "release",
      (a) => greater(releases.at(a), 0),
      (a) => [takes(releases, a), ...serveRelease(state, store, a)],
      { actor: "store", action: "release", detail: "of attempt {a}: the key is {record[0]'}" },
    ),
    ...lost("commit", commits),
    ...lost("release", releases),
    ...duplicateRule(parts, "commit", commits),
    ...duplicateRule(parts, "release", releases),
    ...amnesiaRule(parts),
  ];
}

function amnesiaRule({ state }: Parts): readonly Rule[] {
  const chance = faultOf(state, "amnesia");
  if (!chance) return [];
  return [
    rule("amnesia", { k: state.keys }, ({ k }) => ({
      guard: and(chance.left, differ(state.holder.at(k), nobody(state.attempts))),
      body: [...chance.spend, ...erase(state, k)],
      tells: { actor: "store", action: "forget", detail: "the store forgets what it answered" },
    })),
  ];
}
