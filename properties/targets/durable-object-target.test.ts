// Judges the Durable Object on real workerd, and that the harness would see if it were broken.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storeLimits } from "../../impl/store-limits.ts";
import { hardened, paper, published } from "../../model/policy.ts";
import type { Workerd } from "../durable-object/workerd.ts";
import { judge } from "../judge.ts";
import type { Plan, PlanStep } from "../plan.ts";
import { planArbitrary } from "../plan-arbitrary.ts";
import type { PlanVerdict } from "../plan-runner.ts";
import { runPlan } from "../run-plan.ts";
import {
  durableObjectRunner,
  durableObjectTarget,
  startProcesses,
} from "./durable-object-target.ts";
import { modelTarget } from "./model-target.ts";

const seed = 20261130;
const plansOf = (count: number, from = seed): Plan[] =>
  fc.sample(planArbitrary({ crash: true, exactClock: true }), { seed: from, numRuns: count });
/** Longer tokens and fingerprints the object refuses, and the model takes. */
const isWithinLimits = ({ attempts }: Plan): boolean =>
  attempts.every(
    ({ token, fingerprint }) =>
      Math.max(token.length, fingerprint.length) <= storeLimits.transaction.nameUnits,
  );
const broken = (verdicts: readonly PlanVerdict[]): Set<string> =>
  new Set(verdicts.flatMap(({ violations }) => violations.map(({ invariant }) => invariant)));

let processes: readonly Workerd[] = [];
const first = (): Workerd => {
  const [workerd] = processes;
  if (workerd === undefined) throw new Error("workerd has not started");
  return workerd;
};

beforeAll(async () => {
  processes = await startProcesses(2);
});
afterAll(() => Promise.all(processes.map((workerd) => workerd.close())));

describe("the Durable Object under hardened", () => {
  test("breaks no invariant in 200 histories", async () => {
    const verdicts = await durableObjectRunner(processes, { policy: hardened }).judgePlans(
      plansOf(200),
    );
    expect(verdicts).toHaveLength(200);
    expect(broken(verdicts)).toEqual(new Set());
    expect(verdicts.every(({ decided }) => decided)).toBe(true);
    const exercised = new Set(verdicts.flatMap((verdict) => verdict.exercised));
    for (const name of ["acceptance", "ownership", "durability", "replay", "linearizability"]) {
      expect(exercised).toContain(name);
    }
  });

  test("answers as the model does where no call overlaps another and nothing crashes", async () => {
    const alone = ({ kind, ...step }: PlanStep) =>
      ("overlaps" in step ? { ...step, kind, overlaps: false } : { ...step, kind }) as PlanStep;
    const runner = durableObjectRunner(processes, { policy: hardened });
    for (const plan of plansOf(25).filter(isWithinLimits)) {
      const quiet = {
        ...plan,
        steps: plan.steps.filter(({ kind }) => kind !== "crash").map(alone),
      };
      const { history } = await runner.runPlan(quiet);
      const model = await runPlan(modelTarget(hardened), quiet, { rules: hardened });
      expect(history.events).toEqual(model.events);
    }
  });
});

describe("the harness", () => {
  test("refutes the published policy by acceptance, and the paper's by failing open", async () => {
    const verdictsOf = (policy: typeof published) =>
      durableObjectRunner(processes, { policy }).judgePlans(plansOf(200));
    expect(broken(await verdictsOf(published))).toContain("acceptance");
    expect(broken(await verdictsOf(paper))).toContain("fail-closed");
  });

  test("refutes a store with a timer between read and write within 300 histories", async () => {
    const runner = durableObjectRunner(processes, { policy: hardened, mutant: "gap" });
    for (const from of [1, 2, 3, 4]) {
      const plans = plansOf(300, from);
      const found = new Set<string>();
      for (let start = 0; start < plans.length && !found.has("exclusion"); start += 60) {
        for (const name of broken(await runner.judgePlans(plans.slice(start, start + 60)))) {
          found.add(name);
        }
      }
      expect(found, `seed ${from}`).toContain("exclusion");
      expect(found, `seed ${from}`).not.toContain("target-fault");
    }
  });

  test("stays usable after hundreds of histories of a store with timers", async () => {
    const runner = durableObjectRunner(processes, { policy: hardened, mutant: "gap" });
    const verdicts = await runner.judgePlans(plansOf(300, 4));
    expect(verdicts).toHaveLength(300);
    expect(broken(verdicts)).not.toContain("target-fault");
  });

  test("gives the same history for the same plan, whatever ran before", async () => {
    const runner = durableObjectRunner(processes.slice(0, 1), { policy: hardened });
    const plans = plansOf(10);
    const histories = async () => {
      const all = [];
      for (const plan of plans) all.push((await runner.runPlan(plan)).history);
      return all;
    };
    const before = await histories();
    await runner.judgePlans(plansOf(30, 5));
    expect(await histories()).toEqual(before);
  });

  test("gives verdicts in the order of the plans, as running each alone does", async () => {
    const runner = durableObjectRunner(processes, { policy: published });
    const plans = plansOf(30);
    const verdicts = await runner.judgePlans(plans);
    for (const [index, plan] of plans.entries()) {
      const { judgement } = await runner.runPlan(plan);
      const names = judgement.violations.map(({ invariant }) => invariant);
      expect(verdicts[index]?.violations.map(({ invariant }) => invariant)).toEqual(names);
    }
  });

  test("starts again after close, and close twice is fine", async () => {
    const [workerd] = await startProcesses(1);
    await workerd?.close();
    await workerd?.close();
    await expect(workerd?.post("/run", {} as never)).rejects.toThrow();
  });
});

describe("the target over HTTP", () => {
  test("keeps the contract, one request an operation", async () => {
    const target = durableObjectTarget(first(), { policy: hardened });
    for (const plan of plansOf(15)) {
      const history = await runPlan(target, plan, { rules: hardened });
      expect(judge(history).violations).toEqual([]);
    }
  });

  test("keeps sessions apart that are open at once, and what was answered over a crash", async () => {
    const target = durableObjectTarget(first(), { policy: hardened });
    const options = { pendingMs: 100, retentionMs: 100 };
    const [one, two] = [await target.open(options), await target.open(options)];
    const attempt = { token: "a", fingerprint: "f" };
    const proceed = { outcome: "proceed", fence: 1, deadline: 50 };
    expect(await one.reserve("k", attempt)).toEqual(proceed);
    expect(await two.reserve("k", { ...attempt, token: "b" })).toEqual(proceed);
    await one.crash();
    expect(await one.reserve("k", attempt)).toEqual(proceed);
    await one.advance(100);
    expect([await one.size(), await two.size()]).toEqual([0, 1]);
    for (const session of [one, two, one]) await session.close();
  });

  test("rejects with a RangeError what is beyond the store's limits", async () => {
    const target = durableObjectTarget(first(), { policy: hardened });
    const session = await target.open({ pendingMs: 100, retentionMs: 100 });
    const reserve = session.reserve("k", { token: "", fingerprint: "f" });
    await expect(reserve).rejects.toThrow(RangeError);
    expect(await session.size()).toBe(0);
    await session.close();
  });
});
