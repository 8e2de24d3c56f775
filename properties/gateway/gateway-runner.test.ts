// Judges that random plans never refute the hardened gateway; `bin/verify-gateway.test.ts` has the published one.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hardened, type Policy } from "../../model/policy.ts";
import type { GatewayPlan, GatewayStep, PlannedRequest } from "./gateway-plan.ts";
import { gatewayPlanArbitrary } from "./gateway-plan-arbitrary.ts";
import { gatewayRunner, startGatewayProcesses, type GatewayRunner } from "./gateway-runner.ts";
import type { GatewayWorkerd } from "./plan-workerd.ts";

let processes: readonly GatewayWorkerd[] = [];

beforeAll(async () => {
  processes = await startGatewayProcesses(1);
});

afterAll(() => Promise.all(processes.map((workerd) => workerd.close())));

function runnerUnder(policy: Policy): GatewayRunner {
  return gatewayRunner(processes, { policy });
}

describe("the hardened gateway", () => {
  test("holds over random plans, which exercise what it is judged by", async () => {
    const plans = fc.sample(gatewayPlanArbitrary(), { seed: 1, numRuns: 100 });
    const verdicts = await runnerUnder(hardened).judgePlans(plans);
    const broken = verdicts.flatMap(({ violations }) => violations.map((each) => each.invariant));
    // Where a release is lost no policy can let the retry through before the pending time is over.
    expect(broken.filter((invariant) => invariant !== "failed-may-retry")).toEqual([]);
    const exercised = new Set(verdicts.flatMap((verdict) => verdict.exercised));
    for (const invariant of ["execution", "truthful-refusal", "nothing-lost", "fail-closed"]) {
      expect(exercised).toContain(invariant);
    }
  });

  test("gives the same history for the same plan", async () => {
    const runner = runnerUnder(hardened);
    for (const plan of fc.sample(gatewayPlanArbitrary(), { seed: 5, numRuns: 20 })) {
      expect(await runner.runPlan(plan)).toEqual(await runner.runPlan(plan));
    }
  });

  test("loses no effect to a call that arrives past its deadline: it is refused", async () => {
    const { history } = await runnerUnder(hardened).runPlan(
      planOf([start, pass(), { ...pass(), fault: "delayed" }, toExpiry, arrive]),
    );
    expect(history.events).toContainEqual(
      expect.objectContaining({ kind: "dispatched", executed: false, said: "refused-by-deadline" }),
    );
    expect(history.events).toContainEqual(
      expect.objectContaining({ kind: "response", code: "OUTCOME_UNKNOWN" }),
    );
  });

  test("judges by its record's time, not by whether a late alarm has erased it", async () => {
    const late: GatewayStep = { kind: "late-alarm", ms: 340_000 };
    const retry: GatewayPlan = {
      ...planOf([start, pass(), late, { kind: "start", attempt: 1 }, pass(1)]),
      requests: [request, request],
    };
    const { history, judgement } = await runnerUnder(hardened).runPlan(retry);
    expect(judgement.situations).toContain("a reserve finds what a late alarm has left");
    expect(history.events).toContainEqual(
      expect.objectContaining({ kind: "store", attempt: 1, answer: "proceed" }),
    );
    expect(judgement.violations).toEqual([]);
  });

  test("erases nothing that blocks when its alarm rings out of turn", async () => {
    const { history } = await runnerUnder(hardened).runPlan(
      planOf([start, pass(), { kind: "ring" }, pass(), pass()]),
    );
    const rung = history.events.find(({ kind }) => kind === "ring");
    expect(rung !== undefined && "records" in rung ? Object.keys(rung.records) : []).toHaveLength(
      1,
    );
    expect(history.events).toContainEqual(
      expect.objectContaining({ kind: "response", status: 200 }),
    );
  });

  test("is refuted where a mechanism is off", async () => {
    const doubled = planOf([start, pass(), { ...pass(), fault: "duplicated" }, arrive]);
    const lost = planOf([start, pass(), { ...pass(), fault: "lost-after" }, pass()]);
    const silent = planOf([start, { ...pass(), fault: "lost-before" }, pass()]);
    const names = async (off: Partial<Policy>, plan: GatewayPlan) => {
      const { judgement } = await runnerUnder({ ...hardened, ...off }).runPlan(plan);
      return judgement.violations.map(({ invariant }) => invariant);
    };
    expect(await names({}, doubled)).toEqual([]);
    expect(await names({}, lost)).toEqual([]);
    expect(await names({ downstreamFence: "none" }, doubled)).toContain("execution");
    expect(await names({ unknownOutcome: "release" }, lost)).toContain("truthful-answer");
    expect(await names({ storeFailure: "permit", reserveTries: 1 }, silent)).toContain(
      "fail-closed",
    );
  });
});

const start: GatewayStep = { kind: "start", attempt: 0 };
const arrive: GatewayStep = { kind: "arrive", copy: 0 };
const toExpiry: GatewayStep = { kind: "advance-to", edge: "expiry", attempt: 0, offsetMs: 0 };

function pass(index = 0) {
  const caller = { who: "attempt", index } as const;
  return { kind: "pass", caller, fault: "none", behaviour: "succeed" } as const;
}

const request: PlannedRequest = {
  bearer: "live",
  clientKey: "one",
  payload: "same",
  respelled: false,
};

function planOf(steps: readonly GatewayStep[]): GatewayPlan {
  return {
    mode: "direct",
    gatewayAheadMs: 0,
    downstreamLagMs: 0,
    requests: [request],
    steps,
  };
}
