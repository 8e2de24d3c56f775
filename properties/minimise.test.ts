import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minimise, simpler, withoutOne } from "./minimise.ts";
import type { Plan } from "./plan.ts";
import { planArbitrary } from "./plan-arbitrary.ts";

const plans = planArbitrary({ crash: true, exactClock: true });

/** Fails where the plan has a crash somewhere after a settlement. */
function failsByOrder({ steps }: Plan): boolean {
  const settle = steps.findIndex(({ kind }) => kind === "settle");
  return settle >= 0 && steps.slice(settle).some(({ kind }) => kind === "crash");
}

const firstFailing =
  (fails: (plan: Plan) => boolean) =>
  async (candidates: readonly Plan[]): Promise<number> =>
    candidates.findIndex(fails);

function drawn(from: fc.Arbitrary<Plan>): Plan {
  const [plan] = fc.sample(from, { seed: 5, numRuns: 1 });
  if (plan === undefined) throw new Error("no plan was drawn");
  return plan;
}

describe("minimise", () => {
  it("leaves a plan of which no single element can go and no value be simpler", async () => {
    await fc.assert(
      fc.asyncProperty(plans.filter(failsByOrder), async (plan) => {
        const { plan: least, minimal } = await minimise(plan, firstFailing(failsByOrder));
        expect(minimal).toBe(true);
        expect(failsByOrder(least)).toBe(true);
        expect([...withoutOne(least), ...simpler(least)].filter(failsByOrder)).toEqual([]);
        expect(least.steps).toHaveLength(2);
        expect(least.attempts).toHaveLength(1);
        expect(least.schedule).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("says that the plan may not be minimal where its bound cut the search short", async () => {
    const plan = drawn(plans.filter(failsByOrder));
    const { minimal, tried } = await minimise(plan, firstFailing(failsByOrder), 20);
    expect(minimal).toBe(false);
    expect(tried).toBeLessThanOrEqual(20);
  });

  it("keeps the steps of the other attempts on the same attempts when one goes", () => {
    const plan = drawn(plans);
    const [smaller] = withoutOne(plan).filter(
      ({ attempts }) => attempts.length === plan.attempts.length - 1,
    );
    const tokensOf = ({ steps, attempts }: Plan): (string | undefined)[] =>
      steps.flatMap((step) => ("attempt" in step ? [attempts[step.attempt]?.token] : []));
    const [gone] = plan.attempts;
    expect(tokensOf(smaller ?? plan)).toEqual(
      tokensOf(plan).filter((token) => token !== gone?.token),
    );
  });

  it("puts calls beyond the course, and the session beside, back to plain ones", async () => {
    const straying: Plan = {
      ...drawn(plans),
      beside: true,
      steps: [
        { kind: "reserve", attempt: 0, fault: "none", overlaps: false, otherPayload: true },
        { kind: "settle", attempt: 0, fault: "none", overlaps: false, otherResponse: true },
        { kind: "release", attempt: 0, fault: "none", overlaps: false },
      ],
    };
    const { plan } = await minimise(straying, async (candidates) =>
      candidates.findIndex(({ steps }) => steps.length === 3),
    );
    expect(plan.beside).toBeUndefined();
    expect(plan.steps).toEqual(
      ["reserve", "settle", "settle"].map((kind) => ({
        kind,
        attempt: 0,
        fault: "none",
        overlaps: false,
      })),
    );
  });
});
