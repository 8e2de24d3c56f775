// How gateway plans are generated: requests, faults, clocks and schedule, weighted towards trouble.
import fc from "fast-check";
import type { GatewayPlan, GatewayStep, PlannedRequest } from "./gateway-plan.ts";
import {
  atAnEdge,
  deliveryAtItsDeadline,
  lateSettlement,
  overlappingDeliveries,
  retryInDoubt,
  wholeAttempt,
  wholeDelivery,
} from "./gateway-plan-passages.ts";
import {
  advance,
  advanceTo,
  attempt,
  attemptCaller,
  delivery,
  deliveryCaller,
  message,
  pass,
  someMs,
  weighted,
} from "./gateway-plan-steps.ts";
import type { GatewayMode } from "../../model/gateway-attempt.ts";

/** Plans of 1–4 attempts; every choice is data, so that all of it shrinks together. */
export function gatewayPlanArbitrary(
  modes: readonly GatewayMode[] = ["direct", "queue-everywhere", "queue-failover"],
): fc.Arbitrary<GatewayPlan> {
  const plan = (mode: GatewayMode) =>
    fc
      .record({
        mode: fc.constant(mode),
        gatewayAheadMs: weighted([5, 0], [1, 5_000], [1, -5_000]),
        downstreamLagMs: weighted([5, 0], [2, 5_000], [1, -5_000]),
        requests: fc.oneof(
          { weight: 4, arbitrary: requests(one, fc.constant<"one">("one")) },
          { weight: 3, arbitrary: requests(one, fc.constant<"none">("none")) },
          { weight: 1, arbitrary: requests(one, anyInvalidKey) },
          { weight: 3, arbitrary: requests(anyRequest, anyClientKey) },
        ),
        steps: fc.array(stepsOf(mode), { minLength: 3, maxLength: 12 }),
      })
      .map(({ steps, ...rest }): GatewayPlan => {
        const count = rest.requests.length;
        return { ...rest, steps: steps.flat().map((step) => onAttempt(step, count)) };
      });
  return fc.constantFrom(...modes).chain(plan);
}

type RequestSeed = Omit<PlannedRequest, "clientKey">;

const one: fc.Arbitrary<RequestSeed> = fc.record({
  bearer: fc.constant("live"),
  payload: weighted([7, "same"], [1, "other"]),
  respelled: weighted([4, false], [1, true]),
});

const anyRequest: fc.Arbitrary<RequestSeed> = fc.record({
  bearer: weighted([6, "live"], [2, "test"], [2, "other-tenant"], [1, "forged"]),
  payload: weighted([3, "same"], [1, "other"]),
  respelled: weighted([3, false], [1, true]),
});

const anyClientKey: fc.Arbitrary<PlannedRequest["clientKey"]> = weighted(
  [4, "one"],
  [1, "two"],
  [2, "none"],
  [2, "long"],
  [1, "other-long"],
  [1, "empty"],
);

/** What the published gateway replaces by the fingerprint, and the fingerprint itself. */
const anyInvalidKey: fc.Arbitrary<PlannedRequest["clientKey"]> = weighted(
  [2, "long"],
  [2, "other-long"],
  [1, "none"],
);

function requests(
  seeds: fc.Arbitrary<RequestSeed>,
  clientKeys: fc.Arbitrary<PlannedRequest["clientKey"]>,
): fc.Arbitrary<PlannedRequest[]> {
  const request = fc
    .tuple(seeds, clientKeys)
    .map(([seed, clientKey]): PlannedRequest => ({ ...seed, clientKey }));
  return fc.array(request, { minLength: 1, maxLength: 4 });
}

/** A few steps that belong together, or a single one. */
function stepsOf(mode: GatewayMode): fc.Arbitrary<readonly GatewayStep[]> {
  const queue = mode === "direct" ? 0 : mode === "queue-failover" ? 2 : 5;
  const single = (weight: number, step: fc.Arbitrary<GatewayStep>) => ({
    weight,
    arbitrary: step.map((each): readonly GatewayStep[] => [each]),
  });
  return fc.oneof(
    { weight: 16, arbitrary: wholeAttempt() },
    { weight: 10, arbitrary: atAnEdge() },
    { weight: 8, arbitrary: lateSettlement() },
    { weight: 6, arbitrary: retryInDoubt() },
    { weight: 3 * queue, arbitrary: wholeDelivery() },
    { weight: queue, arbitrary: overlappingDeliveries() },
    { weight: queue > 0 ? 3 : 0, arbitrary: deliveryAtItsDeadline() },
    single(5, fc.record({ kind: fc.constant("start"), attempt })),
    single(12, pass(attemptCaller)),
    single(2 * queue, pass(deliveryCaller)),
    single(queue > 0 ? 4 : 0, fc.record({ kind: fc.constant("deliver"), message, delivery })),
    single(1, fc.record({ kind: fc.constant("stop"), caller: attemptCaller })),
    single(queue > 0 ? 1 : 0, fc.record({ kind: fc.constant("stop"), caller: deliveryCaller })),
    single(4, fc.record({ kind: fc.constant("arrive"), copy: weighted([4, 0], [1, 1]) })),
    single(4, advance),
    single(6, advanceTo),
    single(2, fc.record({ kind: fc.constant("jump"), ms: fc.constantFrom(1, 2_500, 5_000) })),
    single(1, fc.record({ kind: fc.constant("crash") })),
    single(2, fc.record({ kind: fc.constant("late-alarm"), ms: someMs })),
    single(1, fc.record({ kind: fc.constant("ring") })),
  );
}

/** Attempts are drawn before their number is known; 12 is divisible by 1, 2, 3 and 4. */
function onAttempt(step: GatewayStep, count: number): GatewayStep {
  if ("attempt" in step) return { ...step, attempt: step.attempt % count };
  if (!("caller" in step) || step.caller.who === "delivery") return step;
  return { ...step, caller: { who: "attempt", index: step.caller.index % count } };
}
