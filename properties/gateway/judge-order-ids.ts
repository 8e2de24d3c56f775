// Whether downstream can know an order again: one client order id for each key of the store.
import { attemptName } from "./gateway-history.ts";
import { type GatewayFacts, type Ruling, violation } from "./gateway-facts.ts";

/**
 * Calls of one key carry one client order id, and calls of two keys carry two: by it downstream
 * refuses what it has seen, and nothing else. Judged of all that reaches downstream, executed or not.
 */
export function judgeOrderIds(facts: GatewayFacts): Ruling {
  const keyed = facts.of("dispatched").map(({ place, event: { attempt, key } }) => ({
    place,
    attempt,
    orderId: key,
    key: facts.keyOf(attempt),
  }));
  const pairs = keyed.flatMap((second, index) =>
    keyed
      .slice(0, index)
      .filter((first) => first.key !== null && second.key !== null)
      .map((first) => ({ first, second })),
  );
  const violations = pairs.flatMap(({ first, second }) => {
    const isOneKey = first.key === second.key;
    if (isOneKey === (first.orderId === second.orderId)) return [];
    const names = `${attemptName(first.attempt)} and ${attemptName(second.attempt)}`;
    const explanation = isOneKey
      ? `The calls of ${names} have one key, and two client order ids.`
      : `The calls of ${names} have two keys, and one client order id.`;
    return [violation("execution", explanation, [first.place, second.place])];
  });
  return { exercised: pairs.length > 0, violations };
}
