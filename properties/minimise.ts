// Makes a failing plan minimal: no single element of it can go without the failure going too.
import type { CallStep, Plan, PlannedAttempt, PlanStep } from "./plan.ts";

export interface Minimised<SomePlan = Plan> {
  readonly plan: SomePlan;
  /** True: every plan with one element less was tried and does not fail. */
  readonly minimal: boolean;
  /** How many plans were run for it. */
  readonly tried: number;
}

/** Runs plans and tells the index of the first that still fails in the same way, or −1. */
export type FirstFailing<SomePlan = Plan> = (plans: readonly SomePlan[]) => Promise<number>;

/** Which plans are smaller or simpler than a given one; `simpler` has to come to an end. */
export interface PlanShape<SomePlan> {
  readonly withoutChunks: (plan: SomePlan) => readonly SomePlan[];
  readonly withoutOne: (plan: SomePlan) => readonly SomePlan[];
  readonly simpler: (plan: SomePlan) => readonly SomePlan[];
}

/**
 * A failing plan is minimised in rounds: all plans that are one element smaller are run as a batch
 * and the first that fails is the next; then the same with simpler values in place of elements.
 * Halves of the steps are tried first, as in delta debugging (Zeller and Hildebrandt, 2002).
 * It stops before more than `mostTried` plans have run; then `minimal` is false.
 */
export async function minimiseBy<SomePlan>(
  shape: PlanShape<SomePlan>,
  failing: SomePlan,
  firstFailing: FirstFailing<SomePlan>,
  mostTried = 5_000,
): Promise<Minimised<SomePlan>> {
  let plan = failing;
  let tried = 0;
  let minimal = true;
  const improves = async (candidates: readonly SomePlan[]): Promise<boolean> => {
    if (candidates.length === 0) return false;
    if (tried + candidates.length > mostTried) {
      minimal = false;
      return false;
    }
    tried += candidates.length;
    const better = candidates[await firstFailing(candidates)];
    if (better === undefined) return false;
    plan = better;
    return true;
  };
  while (
    minimal &&
    ((await improves(shape.withoutChunks(plan))) ||
      (await improves(shape.withoutOne(plan))) ||
      (await improves(shape.simpler(plan))))
  );
  return { plan, minimal, tried };
}

/** The same for plans of calls to a store. */
export function minimise(
  failing: Plan,
  firstFailing: FirstFailing,
  mostTried?: number,
): Promise<Minimised> {
  return minimiseBy(storePlanShape, failing, firstFailing, mostTried);
}

export const storePlanShape: PlanShape<Plan> = {
  withoutChunks: stepsWithoutChunks,
  withoutOne,
  simpler,
};

/** Every plan that lacks one step, one attempt, one key, or one choice of the schedule. */
export function withoutOne(plan: Plan): Plan[] {
  return [
    ...plan.steps.map((_, index) => ({ ...plan, steps: without(plan.steps, index, 1) })),
    ...plan.attempts.map((_, index) => withoutAttempt(plan, index)),
    ...plan.keys.map((_, index) => withoutKey(plan, index)).filter((smaller) => smaller !== null),
    ...plan.schedule.map((_, index) => ({ ...plan, schedule: without(plan.schedule, index, 1) })),
  ];
}

/** Every plan that lacks a run of two or more steps, longest runs first. */
export function stepsWithoutChunks<SomePlan extends { readonly steps: readonly unknown[] }>(
  plan: SomePlan,
): SomePlan[] {
  const plans: SomePlan[] = [];
  for (let size = plan.steps.length >> 1; size >= 2; size >>= 1) {
    for (let start = 0; start < plan.steps.length; start += size) {
      plans.push({ ...plan, steps: without(plan.steps, start, size) });
    }
  }
  return plans;
}

function withoutAttempt(plan: Plan, index: number): Plan {
  return {
    ...plan,
    attempts: without(plan.attempts, index, 1),
    steps: plan.steps.flatMap((step): PlanStep[] => {
      if (!("attempt" in step)) return [step];
      if (step.attempt === index) return [];
      return step.attempt > index ? [{ ...step, attempt: step.attempt - 1 }] : [step];
    }),
  };
}

/** Null where an attempt uses the key. */
function withoutKey(plan: Plan, index: number): Plan | null {
  if (plan.attempts.some(({ key }) => key === index)) return null;
  return {
    ...plan,
    keys: without(plan.keys, index, 1),
    attempts: plan.attempts.map((attempt) =>
      attempt.key > index ? { ...attempt, key: attempt.key - 1 } : attempt,
    ),
  };
}

/** Every plan with one value put simpler; each is strictly smaller by `weight`, so this ends. */
export function simpler(plan: Plan): Plan[] {
  const candidates: Plan[] = [
    inOrderOfUse(plan),
    ...plan.steps.flatMap((step, index) =>
      simplerSteps(step).map((better) => ({ ...plan, steps: replaced(plan.steps, index, better) })),
    ),
    ...plan.attempts.flatMap((attempt, index) =>
      simplerAttempts(attempt, index).map((better) => ({
        ...plan,
        attempts: replaced(plan.attempts, index, better),
      })),
    ),
    ...plan.keys.map((_, index) => ({
      ...plan,
      keys: replaced(plan.keys, index, plainKey(index)),
    })),
    ...plan.schedule.map((choice, index) => ({
      ...plan,
      schedule: replaced(plan.schedule, index, choice >> 1),
    })),
    ...(plan.beside === true ? [withoutFlag(plan, "beside")] : []),
    // Where the clock is real, times of a second and more are there to keep away from edges.
    ...(plan.pendingMs < 1000 ? [{ ...plan, pendingMs: 100, retentionMs: 100 }] : []),
  ];
  const current = weight(plan);
  return candidates.filter((candidate) => weight(candidate) < current && distinct(candidate));
}

/** The first attempt to do something is the first in the list: a story calls it A. */
function inOrderOfUse(plan: Plan): Plan {
  const used = new Set(plan.steps.flatMap((step) => ("attempt" in step ? [step.attempt] : [])));
  const order = [...used, ...plan.attempts.keys()].filter(
    (attempt, index, all) => all.indexOf(attempt) === index,
  );
  return {
    ...plan,
    attempts: order.flatMap((attempt) => plan.attempts[attempt] ?? []),
    steps: plan.steps.map((step) =>
      "attempt" in step ? { ...step, attempt: order.indexOf(step.attempt) } : step,
    ),
  };
}

/** How many attempts are in use later than one that comes after them in the list. */
function disorder({ steps }: Plan): number {
  const order = [...new Set(steps.flatMap((step) => ("attempt" in step ? [step.attempt] : [])))];
  return sum(
    order.map((attempt, index) => order.slice(index).filter((later) => later < attempt).length),
  );
}

function simplerSteps(step: PlanStep): PlanStep[] {
  switch (step.kind) {
    case "reserve":
      return [
        ...simplerCalls(step),
        ...(step.otherPayload === true ? [withoutFlag(step, "otherPayload")] : []),
      ];
    case "settle":
      return [
        ...simplerCalls(step),
        ...(step.otherResponse === true ? [withoutFlag(step, "otherResponse")] : []),
      ];
    case "release":
      return [...simplerCalls(step), { ...step, kind: "settle" }];
    case "advance":
      return [0, 1, 50, 100, step.ms >> 1].map((ms) => ({ ...step, ms }));
    case "advance-to-end":
      return [{ ...step, offsetMs: 0 }];
    case "crash":
      return [];
  }
}

function simplerCalls<Step extends CallStep<string>>(step: Step): Step[] {
  return [
    { ...step, fault: "none" },
    { ...step, fault: "lost-before" },
    { ...step, overlaps: false },
  ];
}

/** The same without a flag that it may have. */
function withoutFlag<Flag extends string, Item extends { readonly [Name in Flag]?: true }>(
  item: Item,
  flag: Flag,
): Item {
  const plain = { ...item };
  delete plain[flag];
  return plain;
}

function simplerAttempts(attempt: PlannedAttempt, index: number): PlannedAttempt[] {
  return [
    { ...attempt, key: 0 },
    { ...attempt, effect: "success" },
    { ...attempt, effect: "soft-fail" },
    { ...attempt, response: "200 ok" },
    { ...attempt, token: plainToken(index) },
    { ...attempt, fingerprint: "f" },
    { ...attempt, fingerprint: "g" },
  ];
}

function plainKey(index: number): string {
  return `key-${index + 1}`;
}

function plainToken(index: number): string {
  return `token-${String.fromCharCode(65 + index)}`;
}

/** Keys and tokens of a plan have to stay different from each other. */
function distinct({ keys, attempts }: Plan): boolean {
  const tokens = attempts.map(({ token }) => token);
  return new Set(keys).size === keys.length && new Set(tokens).size === tokens.length;
}

/** How far a plan is from plain; a simplification has to lower it. */
export function weight(plan: Plan): number {
  const { pendingMs, retentionMs, keys, attempts, steps, schedule } = plan;
  return sum([
    pendingMs === 100 && retentionMs === 100 ? 0 : 1,
    plan.beside === true ? 1 : 0,
    // Above the plain names, which the new places may make less plain for a while.
    disorder(plan) * 100,
    ...keys.map((key, index) => (key === plainKey(index) ? 0 : 1)),
    ...attempts.map((attempt, index) => attemptWeight(attempt, index)),
    ...steps.map(stepWeight),
    ...schedule,
  ]);
}

function attemptWeight(attempt: PlannedAttempt, index: number): number {
  return sum([
    attempt.key,
    { success: 0, "soft-fail": 1, "definite-failure": 2, unknown: 2 }[attempt.effect],
    attempt.response === "200 ok" ? 0 : 1,
    attempt.token === plainToken(index) ? 0 : 1,
    attempt.fingerprint === "f" ? 0 : attempt.fingerprint === "g" ? 1 : 2,
  ]);
}

function stepWeight(step: PlanStep): number {
  switch (step.kind) {
    case "reserve":
      return callWeight(step) + (step.otherPayload === true ? 1 : 0);
    case "settle":
      return callWeight(step) + (step.otherResponse === true ? 1 : 0);
    case "release":
      return callWeight(step) + 1;
    case "advance":
      return step.ms / 1000;
    case "advance-to-end":
      return Math.abs(step.offsetMs);
    case "crash":
      return 0;
  }
}

function callWeight({ fault, overlaps }: CallStep<string>): number {
  return { none: 0, "lost-before": 1, "lost-after": 2 }[fault] + (overlaps ? 1 : 0);
}

export function without<Item>(items: readonly Item[], start: number, count: number): Item[] {
  return items.filter((_, index) => index < start || index >= start + count);
}

export function replaced<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  return items.map((current, place) => (place === index ? item : current));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
