// How single steps of a gateway plan are drawn: who, which fault, which behaviour of downstream, how much time.
import fc from "fast-check";
import type { CallFault, Caller, Edge, GatewayStep, PassStep } from "./gateway-plan.ts";
import type { Behaviour } from "../../impl/simulated-order.ts";

export const attempt = fc.nat({ max: 11 });
export const message = weighted([5, 0], [2, 1], [1, 2]);
export const delivery = fc.nat({ max: 2 });

export const attemptCaller: fc.Arbitrary<Caller> = attempt.map((index) => ({
  who: "attempt",
  index,
}));
export const deliveryCaller: fc.Arbitrary<Caller> = delivery.map((index) => ({
  who: "delivery",
  index,
}));

export const someMs = fc.constantFrom(
  ...[1, 1_000, 5_000, 20_000, 29_999, 30_000, 60_000, 295_000, 300_000, 340_000],
);

export const advance: fc.Arbitrary<GatewayStep> = fc.record({
  kind: fc.constant("advance"),
  ms: someMs,
});

export const advanceTo: fc.Arbitrary<GatewayStep> = fc.record({
  kind: fc.constant("advance-to"),
  edge: weighted<Edge>([2, "deadline"], [3, "expiry"], [3, "minute"]),
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

export function pass(caller: fc.Arbitrary<Caller>): fc.Arbitrary<PassStep> {
  return fc.record({
    kind: fc.constant("pass"),
    caller,
    fault: fault(),
    behaviour: behaviour(),
  });
}

export function passes(counts: readonly number[]): fc.Arbitrary<PassStep[]> {
  return severalOf(pass(anybody), counts);
}

/** Passes that mostly go well: where what happens in between is trouble enough. */
export function calmPasses(counts: readonly number[]): fc.Arbitrary<PassStep[]> {
  const calm = fc.record({
    kind: fc.constant<"pass">("pass"),
    caller: anybody,
    fault: fc.oneof(
      { weight: 8, arbitrary: fc.constant<CallFault>("none") },
      { weight: 1, arbitrary: fault() },
    ),
    behaviour: weighted<Behaviour>([3, "succeed"], [3, "soft-fail"], [1, "fail-after"]),
  });
  return severalOf(calm, counts);
}

const anybody = fc.constant<Caller>({ who: "attempt", index: 0 });

function severalOf(
  each: fc.Arbitrary<PassStep>,
  counts: readonly number[],
): fc.Arbitrary<PassStep[]> {
  return fc
    .constantFrom(...counts)
    .chain((count) => fc.array(each, { minLength: count, maxLength: count }));
}

export function weighted<Value extends string | number | boolean>(
  ...choices: readonly (readonly [weight: number, value: Value])[]
): fc.Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}
