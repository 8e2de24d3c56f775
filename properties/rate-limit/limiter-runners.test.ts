// Claim: rate limits are atomic. Random plans refute the fixed window, each planted defect, and never what ships.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AdmissionReply, decideSliding } from "../../impl/rate-limit.ts";
import { hardened, paper, type Policy, published } from "../../model/policy.ts";
import { rateLimitInvariants } from "../../model/rate-limit-invariants.ts";
import { runCampaignOf } from "../campaign.ts";
import { limiterRunner, modelLimiterRunner, type RateLimitRunner } from "./limiter-runners.ts";
import { type LimiterWorkerd, startLimiterWorkerd } from "./limiter-workerd.ts";
import type { DecideRequest } from "./model-limiter.ts";
import type { RateLimitHistory } from "./rate-limit-history.ts";
import type { RateLimitPlan } from "./rate-limit-plan.ts";
import { rateLimitPlanArbitrary } from "./rate-limit-plan-arbitrary.ts";
import { rateLimitPlanShape } from "./rate-limit-plan-shape.ts";
import { rateLimitSituationNames } from "./rate-limit-situations.ts";

let workerd: LimiterWorkerd;

beforeAll(async () => {
  workerd = await startLimiterWorkerd();
});

afterAll(() => workerd.close());

const seed = 20_261_130;

function campaign(runner: RateLimitRunner, runs: number) {
  const plans = rateLimitPlanArbitrary();
  return runCampaignOf(rateLimitPlanShape, runner, { seed, runs, plans });
}

const brokenBy = async (runner: RateLimitRunner, runs: number) =>
  (await campaign(runner, runs)).findings.map(({ invariant }) => invariant);

const targets = (policy: Policy): readonly (readonly [string, RateLimitRunner])[] => [
  ["the limiter that ships", limiterRunner(workerd, { policy })],
  ["its decisions", modelLimiterRunner(policy)],
];

describe("random plans", () => {
  it.each([paper, hardened])(
    "never refute the sliding log of $name, and try all of it",
    async (policy) => {
      for (const [, runner] of targets(policy)) {
        const { findings, exercised, sometimes } = await campaign(runner, 300);
        expect(findings).toEqual([]);
        expect(Object.keys(exercised).toSorted()).toEqual(
          Object.keys(rateLimitInvariants).toSorted(),
        );
        expect(Object.keys(sometimes).toSorted()).toEqual(rateLimitSituationNames.toSorted());
      }
    },
  );

  it("refute the fixed window by four requests around its end, and by nothing else", async () => {
    for (const [, runner] of targets(published)) {
      const { findings } = await campaign(runner, 600);
      const [finding] = findings;
      expect(findings.map(({ invariant }) => invariant)).toEqual(["rate-limit"]);
      expect(finding).toMatchObject({ minimal: true, plan: { limit: 2 } });
      expect(finding?.plan.steps.map(({ kind }) => kind)).toEqual([
        "ask",
        "advance",
        "ask",
        "advance",
        "ask",
        "ask",
      ]);
    }
  });

  it("find that two isolates get the last place where another comes between read and write", async () => {
    const { findings } = await campaign(
      limiterRunner(workerd, { policy: hardened, mutant: "gap" }),
      100,
    );
    const lastPlace = findings.find(({ invariant }) => invariant === "last-place");
    expect(lastPlace).toMatchObject({ minimal: true, plan: { limit: 1 } });
    expect(lastPlace?.plan.steps).toMatchObject([{ overlaps: true }, { overlaps: false }]);
  });

  it.each([
    ["loses its log in a reset", "forgets", "rate-limit"],
    ["erases nothing when its alarm rings", "keeps", "rate-limit-reclaim"],
  ] as const)("find that a limiter %s", async (_, mutant, invariant) => {
    expect(await brokenBy(limiterRunner(workerd, { policy: hardened, mutant }), 300)).toContain(
      invariant,
    );
  });
});

describe("a planted defect in the decision", () => {
  const changed =
    (
      change: (reply: AdmissionReply, decisive: number | null, now: number) => AdmissionReply,
    ): DecideRequest =>
    (log, limit, now) => {
      const decisive = log.at(-limit.requests) ?? null;
      const reply = change(decideSliding(limit, decisive, now), decisive, now);
      if (reply.outcome === "admitted") log.push(now);
      return reply;
    };

  it.each([
    [
      "that counts a request a window ago",
      "needed-refusal",
      changed((reply, decisive, now) =>
        decisive !== null && now - decisive === 60_000
          ? { outcome: "limited", retryAfterMs: 1 }
          : reply,
      ),
    ],
    [
      "that counts a millisecond too few",
      "rate-limit",
      changed((reply) =>
        reply.outcome === "limited" && reply.retryAfterMs === 1 ? { outcome: "admitted" } : reply,
      ),
    ],
    [
      "that rounds up to seconds",
      "retry-after",
      changed((reply) =>
        reply.outcome === "limited"
          ? { ...reply, retryAfterMs: Math.ceil(reply.retryAfterMs / 1000) * 1000 }
          : reply,
      ),
    ],
  ])("%s breaks %s", async (_, invariant, decide) => {
    expect(await brokenBy(modelLimiterRunner(hardened, decide), 300)).toContain(invariant);
  });
});

describe("the limiter on workerd", () => {
  const plans = fc.sample(rateLimitPlanArbitrary(), { seed, numRuns: 40 });

  it("gives the same history for the same plan", async () => {
    const runner = limiterRunner(workerd, { policy: hardened });
    for (const plan of plans)
      expect(await runner.runPlan(plan)).toEqual(await runner.runPlan(plan));
  });

  it.each([published, hardened])(
    "answers as its decisions do, but for who is first of a wave: $name",
    async (policy) => {
      const [ships, decisions] = targets(policy).map(([, runner]) => runner);
      for (const plan of plans) {
        expect(withoutOrder(await historyOf(ships, plan))).toEqual(
          withoutOrder(await historyOf(decisions, plan)),
        );
      }
    },
  );
});

async function historyOf(runner: RateLimitRunner | undefined, plan: RateLimitPlan) {
  const run = await runner?.runPlan(plan);
  if (run === undefined) throw new Error("no runner");
  return run.history;
}

/** The replies of each wave and tenant as a sorted list; rows of tenants that never ask left out. */
function withoutOrder({ events }: RateLimitHistory): readonly string[] {
  const texts = events.map((event) => {
    if (event.kind === "ask") return JSON.stringify([event.wave, event.tenant, event.reply]);
    if (event.kind !== "advance") return JSON.stringify(event);
    return JSON.stringify({ ...event, stored: event.stored.filter((rows) => rows > 0) });
  });
  return texts.toSorted();
}
