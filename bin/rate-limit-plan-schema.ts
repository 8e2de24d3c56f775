// Decides which rate-limit plans of a saved counterexample can be run: known words, within bounds.
import * as v from "valibot";
import { isolateCount, tenantCount } from "../properties/rate-limit/rate-limit-plan.ts";
import { list, within } from "./plan-bounds.ts";

const mostSteps = 1_000;
/** As the limiter has them: a million requests in 31 days. */
const mostRequests = 1_000_000;
const mostMs = 31 * 24 * 3_600_000;

const step = v.variant(
  "kind",
  [
    v.strictObject({
      kind: v.literal("ask"),
      tenant: within(0, tenantCount - 1),
      isolate: within(0, isolateCount - 1),
      overlaps: v.boolean("true or false belongs"),
    }),
    v.strictObject({ kind: v.literal("advance"), ms: within(0, mostMs) }),
    v.strictObject({ kind: v.literal("late-alarm"), ms: within(0, mostMs) }),
    v.strictObject({ kind: v.literal("crash") }),
  ],
  "a step that the plan knows belongs",
);

export const rateLimitPlanSchema = v.strictObject({
  kind: v.literal("rate-limit"),
  limit: within(1, mostRequests),
  windowMs: within(1, mostMs),
  steps: list(step, 0, mostSteps),
});
