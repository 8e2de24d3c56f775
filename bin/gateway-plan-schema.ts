// Decides which gateway plans of a saved counterexample can be run: known words, within bounds.
import * as v from "valibot";
import { behaviours } from "../impl/simulated-order.ts";
import { list, within } from "./plan-bounds.ts";

const mostAttempts = 16;
const mostSteps = 1_000;
const mostMs = 10 ** 9;
const mostNumber = 1_000;

const attempt = within(0, mostAttempts);
const number = within(0, mostNumber);
const clock = within(-mostMs, mostMs);

const request = v.strictObject({
  bearer: v.picklist(["live", "test", "other-tenant", "forged"], "a bearer of the plan belongs"),
  clientKey: v.picklist(
    ["none", "one", "two", "long", "other-long", "empty"],
    "a client key of the plan belongs",
  ),
  payload: v.picklist(["same", "other"], "same or other belongs"),
  respelled: v.boolean("true or false belongs"),
});

const caller = v.variant(
  "who",
  [
    v.strictObject({ who: v.literal("attempt"), index: attempt }),
    v.strictObject({ who: v.literal("delivery"), index: number }),
  ],
  "an attempt or a delivery belongs",
);

const faults = [
  "none",
  "lost-before",
  "lost-after",
  "failed",
  "delayed",
  "duplicated",
  "crossed",
  "slow",
  "crashed",
  "stale",
] as const;

const step = v.variant(
  "kind",
  [
    v.strictObject({ kind: v.literal("start"), attempt }),
    v.strictObject({
      kind: v.literal("pass"),
      caller,
      fault: v.picklist(faults, "a fault of the plan belongs"),
      behaviour: v.picklist(behaviours, "a behaviour of downstream belongs"),
    }),
    v.strictObject({ kind: v.literal("stop"), caller }),
    v.strictObject({ kind: v.literal("arrive"), copy: number }),
    v.strictObject({ kind: v.literal("deliver"), message: number, delivery: number }),
    v.strictObject({ kind: v.literal("advance"), ms: within(0, mostMs) }),
    v.strictObject({
      kind: v.literal("advance-to"),
      edge: v.picklist(["deadline", "expiry", "minute"], "an edge of the plan belongs"),
      attempt,
      offsetMs: within(-1, 1),
    }),
    v.strictObject({ kind: v.literal("late-alarm"), ms: within(0, mostMs) }),
    v.strictObject({ kind: v.literal("ring") }),
    v.strictObject({ kind: v.literal("jump"), ms: within(0, mostMs) }),
    v.strictObject({ kind: v.literal("crash") }),
  ],
  "a step that the plan knows belongs",
);

export const gatewayPlanSchema = v.pipe(
  v.strictObject({
    kind: v.literal("gateway"),
    mode: v.picklist(
      ["direct", "queue-everywhere", "queue-failover"],
      "a mode of the gateway belongs",
    ),
    gatewayAheadMs: clock,
    downstreamLagMs: clock,
    requests: list(request, 0, mostAttempts),
    steps: list(step, 0, mostSteps),
  }),
  v.check(
    ({ requests, steps }) =>
      steps.every((each) => {
        if ("attempt" in each) return each.attempt < requests.length;
        if (!("caller" in each) || each.caller.who === "delivery") return true;
        return each.caller.index < requests.length;
      }),
    "each step names one of its requests",
  ),
);
