// How rate-limit plans are generated: crowds of requests from several isolates, on and beside the window's edges.
import fc from "fast-check";
import {
  type AskStep,
  isolateCount,
  type RateLimitPlan,
  type RateLimitStep,
  tenantCount,
} from "./rate-limit-plan.ts";

/** The published window. */
const windowMs = 60_000;

/** Two to four crowds of one to three requests each, with time, late alarms and resets between. */
export function rateLimitPlanArbitrary(): fc.Arbitrary<RateLimitPlan> {
  return fc.oneof(
    { weight: 4, arbitrary: plansOf(1) },
    { weight: 1, arbitrary: plansOf(tenantCount) },
  );
}

function plansOf(tenants: number): fc.Arbitrary<RateLimitPlan> {
  const ask: fc.Arbitrary<AskStep> = fc.record({
    kind: fc.constant("ask"),
    tenant: fc.nat({ max: tenants - 1 }),
    isolate: fc.nat({ max: isolateCount - 1 }),
    overlaps: fc.nat({ max: 4 }).map((drawn) => drawn > 0),
  });
  const round = fc
    .tuple(pause, fc.array(ask, { minLength: 1, maxLength: 3 }))
    .map(([passes, asks]): readonly RateLimitStep[] => [passes, ...asks]);
  const first = fc.array(ask, { minLength: 1, maxLength: 3 });
  return fc.record({
    limit: fc.integer({ min: 1, max: 4 }),
    windowMs: fc.constant(windowMs),
    steps: fc
      .tuple(first, fc.array(round, { minLength: 1, maxLength: 3 }))
      .map(([asks, rounds]) => [...asks, ...rounds.flat()]),
  });
}

/** Sums of these lie on every edge and one millisecond beside it. */
const edges = fc.constantFrom(
  1,
  1,
  windowMs / 2,
  windowMs - 1,
  windowMs - 1,
  windowMs,
  windowMs + 1,
);

const pause: fc.Arbitrary<RateLimitStep> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ kind: fc.constant("advance"), ms: edges }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("late-alarm"), ms: edges }) },
  { weight: 1, arbitrary: fc.constant<RateLimitStep>({ kind: "crash" }) },
);
