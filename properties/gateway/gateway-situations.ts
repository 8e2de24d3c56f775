// Which interesting situations a gateway history contains: every `sometimes` of the random search.
import { answers } from "../../model/gateway-answers.ts";
import type { GatewayFacts } from "./gateway-facts.ts";
import type { GatewayEvent } from "./gateway-history.ts";

export function situationsOf(facts: GatewayFacts): readonly string[] {
  const { events } = facts.history;
  return Object.entries(situations).flatMap(([name, test]) =>
    events.some((event) => test(event, facts)) ? [name] : [],
  );
}

type Test = (event: GatewayEvent, facts: GatewayFacts) => boolean;

const told =
  (code: string): Test =>
  (event) =>
    event.kind === "response" && event.code === code;

/** One test an event; the situation occurred where some event passes. */
const situations: Readonly<Record<string, Test>> = {
  "an attempt executes": (event) => event.kind === "dispatched" && event.executed,
  "a queued message executes": (event) =>
    event.kind === "dispatched" && event.executed && event.viaQueue,
  "an attempt is told in flight": told(answers["in-flight"].code),
  "an attempt is told in doubt": told(answers["in-doubt"].code),
  "an attempt is told duplicate": told(answers.duplicate.code),
  "an attempt is told mismatch": told(answers.mismatch.code),
  "an attempt is told failed": told(answers.failed.code),
  "an attempt is told unknown": told(answers.unknown.code),
  "an attempt is told unavailable": told(answers.unavailable.code),
  "a key is refused": told("KEY_NOT_VALID"),
  "a forged request is refused": told("NOT_AUTHENTICATED"),
  "a response is replayed": (event) => event.kind === "response" && event.replayed,
  "a call is refused by deadline": (event) =>
    event.kind === "dispatched" && event.said === "refused-by-deadline",
  "a call is refused by fence": (event) =>
    event.kind === "dispatched" && event.said === "refused-by-fence",
  "a late copy arrives": (event) => event.kind === "copy-arrived",
  "a late copy executes": (event, { history }) =>
    event.kind === "copy-arrived" &&
    event.call === "dispatch" &&
    history.events.some(
      (other) => other.kind === "dispatched" && other.executed && other.attempt === event.attempt,
    ),
  "a settlement is stale": (event) => event.kind === "store" && event.answer === "stale",
  "a claim is granted": (event) =>
    event.kind === "store" && event.call === "claim" && event.answer === "done",
  "a claim is denied": (event) =>
    event.kind === "store" && event.call === "claim" && event.answer === "stale",
  "a message is delivered again": (event, { history }) =>
    event.kind === "delivery" &&
    history.events.filter((other) => other.kind === "delivery" && other.message === event.message)
      .length > 1,
  "a message is dead-lettered": (event) => event.kind === "buried",
  "a caller dies": (event) => event.kind === "stopped",
  "the store is reset": (event) => event.kind === "crash",
  "an alarm is late": (event) => event.kind === "late-alarm",
  "a reserve finds what a late alarm has left": (event, { history }) =>
    event.kind === "store" &&
    event.call === "reserve" &&
    isLeftOver(event, history.events.slice(0, history.events.indexOf(event))),
  "an alarm rings out of turn": (event) => event.kind === "ring",
  "a call is under way when the store is reset": (event) =>
    event.kind === "store" && event.answer === "unknown",
  "a logical request executes again after its time": (event, facts) =>
    event.kind === "dispatched" &&
    event.executed &&
    facts.executions.some(
      (other) => other.event.key === event.key && other.event.atMs < event.atMs,
    ),
};

/** The key's record was standing when a late alarm let its end pass, and nothing has rung since. */
function isLeftOver(
  { key, storeMs }: Extract<GatewayEvent, { readonly kind: "store" }>,
  before: readonly GatewayEvent[],
): boolean {
  const place = before.findLastIndex(({ kind }) => rings.has(kind) || kind === "late-alarm");
  if (before[place]?.kind !== "late-alarm") return false;
  const seen = before.slice(0, place).findLast((event) => "records" in event);
  const record = seen !== undefined && "records" in seen ? seen.records[key] : undefined;
  return record !== undefined && record.expiresAtMs <= storeMs;
}

/** What lets a late alarm ring at last. */
const rings: ReadonlySet<GatewayEvent["kind"]> = new Set(["advance", "jump", "ring"]);

/** The names of all situations, in the order in which a report shows them. */
export const gatewaySituationNames: readonly string[] = Object.keys(situations);
