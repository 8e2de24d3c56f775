// How often effects may happen: execution, and by queue once and in time.
import type { GatewayInvariant, KnownWay } from "../../model/gateway-invariants.ts";
import { attemptName, type Dispatched } from "./gateway-history.ts";
import { type GatewayFacts, type Placed, type Ruling, violation } from "./gateway-facts.ts";
import { hasInvalidKey, logicalRequestOf, quietMsOf } from "./gateway-requests.ts";

type Execution = Placed<Dispatched & { readonly atMs: number }>;

/** No two executions of one logical request less than τ apart (W where the client sent no key). */
export function judgeExecution(facts: GatewayFacts): Ruling {
  return {
    exercised: facts.executions.length > 0,
    violations: doubleExecutions(facts).map((double) => toldAs("execution", double)),
  };
}

/** What was executed while its caller heard no success is not executed again. */
export function judgeUnknownOutcome(facts: GatewayFacts): Ruling {
  const isInDoubt = ({ event }: Execution) => hasHeardNoSuccess(facts, event.by);
  return judgeWay(facts, "unknown outcome", facts.executions.some(isInDoubt));
}

/** Two requests without a key for one trade execute once within W, over a minute's end as well. */
export function judgeMinuteBoundary(facts: GatewayFacts): Ruling {
  const minuteOf = (attempt: number) => Math.floor(facts.arrivalMs(attempt) / 60_000);
  const retries = facts.of("arrival").filter(({ place, event: { atMs, attempt } }) => {
    const request = facts.request(attempt);
    if (request.clientKey !== "none" || request.bearer === "forged") return false;
    return facts.executions.some(
      ({ place: before, event: first }) =>
        before < place &&
        logicalRequestOf(facts.request(first.attempt)) === logicalRequestOf(request) &&
        atMs - first.atMs < quietMsOf(request) &&
        minuteOf(first.attempt) < minuteOf(attempt),
    );
  });
  return judgeWay(facts, "minute boundary", retries.length > 0);
}

/** Two deliveries of one message execute once between them. */
export function judgeRedelivery(facts: GatewayFacts): Ruling {
  const isAgain = ({ event }: Execution) =>
    event.viaQueue &&
    facts.of("delivery").filter(({ event: { attempt } }) => attempt === event.attempt).length > 1;
  return judgeWay(facts, "redelivery", facts.executions.some(isAgain));
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
    const places = [first.place, second.place];
    return [
      violation("queue-executes-once", explanation, places, wayOfOneAttempt(facts, first, second)),
    ];
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

/** One logical request that executed twice too soon. */
interface DoubleExecution {
  readonly first: Execution;
  readonly second: Execution;
  readonly gapMs: number;
  readonly way: KnownWay;
}

function doubleExecutions(facts: GatewayFacts): readonly DoubleExecution[] {
  return facts.executions.flatMap((second, index) =>
    facts.executions.slice(0, index).flatMap((first): DoubleExecution[] => {
      const request = facts.request(second.event.attempt);
      const isSame =
        logicalRequestOf(facts.request(first.event.attempt)) === logicalRequestOf(request);
      const gapMs = second.event.atMs - first.event.atMs;
      if (!isSame || gapMs >= quietMsOf(request)) return [];
      return [{ first, second, gapMs, way: wayOf(facts, first, second) }];
    }),
  );
}

/** One way to execute twice, judged by itself so that a search looks for each. */
function judgeWay(
  facts: GatewayFacts,
  way: keyof typeof invariantOfWay,
  exercised: boolean,
): Ruling {
  const found = doubleExecutions(facts).filter((double) => double.way === way);
  return { exercised, violations: found.map((double) => toldAs(invariantOfWay[way], double)) };
}

const invariantOfWay = {
  "unknown outcome": "execution/unknown-outcome",
  "minute boundary": "execution/minute-boundary",
  redelivery: "execution/redelivery",
} as const satisfies Partial<Record<KnownWay, GatewayInvariant>>;

function toldAs(invariant: GatewayInvariant, { first, second, gapMs, way }: DoubleExecution) {
  const explanation = `One request executes twice, ${gapMs} ms apart: by ${by(first)} and by ${by(second)}.`;
  return violation(invariant, explanation, [first.place, second.place], way);
}

function wayOf(facts: GatewayFacts, first: Execution, second: Execution): KnownWay {
  if (first.event.key !== second.event.key) {
    return hasInvalidKey(facts.request(first.event.attempt))
      ? "silent downgrade"
      : "minute boundary";
  }
  if (first.event.attempt === second.event.attempt) return wayOfOneAttempt(facts, first, second);
  return wayOfTwoCalls(facts, first, second);
}

function wayOfOneAttempt(facts: GatewayFacts, one: Execution, other: Execution): KnownWay {
  const [first, second] = [one.event, other.event];
  if (first.token === second.token) return "doubled call";
  if (first.viaQueue && second.viaQueue) return "redelivery";
  return wayOfTwoCalls(facts, one, other);
}

/**
 * What was heard of the first call led to the second only if it was heard before: where the second
 * attempt was accepted already, because the first had stalled, the effect was late, whatever it said.
 */
function wayOfTwoCalls(facts: GatewayFacts, first: Execution, second: Execution): KnownWay {
  const admittedAt = facts.storeAnswers.find(
    ({ event: { attempt, call, token, after } }) =>
      attempt === second.event.attempt && call === "reserve" && after?.token === token,
  );
  const isRetry = first.event.attempt !== second.event.attempt;
  const before = isRetry && admittedAt !== undefined ? admittedAt.place : second.place;
  return hasHeardNoSuccess(facts, first.event.by, before) ? "unknown outcome" : "late effect";
}

/** The caller heard of its call to downstream, by then, and what it heard was no success. */
function hasHeardNoSuccess(facts: GatewayFacts, caller: string, before = Infinity): boolean {
  const replies = facts
    .of("reply")
    .filter(
      ({ place, event }) => place < before && event.by === caller && event.call === "dispatch",
    );
  return replies.some(({ event }) => event.heard !== "success");
}

function by({ event }: Execution): string {
  return event.viaQueue ? `${event.by} of ${attemptName(event.attempt)}` : event.by;
}
