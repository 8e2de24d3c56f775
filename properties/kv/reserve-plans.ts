// Plans in which each attempt reserves once: no release and no repeated call explains a second acceptance.
import fc from "fast-check";
import type { Plan, PlannedAttempt, PlanStep } from "../plan.ts";

/**
 * Plans of 2–4 attempts on two keys: reserves that overlap or follow each other, and time between.
 * On a store with a serial point they break *acceptance* under no policy, `published` and its
 * releases without owner included, so that what breaks it is the store. `oneTime`: pending and
 * committed records block equally long, as in a policy that knows one τ only.
 */
export function reservePlans({ oneTime }: { readonly oneTime: boolean }): fc.Arbitrary<Plan> {
  const times = oneTime ? fc.constant(100) : fc.constantFrom(100, 300);
  return fc
    .record({
      pendingMs: times,
      retentionMs: times,
      reserves: fc.array(reserve, { minLength: 2, maxLength: 4 }),
      schedule: fc.array(fc.nat({ max: 11 }), { maxLength: 8 }),
    })
    .map(({ reserves, ...rest }) => ({
      ...rest,
      keys: ["key-1", "key-2"],
      attempts: reserves.map(({ key }, index) => attemptOn(key, index)),
      steps: reserves.flatMap(stepsOf),
    }));
}

interface PlannedReserve {
  readonly key: number;
  readonly overlaps: boolean;
  readonly pauseMs: number;
}

const reserve: fc.Arbitrary<PlannedReserve> = fc.record({
  key: fc.nat({ max: 1 }),
  overlaps: fc.boolean(),
  pauseMs: fc.constantFrom(0, 0, 0, 1, 19, 20, 50, 100),
});

function attemptOn(key: number, index: number): PlannedAttempt {
  const token = `token-${String.fromCharCode(65 + index)}`;
  return { key, token, fingerprint: "f", effect: "success", response: "200 ok" };
}

function stepsOf({ overlaps, pauseMs }: PlannedReserve, attempt: number): readonly PlanStep[] {
  const call: PlanStep = { kind: "reserve", attempt, fault: "none", overlaps };
  return pauseMs === 0 ? [call] : [{ kind: "advance", ms: pauseMs }, call];
}
