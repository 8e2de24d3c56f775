// When the same trade passes again without a key: in a later minute as published, after its window under hardened.
import { attemptName, type StoreAnswered } from "./gateway-history.ts";
import { type GatewayFacts, type Placed, type Ruling, violation } from "./gateway-facts.ts";
import { logicalRequestOf } from "./gateway-requests.ts";
import { policyOf, timesOf } from "./judge-acceptance.ts";

type StoreEvent = Placed<StoreAnswered & { readonly atMs: number }>;

/**
 * A request without a key that comes in a later minute than all before it that ask for the same
 * trade (hardened: after the blocking time of all of them) is accepted. What another request's
 * record refuses is not judged here but as isolation.
 */
export function judgeLaterTrades(facts: GatewayFacts): Ruling {
  const later = facts.storeAnswers.filter((reserve) => isLaterTrade(facts, reserve));
  const violations = later.flatMap(({ place, event: { attempt, answer, before } }) => {
    const explanation = `${attemptName(attempt)} asks for the same trade later, and is answered ${answer}.`;
    const holder = before === null ? -1 : facts.attemptOf(before.token);
    const isOthers =
      holder >= 0 &&
      logicalRequestOf(facts.request(holder)) !== logicalRequestOf(facts.request(attempt));
    return answer === "proceed" || isOthers
      ? []
      : [violation("later-trades-pass", explanation, [place])];
  });
  return { exercised: later.length > 0, violations };
}

/** The first reserve of such a request, where it was answered. */
function isLaterTrade(facts: GatewayFacts, { place, event }: StoreEvent): boolean {
  const { attempt, call, answer } = event;
  const request = facts.request(attempt);
  if (call !== "reserve" || answer === "unknown" || request.clientKey !== "none") return false;
  const before = facts.storeAnswers.filter((each) => each.place < place);
  if (before.some((each) => each.event.attempt === attempt)) return false;
  const same = before.filter(
    (each) => logicalRequestOf(facts.request(each.event.attempt)) === logicalRequestOf(request),
  );
  if (same.length === 0) return false;
  const policy = policyOf(facts);
  if (policy.fingerprintKey === "minute-bucket") {
    const minuteOf = (each: number) => Math.floor(facts.arrivalMs(each) / 60_000);
    return same.every((each) => minuteOf(each.event.attempt) < minuteOf(attempt));
  }
  const { pendingMs, retentionMs } = timesOf(policy, request);
  return same.every(({ event: { call: earlier, storeMs } }) => {
    const blockingMs = earlier === "commit" ? retentionMs : earlier === "reserve" ? pendingMs : 0;
    return event.storeMs >= storeMs + blockingMs;
  });
}
