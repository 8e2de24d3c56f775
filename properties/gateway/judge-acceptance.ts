// When a key may be accepted a second time: at-most-once acceptance, on the records of the real store.
import { blockingTimes, policies, type Policy, type PolicyName } from "../../model/policy.ts";
import type { BlockingTimes } from "../../model/vocabulary.ts";
import { attemptName, type StoreAnswered } from "./gateway-history.ts";
import { type GatewayFacts, type Placed, type Ruling, violation } from "./gateway-facts.ts";
import { planTimes, type PlannedRequest } from "./gateway-plan.ts";

type StoreEvent = Placed<StoreAnswered & { readonly atMs: number }>;

/**
 * When a key is accepted a second time, the first acceptance was released by its own holder, or was
 * committed and its retention has passed, or was neither and its pending time has passed. From when
 * a retention counts is the policy's (see `JudgeOptions.retentionFrom`).
 */
export function judgeAcceptance(facts: GatewayFacts): Ruling {
  const acceptances = facts.storeAnswers.filter(isAcceptance);
  const policy = policyOf(facts);
  const pairs = acceptances.flatMap((second, index) =>
    acceptances
      .slice(0, index)
      .filter((first) => first.event.key === second.event.key)
      .map((first) => ({ first, second })),
  );
  const violations = pairs.flatMap(({ first, second }) => {
    const since = facts.storeAnswers.filter(
      ({ place }) => place > first.place && place < second.place,
    );
    const times = timesOf(policy, facts.request(first.event.attempt));
    const endMs = endOf(policy, times, first, since);
    if (endMs === null || second.event.storeMs >= endMs) return [];
    const early = endMs - second.event.storeMs;
    const explanation = `${attemptName(second.event.attempt)} is accepted ${early} ms before the time of ${attemptName(first.event.attempt)} is over, and ${attemptName(first.event.attempt)} did not release the key.`;
    return [violation("acceptance", explanation, [first.place, second.place])];
  });
  const isSecond = facts.storeAnswers.some(
    ({ place, event }) =>
      event.call === "reserve" &&
      acceptances.some(
        (first) =>
          first.place < place &&
          first.event.key === event.key &&
          first.event.attempt !== event.attempt,
      ),
  );
  return { exercised: isSecond, violations };
}

/** The policy that the history was recorded under; of an ablation, what it was made of. */
export function policyOf({ history }: GatewayFacts): Policy {
  return policies[history.policy as PolicyName] ?? policies.hardened;
}

/** How long the record of a request blocks: τ, or W where its key is made of the request. */
export function timesOf(policy: Policy, { clientKey }: PlannedRequest): BlockingTimes {
  const isWindow = policy.fingerprintKey === "window" && clientKey === "none";
  const retentionMs = isWindow ? planTimes.windowMs : planTimes.retentionMs;
  return blockingTimes(policy, { ...planTimes, retentionMs });
}

/** A reserve that created a reservation, whether or not its answer was heard. */
function isAcceptance({ event: { call, token, before, after } }: StoreEvent): boolean {
  return call === "reserve" && after?.token === token && before?.token !== token;
}

/** Until when an acceptance keeps its key, on the store's clock; null once its holder released it. */
function endOf(
  { retentionFrom, phases }: Policy,
  { pendingMs, retentionMs }: BlockingTimes,
  { event: { token, storeMs } }: StoreEvent,
  since: readonly StoreEvent[],
): number | null {
  const own = since.filter(({ event }) => event.token === token && event.before?.token === token);
  const settled = own.find(
    ({ event: { call, before, after } }) =>
      phases === "two" &&
      (call === "release"
        ? after?.token !== token
        : call === "commit" && before?.status === "pending" && after?.status === "committed"),
  );
  if (settled === undefined) return storeMs + pendingMs;
  if (settled.event.call === "release") return null;
  return (retentionFrom === "commit" ? settled.event.storeMs : storeMs) + retentionMs;
}
