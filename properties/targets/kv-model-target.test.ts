// The protocol on a modelled eventually consistent store: refuted by staleness alone, and by the gap alone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { policies, type Policy, type PolicyName } from "../../model/policy.ts";
import { runCampaign } from "../campaign.ts";
import { endingRunner } from "../ending-runner.ts";
import type { History } from "../history.ts";
import { inProcessRunner } from "../in-process-runner.ts";
import { reservePlans } from "../kv/reserve-plans.ts";
import type { Plan, PlanStep } from "../plan.ts";
import type { JudgedHistory } from "../plan-runner.ts";
import type { StoreTarget } from "../target.ts";
import { kvModelTarget, type KvModelOptions, locationOf } from "./kv-model-target.ts";
import { modelTarget } from "./model-target.ts";

const all = Object.values(policies);
const names = Object.keys(policies) as PolicyName[];
const twoApart: KvModelOptions = { locations: 2 };

const run = (policy: Policy, plan: Plan, options: KvModelOptions = twoApart) =>
  inProcessRunner(kvModelTarget(policy, options), { policy }).runPlan(plan);
const breaksAcceptance = ({ judgement }: JudgedHistory): boolean =>
  judgement.violations.some(({ invariant }) => invariant === "acceptance");

/** Attempts A, B, C of one key; the first soft-fails. */
function planOf(steps: readonly PlanStep[], schedule: readonly number[] = []): Plan {
  const attempts = ["A", "B", "C"].map((name, place) => ({
    key: 0,
    token: `token-${name}`,
    fingerprint: "f",
    effect: place === 0 ? ("soft-fail" as const) : ("success" as const),
    response: "200 ok",
  }));
  return { pendingMs: 100, retentionMs: 100, keys: ["key-1"], attempts, steps, schedule };
}

function call(kind: "reserve" | "settle", attempt: number, overlaps = false): PlanStep {
  return { kind, attempt, fault: "none", overlaps };
}

/** The outcomes of the attempts' own calls, if none began before all earlier ones were answered. */
function answersOneByOne({ events }: History, calls: number): readonly string[] {
  const own = events.filter(({ kind }) => kind === "invocation" || kind === "completion");
  return own
    .slice(0, calls * 2)
    .map((event, place) => {
      expect(event.kind).toBe(place % 2 === 0 ? "invocation" : "completion");
      return event.kind === "completion" ? event.answer.outcome : "";
    })
    .filter((outcome) => outcome !== "");
}

function refusalUnder({ refusal }: Policy): string {
  return refusal === "uniform" ? "duplicate" : "in-flight";
}

it("calls from different locations with the tokens of a plain plan", () => {
  const [a, b, c] = ["token-A", "token-B", "token-C"].map((token) => locationOf(token, 2));
  expect([a === b, a === c]).toEqual([false, true]);
  expect(locationOf("token-A", 16)).not.toBe(locationOf("token-B", 16));
});

describe("with no overlap in time", () => {
  it.each(names)(
    "%s accepts B after A was answered, at a location with a copy of the absence",
    async (name) => {
      const judged = await run(policies[name], planOf([call("reserve", 0), call("reserve", 1)]));
      expect(answersOneByOne(judged.history, 2)).toEqual(["proceed", "proceed"]);
      expect(breaksAcceptance(judged)).toBe(true);
    },
  );

  it.each(names)(
    "%s refuses B from the moment at which the copy is as old as the bound",
    async (name) => {
      const after = (ms: number) =>
        run(
          policies[name],
          planOf([call("reserve", 0), { kind: "advance", ms }, call("reserve", 1)]),
        );
      const [within, past] = [await after(19), await after(20)];
      expect(answersOneByOne(within.history, 2)).toEqual(["proceed", "proceed"]);
      expect(answersOneByOne(past.history, 2)).toEqual(["proceed", refusalUnder(policies[name])]);
      expect([within, past].map(breaksAcceptance)).toEqual([true, false]);
    },
  );

  it.each(names)("%s refuses B at the location of A", async (name) => {
    const judged = await run(policies[name], planOf([call("reserve", 0), call("reserve", 2)]));
    expect(answersOneByOne(judged.history, 2)).toEqual(["proceed", refusalUnder(policies[name])]);
    expect(breaksAcceptance(judged)).toBe(false);
  });

  it.each(["published", "hardened"] as const)(
    "%s needs no copies at the opening: a release leaves a copy of the absence where it was made",
    async (name) => {
      const steps = [call("reserve", 0), call("settle", 0), call("reserve", 1), call("reserve", 2)];
      const options = { ...twoApart, copiesAtOpening: "empty" } as const;
      const judged = await run(policies[name], planOf(steps), options);
      expect(answersOneByOne(judged.history, 4)).toEqual(["proceed", "done", "proceed", "proceed"]);
      expect(breaksAcceptance(judged)).toBe(true);
      expect(breaksAcceptance(await run(policies[name], planOf(steps.slice(2)), options))).toBe(
        false,
      );
    },
  );
});

describe("without stale copies", () => {
  it.each(names)("%s accepts A and B where both get before either puts", async (name) => {
    const steps = [call("reserve", 0, true), call("reserve", 2)];
    for (const options of [{ stalenessMs: 0 }, { locations: 1 }]) {
      expect(breaksAcceptance(await run(policies[name], planOf(steps), options))).toBe(true);
      // Always the newest point: the second gets, puts and is answered before the first goes on.
      const oneByOne = planOf(steps, [1, 1, 1]);
      expect(breaksAcceptance(await run(policies[name], oneByOne, options))).toBe(false);
    }
  });
});

describe("plans that only reserve", () => {
  const plansOf = (policy: Policy, count: number): readonly Plan[] =>
    fc.sample(reservePlans({ oneTime: policy.pendingTime === "retention" }), count);
  const broken = async (target: StoreTarget, policy: Policy, plans: readonly Plan[]) => {
    const verdicts = await inProcessRunner(target, { policy }).judgePlans(plans);
    expect(verdicts.some(({ exercised }) => exercised.includes("acceptance"))).toBe(true);
    return verdicts.filter(({ violations }) =>
      violations.some(({ invariant }) => invariant === "acceptance"),
    ).length;
  };

  it("break acceptance under no policy on a store with a serial point", async () => {
    for (const policy of all) {
      expect(await broken(modelTarget(policy), policy, plansOf(policy, 300))).toBe(0);
    }
  });

  it("break acceptance under no policy without stale copies and without overlaps", async () => {
    const apart = (plan: Plan): Plan => ({
      ...plan,
      steps: plan.steps.map((step) => ("overlaps" in step ? { ...step, overlaps: false } : step)),
    });
    for (const policy of all) {
      const plans = plansOf(policy, 300).map(apart);
      expect(await broken(kvModelTarget(policy, { stalenessMs: 0 }), policy, plans)).toBe(0);
      expect(await broken(kvModelTarget(policy), policy, plans)).toBeGreaterThan(0);
    }
  });

  it("refute every policy within 300 histories of any seed, by two attempts one after the other", async () => {
    for (const policy of all) {
      for (const seed of [1, 2, 3, 4, 5]) {
        const runner = endingRunner(
          inProcessRunner(kvModelTarget(policy), { policy }),
          "acceptance",
        );
        const { findings } = await runCampaign(runner, {
          seed,
          runs: 300,
          plans: reservePlans({ oneTime: policy.pendingTime === "retention" }),
          invariants: new Set(["acceptance"]),
        });
        expect(findings).toMatchObject([
          {
            invariant: "acceptance",
            minimal: true,
            plan: {
              attempts: [{ token: "token-A" }, { token: "token-B" }],
              steps: [call("reserve", 0), call("reserve", 1)],
              schedule: [],
            },
          },
        ]);
      }
    }
  });
});
