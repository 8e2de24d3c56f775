// How often and by whom effects may happen: execution, queue executes once, no late execution, fail closed.
import { attemptName, type Dispatched } from "./gateway-history.ts";
import { type GatewayFacts, type Placed, type Ruling, violation } from "./gateway-facts.ts";
import { hasInvalidKey, logicalRequestOf, quietMsOf } from "./gateway-requests.ts";

type Execution = Placed<Dispatched & { readonly atMs: number }>;

/**
 * No two executions of one logical request less than τ apart (W where the client sent no key).
 * Each violation also tells its way, so that a search can look for every way by itself.
 */
export function judgeExecution(facts: GatewayFacts): Ruling {
  const violations = facts.executions.flatMap((second, index) =>
    facts.executions.slice(0, index).flatMap((first) => {
      const request = facts.request(second.event.attempt);
      if (logicalRequestOf(facts.request(first.event.attempt)) !== logicalRequestOf(request)) {
        return [];
      }
      const gapMs = second.event.atMs - first.event.atMs;
      if (gapMs >= quietMsOf(request)) return [];
      const way = wayOf(facts, first, second);
      const explanation =
        `One request executes twice, ${gapMs} ms apart: by ${by(first)} and by ${by(second)} ` +
        `(${way.replace("-", " ")}).`;
      const places = [first.place, second.place];
      return [
        violation("execution", explanation, places),
        violation(`execution/${way}`, explanation, places),
      ];
    }),
  );
  return { exercised: facts.executions.length > 0, violations };
}

/** The known ways to execute twice (seed 000, its witnesses). */
const executionWays = [
  "unknown-outcome",
  "minute-boundary",
  "silent-downgrade",
  "redelivery",
  "doubled-call",
  "late-effect",
] as const;

function wayOf(
  facts: GatewayFacts,
  { place, event: first }: Execution,
  { event: second }: Execution,
): (typeof executionWays)[number] {
  if (first.key !== second.key) {
    return hasInvalidKey(facts.request(first.attempt)) ? "silent-downgrade" : "minute-boundary";
  }
  const isOneAttempt = first.attempt === second.attempt;
  if (isOneAttempt && first.viaQueue && second.viaQueue) return "redelivery";
  if (isOneAttempt && first.viaQueue === second.viaQueue) return "doubled-call";
  const reply = facts
    .of("reply")
    .find(
      ({ event, place: after }) =>
        event.by === first.by && event.call === "dispatch" && after > place,
    );
  return reply?.event.heard === "success" ? "late-effect" : "unknown-outcome";
}

/** The message of an attempt executes at most once, however often it is delivered. */
export function judgeQueue(facts: GatewayFacts): Ruling {
  const queued = facts.executions.filter(({ event }) => event.viaQueue);
  const violations = queued.flatMap((second, index) => {
    const first = queued
      .slice(0, index)
      .find(({ event }) => event.attempt === second.event.attempt);
    if (first === undefined) return [];
    const explanation = `The message of ${attemptName(second.event.attempt)} executes by ${by(first)} and again by ${by(second)}.`;
    return [violation("queue-executes-once", explanation, [first.place, second.place])];
  });
  return { exercised: facts.of("delivery").length > 0, violations };
}

/** A queued message does not execute after the deadline that it carries. */
export function judgeLateness(facts: GatewayFacts): Ruling {
  const deliveries = facts.of("dispatched").filter(({ event }) => event.viaQueue);
  const violations = deliveries.flatMap(({ place, event }) => {
    const { executed, downstreamMs, messageDeadlineMs } = event;
    if (!executed || messageDeadlineMs === null || downstreamMs < messageDeadlineMs) return [];
    const lateMs = downstreamMs - messageDeadlineMs;
    const explanation = `The message of ${attemptName(event.attempt)} executes ${lateMs} ms after its last moment.`;
    return [violation("no-late-execution", explanation, [place])];
  });
  const isLate = facts.of("delivery").some(({ event }) => event.late);
  return { exercised: isLate, violations };
}

/**
 * No execution without an acceptance of the same attempt before it; a store that stays silent at
 * reserve means 503 and no execution, ever; a forged request reaches nothing.
 */
export function judgeFailClosed(facts: GatewayFacts): Ruling {
  const violations = facts.executions.flatMap(({ place, event }) => {
    const accepted = facts.storeAnswers.some(
      (answer) =>
        answer.place < place &&
        answer.event.attempt === event.attempt &&
        (answer.event.answer === "proceed" || answer.event.after?.token === answer.event.token),
    );
    const explanation = `${attemptName(event.attempt)} executes, and no reserve of it was ever accepted.`;
    return accepted ? [] : [violation("fail-closed", explanation, [place])];
  });
  const unserved = facts.history.requests.map((_, attempt) => judgeUnserved(facts, attempt));
  const forged = facts.history.requests.map((_, attempt) => judgeForged(facts, attempt));
  return {
    exercised: [...unserved, ...forged].some(({ exercised }) => exercised),
    violations: [...violations, ...[...unserved, ...forged].flatMap((each) => each.violations)],
  };
}

function judgeUnserved(facts: GatewayFacts, attempt: number): Ruling {
  const replies = facts
    .of("reply")
    .filter(({ event }) => event.attempt === attempt && event.call === "reserve");
  const isServed = replies.some(
    ({ event }) => event.heard !== "silence" && event.heard !== "unavailable",
  );
  const response = facts.responseTo(attempt);
  if (replies.length === 0 || isServed) return { exercised: false, violations: [] };
  const name = attemptName(attempt);
  const places = replies.map(({ place }) => place);
  const [execution] = facts.executionsBy(attempt);
  const executed =
    execution === undefined
      ? []
      : [
          violation("fail-closed", `${name} executes, and no reserve of it was answered.`, [
            ...places,
            execution.place,
          ]),
        ];
  const { status, code } = response?.event ?? { status: 503, code: "IDEMPOTENCY_UNAVAILABLE" };
  const told =
    status === 503 && code === "IDEMPOTENCY_UNAVAILABLE"
      ? []
      : [
          violation(
            "fail-closed",
            `${name} is told ${status} ${code}, and no reserve of it was answered.`,
            places,
          ),
        ];
  return { exercised: response !== null, violations: [...executed, ...told] };
}

function judgeForged(facts: GatewayFacts, attempt: number): Ruling {
  const response = facts.responseTo(attempt);
  if (facts.request(attempt).bearer !== "forged" || response === null) {
    return { exercised: false, violations: [] };
  }
  const name = attemptName(attempt);
  const call = facts.of("call").find(({ event }) => event.attempt === attempt);
  const { status, code } = response.event;
  return {
    exercised: true,
    violations: [
      ...(call === undefined
        ? []
        : [
            violation("fail-closed", `${name} is forged and reaches ${call.event.call}.`, [
              call.place,
            ]),
          ]),
      ...(status === 403 && code === "NOT_AUTHENTICATED"
        ? []
        : [
            violation("fail-closed", `${name} is forged and is told ${status} ${code}.`, [
              response.place,
            ]),
          ]),
    ],
  };
}

function by({ event }: Execution): string {
  return event.viaQueue ? `${event.by} of ${attemptName(event.attempt)}` : event.by;
}
