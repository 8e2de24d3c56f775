// How often effects may happen: execution, and by queue once and in time.
import type { GatewayInvariant, KnownWay } from "../../model/gateway-invariants.ts";
import { attemptName, type Dispatched } from "./gateway-history.ts";
import { type GatewayFacts, type Placed, type Ruling, violation } from "./gateway-facts.ts";
import { hasInvalidKey, logicalRequestOf, quietMsOf } from "./gateway-requests.ts";

type Execution = Placed<Dispatched & { readonly atMs: number }>;

/** No two executions of one logical request less than τ apart (W where the client sent no key). */
export function judgeExecution(facts: GatewayFacts): Ruling {
  return {
    exercised: facts.executions.some((execution) => isTriedAgain(facts, execution)),
    violations: doubleExecutions(facts).map((double) => toldAs("execution", double)),
  };
}

/** What was executed while its caller heard no success is not executed again. */
export function judgeUnknownOutcome(facts: GatewayFacts): Ruling {
  const isRetried = (execution: Execution) => {
    const heard = noSuccessHeardBy(facts, execution.event.by);
    return heard !== undefined && isTriedAgain(facts, execution, heard.place);
  };
  return judgeWay(facts, "unknown outcome", facts.executions.some(isRetried));
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
  const isAgain = facts.executions.some((execution) => isDeliveredAgain(facts, execution));
  return judgeWay(facts, "redelivery", isAgain);
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
  const isAgain = (execution: Execution) =>
    isDeliveredAgain(facts, execution) ||
    facts
      .of("dispatched")
      .some(
        ({ place, event }) =>
          place > execution.place && event.viaQueue && event.attempt === execution.event.attempt,
      );
  return { exercised: queued.some(isAgain), violations };
}

/** A queued message does not execute after the deadline that it carries. */
export function judgeLateness(facts: GatewayFacts): Ruling {
  const late = facts
    .of("dispatched")
    .filter(
      ({ event: { viaQueue, downstreamMs, messageDeadlineMs } }) =>
        viaQueue && messageDeadlineMs !== null && downstreamMs >= messageDeadlineMs,
    );
  const violations = late.flatMap(({ place, event }) => {
    if (!event.executed) return [];
    const lateMs = event.downstreamMs - (event.messageDeadlineMs ?? 0);
    const explanation = `The message of ${attemptName(event.attempt)} executes ${lateMs} ms after its last moment.`;
    return [violation("no-late-execution", explanation, [place])];
  });
  return { exercised: late.length > 0, violations };
}

/**
 * Whether, after an execution and in its quiet time, its logical request comes up again: another
 * attempt asks for it, its message is delivered, or a further call of it reaches downstream. Told
 * since when its caller heard of it, only what may follow from that counts: no copy of that call.
 */
function isTriedAgain(
  facts: GatewayFacts,
  { place, event: first }: Execution,
  heardAt?: number,
): boolean {
  const request = logicalRequestOf(facts.request(first.attempt));
  return facts.history.events.some((event, index) => {
    if (index <= Math.max(place, heardAt ?? 0) || !("attempt" in event)) return false;
    const again = facts.request(event.attempt);
    if (logicalRequestOf(again) !== request) return false;
    if (event.atMs - first.atMs >= quietMsOf(again)) return false;
    const asksAgain =
      event.kind === "call" && event.call === "reserve" && event.attempt !== first.attempt;
    const callsAgain =
      event.kind === "dispatched" && (heardAt === undefined || event.token !== first.token);
    return asksAgain || callsAgain || event.kind === "delivery";
  });
}

/** Whether, after an execution by the queue, another delivery of that attempt does anything. */
function isDeliveredAgain(
  facts: GatewayFacts,
  { place, event: { attempt, by: first, viaQueue } }: Execution,
): boolean {
  if (!viaQueue) return false;
  return facts.history.events.some(
    (event, index) =>
      index > place &&
      "attempt" in event &&
      event.attempt === attempt &&
      (event.kind === "delivery" ||
        (event.kind === "call" && event.by.startsWith("delivery") && event.by !== first)),
  );
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
  return noSuccessHeardBy(facts, first.event.by, before) !== undefined
    ? "unknown outcome"
    : "late effect";
}

/** The caller heard of its call to downstream, by then, and what it heard was no success. */
function noSuccessHeardBy(facts: GatewayFacts, caller: string, before = Infinity) {
  return facts
    .of("reply")
    .find(
      ({ place, event }) =>
        place < before &&
        event.by === caller &&
        event.call === "dispatch" &&
        event.heard !== "success",
    );
}

function by({ event }: Execution): string {
  return event.viaQueue ? `${event.by} of ${attemptName(event.attempt)}` : event.by;
}
