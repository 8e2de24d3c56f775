// Which gateway plans are smaller or simpler than a given one: the candidates of the search for a minimal one.
import type { GatewayMode } from "../../model/gateway-attempt.ts";
import { type PlanShape, replaced, stepsWithoutChunks, sum, without } from "../minimise.ts";
import type { CallFault, GatewayPlan, GatewayStep, PlannedRequest } from "./gateway-plan.ts";

export const gatewayPlanShape: PlanShape<GatewayPlan> = {
  withoutChunks: stepsWithoutChunks,
  withoutOne,
  simpler,
};

/** Every plan that lacks one step or one request. */
function withoutOne(plan: GatewayPlan): GatewayPlan[] {
  return [
    ...plan.requests.map((_, index) => withoutRequest(plan, index)),
    ...plan.steps.map((_, index) => ({ ...plan, steps: without(plan.steps, index, 1) })),
  ];
}

/** Every plan with one value put simpler; each is strictly lighter by `weight`, so this ends. */
function simpler(plan: GatewayPlan): GatewayPlan[] {
  const { requests, steps } = plan;
  const candidates: GatewayPlan[] = [
    inOrderOfUse(plan),
    inFirstDelivery(plan),
    { ...plan, mode: "direct" },
    { ...plan, mode: "queue-everywhere" },
    { ...plan, gatewayAheadMs: 0 },
    { ...plan, downstreamLagMs: 0 },
    ...requests.flatMap((request, index) =>
      simplerRequests(request).map((better) => ({
        ...plan,
        requests: replaced(requests, index, better),
      })),
    ),
    ...steps.flatMap((step, index) =>
      simplerSteps(step).map((better) => ({ ...plan, steps: replaced(steps, index, better) })),
    ),
  ];
  const current = weight(plan);
  return candidates.filter((candidate) => weight(candidate) < current);
}

/** How far a plan is from plain; a simplification has to lower it. */
export function weight(plan: GatewayPlan): number {
  return sum([
    modeWeights[plan.mode],
    plan.gatewayAheadMs === 0 ? 0 : 1,
    plan.downstreamLagMs === 0 ? 0 : 1,
    disorder(plan) * 100,
    ...plan.requests.map(requestWeight),
    ...plan.steps.map(stepWeight),
  ]);
}

const modeWeights: Readonly<Record<GatewayMode, number>> = {
  direct: 0,
  "queue-everywhere": 1,
  "queue-failover": 2,
};

const keyWeights: Readonly<Record<PlannedRequest["clientKey"], number>> = {
  one: 0,
  none: 1,
  two: 2,
  long: 3,
  "other-long": 4,
  empty: 4,
};

function requestWeight({ bearer, clientKey, payload, respelled }: PlannedRequest): number {
  return sum([
    bearer === "live" ? 0 : 1,
    keyWeights[clientKey],
    payload === "same" ? 0 : 1,
    respelled ? 1 : 0,
  ]);
}

function simplerRequests(request: PlannedRequest): PlannedRequest[] {
  return [
    { ...request, bearer: "live" },
    { ...request, clientKey: "one" },
    { ...request, clientKey: "none" },
    { ...request, clientKey: "long" },
    { ...request, payload: "same" },
    { ...request, respelled: false },
  ];
}

const faultWeights: Readonly<Record<CallFault, number>> = {
  none: 0,
  "lost-before": 1,
  "lost-after": 2,
  failed: 2,
  slow: 2,
  crossed: 3,
  duplicated: 3,
  delayed: 3,
  crashed: 4,
  stale: 4,
};

function stepWeight(step: GatewayStep): number {
  switch (step.kind) {
    case "start":
      return 0;
    case "pass":
      return (
        faultWeights[step.fault] +
        (step.behaviour === "succeed" ? 0 : step.behaviour === "soft-fail" ? 1 : 2) +
        (step.caller.who === "delivery" ? step.caller.index : 0)
      );
    case "stop":
      return step.caller.who === "delivery" ? step.caller.index : 0;
    case "arrive":
      return step.copy;
    case "deliver":
      return step.message + step.delivery;
    case "advance":
    case "jump":
      return step.ms / 1e6;
    case "advance-to":
      return 1 + Math.abs(step.offsetMs);
    case "crash":
      return 0;
    case "late-alarm":
      return 1 + step.ms / 1e6;
    case "ring":
      return 1;
  }
}

function simplerSteps(step: GatewayStep): GatewayStep[] {
  switch (step.kind) {
    case "pass":
      return [
        { ...step, fault: "none" },
        { ...step, fault: "lost-before" },
        { ...step, fault: "lost-after" },
        { ...step, behaviour: "succeed" },
        { ...step, behaviour: "soft-fail" },
        { ...step, caller: { ...step.caller, index: step.caller.index >> 1 } },
      ];
    case "stop":
      return [{ ...step, caller: { ...step.caller, index: step.caller.index >> 1 } }];
    case "arrive":
      return [{ ...step, copy: 0 }];
    case "deliver":
      return [
        { ...step, message: 0 },
        { ...step, delivery: step.delivery >> 1 },
      ];
    case "advance":
      return [1, 1_000, 20_000, 30_000].map((ms) => ({ ...step, ms }));
    case "advance-to":
      return [{ ...step, offsetMs: 0 }, ...[1, 20_000, 30_000].map(advance)];
    case "jump":
      return [{ ...step, ms: 1 }];
    case "late-alarm":
      return [advance(step.ms)];
    case "start":
    case "crash":
    case "ring":
      return [];
  }
}

function advance(ms: number): GatewayStep {
  return { kind: "advance", ms };
}

function withoutRequest(plan: GatewayPlan, index: number): GatewayPlan {
  const steps = plan.steps.flatMap((step) => {
    const attempt = attemptOf(step);
    if (attempt === null || attempt < index) return [step];
    return attempt === index ? [] : [onAttempt(step, attempt - 1)];
  });
  return { ...plan, requests: without(plan.requests, index, 1), steps };
}

/** The first attempt to do something is the first in the list: a story calls it A. */
function inOrderOfUse(plan: GatewayPlan): GatewayPlan {
  const order = [...new Set([...usedAttempts(plan), ...plan.requests.keys()])];
  return {
    ...plan,
    requests: order.flatMap((attempt) => plan.requests[attempt] ?? []),
    steps: plan.steps.map((step) => {
      const attempt = attemptOf(step);
      return attempt === null ? step : onAttempt(step, order.indexOf(attempt));
    }),
  };
}

/** Every delivery under the first name: those that overlap are not the same then. */
function inFirstDelivery(plan: GatewayPlan): GatewayPlan {
  const steps = plan.steps.map((step): GatewayStep => {
    if ("delivery" in step) return { ...step, delivery: 0 };
    if (!("caller" in step) || step.caller.who === "attempt") return step;
    return { ...step, caller: { who: "delivery", index: 0 } };
  });
  return { ...plan, steps };
}

/** How many attempts are in use later than one that comes after them in the list. */
function disorder(plan: GatewayPlan): number {
  const order = [...new Set(usedAttempts(plan))];
  return sum(
    order.map((attempt, index) => order.slice(index).filter((later) => later < attempt).length),
  );
}

function usedAttempts({ steps }: GatewayPlan): number[] {
  return steps.flatMap((step) => attemptOf(step) ?? []);
}

/** Null where a step is about none. */
function attemptOf(step: GatewayStep): number | null {
  if ("attempt" in step) return step.attempt;
  return "caller" in step && step.caller.who === "attempt" ? step.caller.index : null;
}

function onAttempt(step: GatewayStep, attempt: number): GatewayStep {
  if ("attempt" in step) return { ...step, attempt };
  return "caller" in step ? { ...step, caller: { ...step.caller, index: attempt } } : step;
}
