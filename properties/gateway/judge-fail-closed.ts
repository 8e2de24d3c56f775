// Whether anything executes without leave: fail closed where the store does not answer, forged requests.
import { answers } from "../../model/gateway-answers.ts";
import type { Violation } from "../results.ts";
import { attemptName } from "./gateway-history.ts";
import { type GatewayFacts, type Ruling, violation } from "./gateway-facts.ts";
import { policyOf } from "./judge-acceptance.ts";

/**
 * No execution without an acceptance of the same attempt before it, of the key that it executes
 * for and not given up again; a store that stays silent at reserve means 503 and no execution, ever,
 * and only such a store means 503.
 */
export function judgeFailClosed(facts: GatewayFacts): Ruling {
  const violations = facts.executions.flatMap((execution) => {
    const fault = faultOfExecution(facts, execution);
    const explanation = `${attemptName(execution.event.attempt)} executes, and ${fault}.`;
    return fault === null ? [] : [violation("fail-closed", explanation, [execution.place])];
  });
  const unserved = facts.history.requests.map((_, attempt) => judgeUnserved(facts, attempt));
  return {
    exercised: unserved.some(({ exercised }) => exercised),
    violations: [...violations, ...unserved.flatMap((each) => each.violations)],
  };
}

/** Why the attempt had no leave to execute; null where it had. */
function faultOfExecution(
  facts: GatewayFacts,
  { place, event }: GatewayFacts["executions"][number],
): string | null {
  const acceptances = facts.storeAnswers.filter(
    (answer) =>
      answer.place < place &&
      answer.event.attempt === event.attempt &&
      answer.event.call === "reserve" &&
      (answer.event.answer === "proceed" || answer.event.after?.token === answer.event.token),
  );
  if (acceptances.length === 0) return "no reserve of it was ever accepted";
  if (!acceptances.some((answer) => answer.event.key === event.storeKey)) {
    return "its order is not that of the key for which it was accepted";
  }
  return isGivenUp(facts, { place, event })
    ? "its key had been released before that was sent"
    : null;
}

/**
 * Whether the attempt's own release was done before the call was sent: what was sent before is not
 * judged here. Nor are calls of the published consumer, which asks for no leave by the key.
 */
function isGivenUp(facts: GatewayFacts, { place, event }: GatewayFacts["executions"][number]) {
  if (event.viaQueue && policyOf(facts).consumerGuard === "presence-mark") return false;
  const sent = facts
    .of("call")
    .findLast(
      (call) => call.place < place && call.event.by === event.by && call.event.call === "dispatch",
    );
  return facts.storeAnswers.some(
    ({ place: released, event: { call, attempt, answer } }) =>
      call === "release" &&
      attempt === event.attempt &&
      answer === "done" &&
      sent !== undefined &&
      released < sent.place,
  );
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
  const isServed = replies.some(({ event }) => !noAnswers.has(event.heard));
  const response = facts.responseTo(attempt);
  if (isServed || replies.length === 0) {
    return { exercised: false, violations: judgeServed(facts, attempt, isServed) };
  }
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

/** What is heard of a store that gave no answer that anybody could use. */
const noAnswers: ReadonlySet<string> = new Set(["silence", "unavailable", "invalid", "unknown"]);

/** A store that answered, or was never asked, is not told to be missing. */
function judgeServed(
  facts: GatewayFacts,
  attempt: number,
  isServed: boolean,
): readonly Violation[] {
  const response = facts.responseTo(attempt);
  if (response?.event.code !== answers.unavailable.code) return [];
  const what = isServed ? "a reserve of it was answered" : "no reserve of it was sent";
  const explanation = `${attemptName(attempt)} is told that the store did not answer, and ${what}.`;
  return [violation("fail-closed", explanation, [response.place])];
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
