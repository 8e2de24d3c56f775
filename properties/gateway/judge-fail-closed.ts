// Whether anything executes without leave: fail closed where the store does not answer, forged requests.
import { attemptName } from "./gateway-history.ts";
import { type GatewayFacts, type Ruling, violation } from "./gateway-facts.ts";

/**
 * No execution without an acceptance of the same attempt before it; a store that stays silent at
 * reserve means 503 and no execution, ever.
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
  return {
    exercised: unserved.some(({ exercised }) => exercised),
    violations: [...violations, ...unserved.flatMap((each) => each.violations)],
  };
}

/** A forged request reaches nothing. */
export function judgeForgeries(facts: GatewayFacts): Ruling {
  const forged = facts.history.requests.map((_, attempt) => judgeForged(facts, attempt));
  return {
    exercised: forged.some(({ exercised }) => exercised),
    violations: forged.flatMap(({ violations }) => violations),
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
            violation(
              "forged-never-executes",
              `${name} is forged and reaches ${call.event.call}.`,
              [call.place],
            ),
          ]),
      ...(status === 403 && code === "NOT_AUTHENTICATED"
        ? []
        : [
            violation("forged-never-executes", `${name} is forged and is told ${status} ${code}.`, [
              response.place,
            ]),
          ]),
    ],
  };
}
