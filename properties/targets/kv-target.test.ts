// The protocol on the Workers KV binding of real workerd: what the gap lets through, and what KV here cannot show.
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hardened, policies, type Policy, type PolicyName } from "../../model/policy.ts";
import { runCampaign } from "../campaign.ts";
import { endingRunner } from "../ending-runner.ts";
import { inProcessRunner } from "../in-process-runner.ts";
import { type KvWorkerd, startKvWorkerd } from "../kv/kv-workerd.ts";
import { reservePlans } from "../kv/reserve-plans.ts";
import { oddStrings } from "../odd-strings.ts";
import type { Plan } from "../plan.ts";
import { planArbitrary } from "../plan-arbitrary.ts";
import { kvModelTarget } from "./kv-model-target.ts";
import { kvRunner } from "./kv-target.ts";

let workerd: KvWorkerd;
beforeAll(async () => {
  workerd = await startKvWorkerd();
});
afterAll(() => workerd.close());

const names = Object.keys(policies) as PolicyName[];
const plansUnder = ({ pendingTime }: Policy) =>
  reservePlans({ oneTime: pendingTime === "retention" });
const brokenBy = async (policy: Policy, plans: readonly Plan[]): Promise<Set<string>> => {
  const verdicts = await kvRunner(workerd, { policy }).judgePlans(plans);
  expect(verdicts).toHaveLength(plans.length);
  return new Set(
    verdicts.flatMap(({ violations }) => violations.map(({ invariant }) => invariant)),
  );
};

it.each(names)(
  "refutes %s within 300 histories of any seed, by two attempts that overlap",
  async (name) => {
    const policy = policies[name];
    for (const seed of [1, 2]) {
      const { findings } = await runCampaign(
        endingRunner(kvRunner(workerd, { policy }), "acceptance"),
        { seed, runs: 300, plans: plansUnder(policy), invariants: new Set(["acceptance"]) },
      );
      expect(findings).toMatchObject([
        {
          invariant: "acceptance",
          minimal: true,
          plan: {
            attempts: [{ token: "token-A" }, { token: "token-B" }],
            steps: [
              { kind: "reserve", attempt: 0, overlaps: true },
              { kind: "reserve", attempt: 1, overlaps: false },
            ],
            schedule: [],
          },
        },
      ]);
    }
  },
);

it("shows no stale read: reserves that do not overlap break nothing", async () => {
  for (const policy of Object.values(policies)) {
    const plans = fc.sample(plansUnder(policy), 50).map((plan) => ({
      ...plan,
      steps: plan.steps.map((step) => ("overlaps" in step ? { ...step, overlaps: false } : step)),
    }));
    const broken = await brokenBy(policy, plans);
    for (const name of ["acceptance", "exclusion", "linearizability"]) {
      expect(broken).not.toContain(name);
    }
  }
});

it("gives the history of the model without copies, event for event, whatever the plan", async () => {
  const runner = kvRunner(workerd, { policy: hardened });
  const model = inProcessRunner(kvModelTarget(hardened, { stalenessMs: 0 }), { policy: hardened });
  const plans = fc.sample(planArbitrary({ crash: false, exactClock: true }), 40);
  for (const plan of [...plans, ...fc.sample(plansUnder(hardened), 20)]) {
    expect(await runner.runPlan(plan)).toEqual(await model.runPlan(plan));
  }
});

it("keeps keys apart that look alike", async () => {
  const plans = oddStrings.map((keys): Plan => ({
    pendingMs: 100,
    retentionMs: 100,
    keys,
    attempts: keys.map((_, key) => ({
      key,
      token: `t${key}`,
      fingerprint: "f",
      effect: "success",
      response: "200 ok",
    })),
    steps: keys.map((_, attempt) => ({ kind: "reserve", attempt, fault: "none", overlaps: false })),
    schedule: [],
  }));
  expect(await brokenBy(hardened, plans)).toEqual(new Set());
});

it("refuses a key whose name is longer than KV takes, and changes nothing", async () => {
  const plan: Plan = {
    pendingMs: 100,
    retentionMs: 100,
    keys: ["k".repeat(600)],
    attempts: [{ key: 0, token: "t", fingerprint: "f", effect: "success", response: "200 ok" }],
    steps: [{ kind: "reserve", attempt: 0, fault: "none", overlaps: false }],
    schedule: [],
  };
  const { history } = await kvRunner(workerd, { policy: hardened }).runPlan(plan);
  const answers = history.events.flatMap((event) =>
    event.kind === "completion" ? [event.answer.outcome] : [],
  );
  expect(new Set(answers)).toEqual(new Set(["unavailable"]));
});
