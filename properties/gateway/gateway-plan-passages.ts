// How steps that belong together are drawn: an attempt, an edge of its record, its retry, its deliveries.
import fc from "fast-check";
import type { CallFault, Edge, GatewayStep, PassStep } from "./gateway-plan.ts";
import type { Behaviour } from "../../impl/simulated-order.ts";
import {
  advance,
  advanceTo,
  attempt,
  calmPasses,
  delivery,
  message,
  passes,
  weighted,
} from "./gateway-plan-steps.ts";

/**
 * An attempt that may pause, then an edge of its record, then another attempt, in the midst of
 * which the first may wake up: what a record has to outlast.
 */
export function atAnEdge(): fc.Arbitrary<readonly GatewayStep[]> {
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

/**
 * An attempt that stalls until its record is over, and settles while the next one holds the key: a
 * third one asks whether it still does.
 */
export function lateSettlement(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({
      index: attempt,
      first: calmPasses([1, 1, 2]),
      offsetMs: weighted([3, 0], [1, 1], [1, -1]),
      second: calmPasses([1, 1, 2]),
      woken: calmPasses([1, 2, 2, 2]),
      third: calmPasses([1, 2]),
    })
    .map(({ index, first, offsetMs, second, woken, third }): readonly GatewayStep[] => [
      { kind: "start", attempt: index },
      ...by(index, first),
      { kind: "advance-to", edge: "expiry", attempt: index, offsetMs },
      { kind: "start", attempt: index + 1 },
      ...by(index + 1, second),
      ...by(index, woken),
      { kind: "start", attempt: index + 2 },
      ...by(index + 2, third),
    ]);
}

/** An attempt whose call to downstream comes to nothing certain, and its retry, perhaps a minute later. */
export function retryInDoubt(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({
      index: attempt,
      reserve: calmPasses([1]),
      fault: weighted<CallFault>([3, "none"], [3, "lost-after"], [1, "slow"], [1, "delayed"]),
      behaviour: weighted<Behaviour>([3, "succeed"], [1, "fail-after"], [1, "garble"]),
      settled: calmPasses([0, 1, 1, 1]),
      edge: weighted<Edge | "none">([2, "none"], [3, "minute"], [1, "expiry"]),
      retry: calmPasses([1, 2, 2, 3]),
    })
    .map(({ index, reserve, fault: lost, behaviour: does, settled, edge, retry }) => {
      const caller = { who: "attempt", index } as const;
      return [
        { kind: "start", attempt: index },
        ...by(index, reserve),
        { kind: "pass", caller, fault: lost, behaviour: does },
        ...by(index, settled),
        ...(edge === "none"
          ? []
          : [{ kind: "advance-to", edge, attempt: index, offsetMs: 0 } as const]),
        { kind: "start", attempt: index + 1 },
        ...by(index + 1, retry),
      ] as const;
    });
}

/** A request whose message is delivered again in the midst of its first delivery, or after it. */
export function overlappingDeliveries(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({
      index: attempt,
      sent: calmPasses([2, 3, 3, 4]),
      number: message,
      first: calmPasses([2, 3]),
      second: calmPasses([1, 2, 3]),
      interruptedAfter: fc.nat({ max: 2 }),
    })
    .map(({ index, sent, number, first, second, interruptedAfter }): readonly GatewayStep[] => [
      { kind: "start", attempt: index },
      ...by(index, sent),
      { kind: "deliver", message: number, delivery: 0 },
      ...byDelivery(0, first.slice(0, interruptedAfter)),
      { kind: "deliver", message: number, delivery: 1 },
      ...byDelivery(1, second),
      ...byDelivery(0, first.slice(interruptedAfter)),
    ]);
}

/** A message that is delivered right before its deadline, and executed on either side of it. */
export function deliveryAtItsDeadline(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({
      index: attempt,
      sent: calmPasses([2, 2, 3]),
      number: message,
      offsetMs: weighted([2, -1], [1, -1_000], [1, -5_000]),
      guarded: calmPasses([1]),
      pauseMs: weighted([2, 1], [1, 5_000], [2, 10_000]),
      executed: calmPasses([1, 2]),
    })
    .map((drawn): readonly GatewayStep[] => [
      { kind: "start", attempt: drawn.index },
      ...by(drawn.index, drawn.sent),
      {
        kind: "advance-to",
        edge: "deadline",
        attempt: drawn.index,
        offsetMs: drawn.offsetMs,
      },
      { kind: "deliver", message: drawn.number, delivery: 0 },
      ...byDelivery(0, drawn.guarded),
      { kind: "advance", ms: drawn.pauseMs },
      ...byDelivery(0, drawn.executed),
    ]);
}

function byDelivery(index: number, all: readonly PassStep[]): readonly PassStep[] {
  return all.map((each) => ({ ...each, caller: { who: "delivery", index } }));
}

function by(index: number, all: readonly PassStep[]): readonly PassStep[] {
  return all.map((each) => ({ ...each, caller: { who: "attempt", index } }));
}

/** Starts an attempt and lets its next calls through; where it stops short, it stalls. */
export function wholeAttempt(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({ index: attempt, passes: passes([1, 2, 3, 3, 4]) })
    .map(({ index, passes: all }): readonly GatewayStep[] => [
      { kind: "start", attempt: index },
      ...by(index, all),
    ]);
}

export function wholeDelivery(): fc.Arbitrary<readonly GatewayStep[]> {
  return fc
    .record({ message, index: delivery, passes: passes([1, 2, 2, 3]) })
    .map(({ message: number, index, passes: all }): readonly GatewayStep[] => [
      { kind: "deliver", message: number, delivery: index },
      ...byDelivery(index, all),
    ]);
}
