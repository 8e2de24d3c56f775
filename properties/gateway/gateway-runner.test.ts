// Judges that random plans alone refute the published gateway in every known way, and never the hardened one.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hardened, published, type Policy } from "../../model/policy.ts";
import { runCampaignOf } from "../campaign.ts";
import type { GatewayPlan, GatewayStep } from "./gateway-plan.ts";
import { gatewayPlanArbitrary } from "./gateway-plan-arbitrary.ts";
import { gatewayPlanShape } from "./gateway-plan-shapes.ts";
import { gatewayRunner, startGatewayProcesses, type GatewayRunner } from "./gateway-runner.ts";
import { refutedEverywhere } from "./judge-gateway.ts";
import type { GatewayWorkerd } from "./plan-workerd.ts";

let processes: readonly GatewayWorkerd[] = [];

beforeAll(async () => {
  processes = await startGatewayProcesses(1);
});

afterAll(() => Promise.all(processes.map((workerd) => workerd.close())));

function runnerUnder(policy: Policy): GatewayRunner {
  return gatewayRunner(processes, { policy });
}

/** Invariant, attempts and steps of each known way; at most two attempts, as the model says. */
const witnesses = [
  ["execution/unknown-outcome", 1, 7],
  ["execution/minute-boundary", 2, 7],
  ["execution/redelivery", 1, 10],
  ["failed-may-retry", 1, 4],
  ["isolation/silent-downgrade", 2, 2],
] as const;

test("the published gateway is refuted by random search alone, in every known way", async () => {
  const { findings, histories } = await runCampaignOf(gatewayPlanShape, runnerUnder(published), {
    seed: 1,
    runs: 250,
    plans: gatewayPlanArbitrary(),
    invariants: new Set(witnesses.map(([invariant]) => invariant)),
  });
  expect(histories).toBe(250);
  for (const [invariant, attempts, steps] of witnesses) {
    const finding = findings.find((each) => each.invariant === invariant);
    expect(finding?.minimal).toBe(true);
    expect(finding?.plan.requests).toHaveLength(attempts);
    expect(finding?.plan.steps).toHaveLength(steps);
  }
});

describe("the hardened gateway", () => {
  test("holds over random plans, which exercise what it is judged by", async () => {
    const plans = fc.sample(gatewayPlanArbitrary(), { seed: 1, numRuns: 100 });
    const verdicts = await runnerUnder(hardened).judgePlans(plans);
    const broken = verdicts.flatMap(({ violations }) => violations.map((each) => each.invariant));
    expect(broken.filter((invariant) => !refutedEverywhere.has(invariant))).toEqual([]);
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

function pass() {
  const caller = { who: "attempt", index: 0 } as const;
  return { kind: "pass", caller, fault: "none", behaviour: "succeed" } as const;
}

function planOf(steps: readonly GatewayStep[]): GatewayPlan {
  return {
    mode: "direct",
    gatewayAheadMs: 0,
    downstreamLagMs: 0,
    requests: [{ bearer: "live", clientKey: "one", payload: "same", respelled: false }],
    steps,
  };
}
