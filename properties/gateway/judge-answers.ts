// What clients may be told: truthful refusal, truthful answer, nothing lost, failed may retry, replay, contract.
import { answerOf, type AnswerKind, answers, gateRefusals } from "../../model/gateway-answers.ts";
import type { KnownWay } from "../../model/gateway-invariants.ts";
import type { KeyRecord } from "../../model/vocabulary.ts";
import { readStoredResponse } from "../../impl/stored-response.ts";
import { attemptName } from "./gateway-history.ts";
import { type GatewayFacts, type Ruling, violation } from "./gateway-facts.ts";
import { policyOf } from "./judge-acceptance.ts";

const refusals: ReadonlySet<string> = new Set([
  answers["in-flight"].code,
  answers["in-doubt"].code,
  answers.duplicate.code,
]);

/**
 * An attempt is refused as a duplicate only because of another attempt's record with the same
 * fingerprint, and its text is true of that record: in flight before its deadline, in doubt after
 * it, a duplicate only of an effect that happened or still may.
 */
export function judgeRefusals(facts: GatewayFacts): Ruling {
  const refused = facts.responses.filter(({ event }) => refusals.has(event.code));
  const violations = refused.flatMap(({ place, event: { attempt, code } }) => {
    const reasons = reservesOf(facts, attempt);
    const faults = reasons.map((reason) =>
      faultOfRefusal(facts, attempt, code, reason.place, reason.event.before, reason.event),
    );
    if (faults.includes(null)) return [];
    const why = faults.at(-1) ?? "the store was never asked";
    const explanation = `${attemptName(attempt)} is told ${code}, and ${why}.`;
    return [
      violation("truthful-refusal", explanation, [...reasons.map((each) => each.place), place]),
    ];
  });
  return { exercised: refused.length > 0, violations };
}

/** What is untrue about a refusal; null where it is true. */
function faultOfRefusal(
  facts: GatewayFacts,
  attempt: number,
  code: string,
  place: number,
  record: KeyRecord | null,
  { storeMs, fingerprint }: { readonly storeMs: number; readonly fingerprint: string | null },
): string | null {
  if (record === null) return "the store held no record of the key";
  const holder = facts.attemptOf(record.token);
  if (holder === attempt) return "the record was its own";
  if (record.fingerprint !== fingerprint) return "the record was of another payload";
  if (code === answers.duplicate.code) {
    if (policyOf(facts).refusal === "by-status" && record.status !== "committed") {
      return "the record was not committed";
    }
    return facts.livesOn(holder, place)
      ? null
      : `the effect of ${attemptName(holder)} neither happened nor can happen`;
  }
  if (record.status !== "pending") return "the record was committed";
  const isPast = storeMs >= record.deadlineAtMs;
  if (isPast === (code === answers["in-doubt"].code)) return null;
  return `the record's deadline ${isPast ? "had passed" : "had not passed"}`;
}

/** Every reserve of the attempt that took effect at the store. */
function reservesOf(facts: GatewayFacts, attempt: number): GatewayFacts["storeAnswers"] {
  return facts.storeAnswers.filter(
    ({ event }) => event.attempt === attempt && event.call === "reserve",
  );
}

/** What is not known to have failed is never called refused or failed. */
export function judgeTruth(facts: GatewayFacts): Ruling {
  const denied = facts.responses.filter(
    ({ event }) => event.code !== "" && event.code !== answers.unknown.code,
  );
  const violations = denied.flatMap(({ place, event: { attempt, code } }) => {
    const [execution] = facts.executionsBy(attempt);
    if (execution === undefined) return [];
    const explanation = `${attemptName(attempt)} is told ${code}, and it executes.`;
    return [violation("truthful-answer", explanation, [execution.place, place])];
  });
  const exercised = denied.some(({ place, event: { attempt } }) => facts.hasSent(attempt, place));
  return { exercised, violations };
}

/**
 * An attempt that was told 2xx executed, will execute, or ends visibly in the dead-letter queue; by
 * a replay it is told so of the attempt that holds the record.
 */
export function judgeLosses(facts: GatewayFacts): Ruling {
  const told = facts.responses.filter(({ event }) => event.code === "");
  const violations = told.flatMap(({ place, event: { attempt, status, replayed } }) => {
    const promised = replayed ? holdersFor(facts, attempt) : [attempt];
    if (promised.some((each) => facts.isKept(each))) return [];
    const whose = replayed ? "what it repeats" : "it";
    const explanation = `${attemptName(attempt)} is told ${status}; ${whose} neither executed, nor waits in the queue, nor is dead-lettered.`;
    return [violation("nothing-lost", explanation, [place])];
  });
  return { exercised: told.some(({ event }) => !event.replayed), violations };
}

/** Whose records the attempt's reserves found. */
function holdersFor(facts: GatewayFacts, attempt: number): readonly number[] {
  return reservesOf(facts, attempt).flatMap(({ event: { before } }) =>
    before === null ? [] : [facts.attemptOf(before.token)],
  );
}

/** An attempt that was told that it failed no longer holds the key: its retry may proceed. */
export function judgeRetries(facts: GatewayFacts): Ruling {
  const failed = facts.responses.filter(({ event }) => event.code === answers.failed.code);
  const violations = failed.flatMap(({ place, event: { attempt } }) => {
    if (facts.hasCopyUnderWay(attempt, "release", place)) return [];
    const held = Object.values(facts.recordsAt(place)).find(
      ({ token }) => facts.attemptOf(token) === attempt,
    );
    const asked = facts.storeAnswers.findLast(
      (each) => each.place < place && each.event.token === held?.token,
    );
    if (held === undefined || asked === undefined) return [];
    const isCommitted = held.status === "committed";
    const what = isCommitted ? "its own commit" : "its own reservation";
    const explanation = `${attemptName(attempt)} is told to try again, and ${what} still takes the key.`;
    const way = isCommitted ? undefined : wayOfHolding(facts, attempt);
    return [violation("failed-may-retry", explanation, [asked.place, place], way)];
  });
  return { exercised: failed.length > 0, violations };
}

function wayOfHolding(facts: GatewayFacts, attempt: number): KnownWay {
  const release = facts
    .of("call")
    .find(({ event }) => event.attempt === attempt && event.call === "release");
  return release === undefined ? "no release" : "lost release";
}

/**
 * A replay equals the response of the commit that made the record: status, stored headers, body;
 * and that record is of the same payload.
 */
export function judgeReplays(facts: GatewayFacts): Ruling {
  const replays = facts.responses.filter(({ event }) => event.replayed);
  const violations = replays.flatMap(({ place, event }) => {
    const { attempt, status, contentType, body } = event;
    const sources = reservesOf(facts, attempt);
    const isEqual = sources.some(({ event: { before, fingerprint } }) => {
      const commit = facts.storeAnswers.find(
        (each) => each.event.call === "commit" && each.event.token === before?.token,
      );
      const stored = readStoredResponse(commit?.event.response ?? null);
      return (
        before?.fingerprint === fingerprint &&
        stored?.status === status &&
        stored.body === body &&
        stored.headers["content-type"] === contentType
      );
    });
    const explanation = `${attemptName(attempt)} gets a replay that no commit of its key and payload gave.`;
    return isEqual ? [] : [violation("replay", explanation, [place])];
  });
  return { exercised: replays.length > 0, violations };
}

/** Every response is one of the contract's: no other status, and no 5xx that it does not name. */
export function judgeContract(facts: GatewayFacts): Ruling {
  const policy = policyOf(facts);
  const kinds = [...Object.keys(answers), ...Object.keys(gateRefusals)] as AnswerKind[];
  const known = new Set(
    kinds.map((kind) => answerOf(policy, kind)).map(({ status, code }) => `${status} ${code}`),
  );
  const violations = facts.responses.flatMap(({ place, event: { attempt, status, code } }) => {
    const explanation = `${attemptName(attempt)} is told ${status} ${code}, which the contract does not know.`;
    return known.has(`${status} ${code}`) ? [] : [violation("contract", explanation, [place])];
  });
  return { exercised: facts.responses.length > 0, violations };
}
