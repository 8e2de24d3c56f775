// How gateway plans are generated: requests, faults, clocks and schedule, weighted towards trouble.
import fc from "fast-check";
import type {
  CallFault,
  Caller,
  Edge,
  GatewayPlan,
  GatewayStep,
  PassStep,
  PlannedRequest,
} from "./gateway-plan.ts";
import type { Behaviour } from "../../impl/simulated-order.ts";
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
          { weight: 2, arbitrary: requests(one, fc.constant<"none">("none")) },
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

function requests(
  seeds: fc.Arbitrary<RequestSeed>,
  clientKeys: fc.Arbitrary<PlannedRequest["clientKey"]>,
): fc.Arbitrary<PlannedRequest[]> {
  const request = fc
    .tuple(seeds, clientKeys)
    .map(([seed, clientKey]): PlannedRequest => ({ ...seed, clientKey }));
  return fc.array(request, { minLength: 1, maxLength: 4 });
}

const attempt = fc.nat({ max: 11 });
const message = weighted([5, 0], [2, 1], [1, 2]);
const delivery = fc.nat({ max: 2 });

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
    { weight: 3 * queue, arbitrary: wholeDelivery() },
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
  );
}

const attemptCaller: fc.Arbitrary<Caller> = attempt.map((index) => ({ who: "attempt", index }));
const deliveryCaller: fc.Arbitrary<Caller> = delivery.map((index) => ({ who: "delivery", index }));

const advance: fc.Arbitrary<GatewayStep> = fc.record({
  kind: fc.constant("advance"),
  ms: fc.constantFrom(1, 1_000, 5_000, 20_000, 29_999, 30_000, 60_000, 295_000, 300_000, 340_000),
});

const advanceTo: fc.Arbitrary<GatewayStep> = fc.record({
  kind: fc.constant("advance-to"),
  edge: weighted<Edge>([2, "deadline"], [3, "expiry"], [2, "minute"]),
  attempt,
  offsetMs: weighted([3, 0], [1, 1], [2, -1]),
});

function fault(): fc.Arbitrary<CallFault> {
  return weighted<CallFault>(
    [26, "none"],
    [1, "lost-before"],
    [3, "lost-after"],
    [1, "failed"],
    [2, "delayed"],
    [1, "duplicated"],
    [1, "crossed"],
    [2, "slow"],
    [1, "crashed"],
    [1, "stale"],
  );
}

function behaviour(): fc.Arbitrary<Behaviour> {
  return weighted<Behaviour>(
    [12, "succeed"],
    [4, "soft-fail"],
    [1, "reject"],
    [1, "fail-before"],
    [1, "fail-after"],
    [1, "garble"],
  );
}

function pass(caller: fc.Arbitrary<Caller>): fc.Arbitrary<PassStep> {
  return fc.record({
    kind: fc.constant("pass"),
    caller,
    fault: fault(),
    behaviour: behaviour(),
  });
}

/**
 * An attempt that may pause, then an edge of its record, then another attempt, in the midst of
 * which the first may wake up: what a record has to outlast.
 */
function atAnEdge(): fc.Arbitrary<readonly GatewayStep[]> {
  const edge = fc.oneof({ weight: 4, arbitrary: advanceTo }, { weight: 1, arbitrary: advance });
  return fc
    .record({
      index: attempt,
      first: passes([1, 2, 2, 3]),
      pauseMs: weighted([3, 0], [1, 29_999], [1, 30_000], [1, 34_999]),
      jumpMs: weighted([3, 0], [1, 5_000]),
      edge,
      second: passes([1, 2, 2, 3]),
      woken: passes([0, 0, 1, 2]),
      wakesAfter: fc.nat({ max: 2 }),
    })
    .map(({ index, first, pauseMs, jumpMs, edge: reached, second, woken, wakesAfter }) => {
      const other = index + 1;
      return [
        { kind: "start", attempt: index },
        ...by(index, first.slice(0, 1)),
        ...(pauseMs === 0 ? [] : [{ kind: "advance", ms: pauseMs } as const]),
        ...by(index, first.slice(1)),
        ...(jumpMs === 0 ? [] : [{ kind: "jump", ms: jumpMs } as const]),
        reached.kind === "advance-to" ? { ...reached, attempt: index } : reached,
        { kind: "start", attempt: other },
        ...by(other, second.slice(0, wakesAfter)),
        ...by(index, woken),
        ...by(other, second.slice(wakesAfter)),
      ] as const;
    });
}

function by(index: number, all: readonly PassStep[]): readonly PassStep[] {
  return all.map((each) => ({ ...each, caller: { who: "attempt", index } }));
}

/** Starts an attempt and lets its next calls through; where it stops short, it stalls. */
function wholeAttempt(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({ index: attempt, passes: passes([1, 2, 3, 3, 4]) })
    .map(({ index, passes: all }): readonly GatewayStep[] => [
      { kind: "start", attempt: index },
      ...by(index, all),
    ]);
}

function wholeDelivery(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({ message, index: delivery, passes: passes([1, 2, 2, 3]) })
    .map(({ message: number, index, passes: all }): readonly GatewayStep[] => [
      { kind: "deliver", message: number, delivery: index },
      ...all.map((each): PassStep => ({ ...each, caller: { who: "delivery", index } })),
    ]);
}

function passes(counts: readonly number[]): fc.Arbitrary<PassStep[]> {
  const anybody = fc.constant<Caller>({ who: "attempt", index: 0 });
  return fc
    .constantFrom(...counts)
    .chain((count) => fc.array(pass(anybody), { minLength: count, maxLength: count }));
}

/** Attempts are drawn before their number is known; 12 is divisible by 1, 2, 3 and 4. */
function onAttempt(step: GatewayStep, count: number): GatewayStep {
  if ("attempt" in step) return { ...step, attempt: step.attempt % count };
  if (!("caller" in step) || step.caller.who === "delivery") return step;
  return { ...step, caller: { who: "attempt", index: step.caller.index % count } };
}

function weighted<Value extends string | number | boolean>(
  ...choices: readonly (readonly [weight: number, value: Value])[]
): fc.Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}
