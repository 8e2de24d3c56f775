import fc from "fast-check";
import { expect, test } from "vitest";
import { minimiseBy } from "../minimise.ts";
import { gatewayPlanArbitrary } from "./gateway-plan-arbitrary.ts";
import { gatewayPlanShape, weight } from "./gateway-plan-shapes.ts";

const { withoutChunks, withoutOne, simpler } = gatewayPlanShape;

test("a simpler plan is lighter, so that the search ends", () => {
  fc.assert(
    fc.property(gatewayPlanArbitrary(), (plan) => {
      for (const candidate of simpler(plan)) {
        expect(weight(candidate)).toBeLessThan(weight(plan));
        expect(candidate.steps).toHaveLength(plan.steps.length);
      }
    }),
    { seed: 1, numRuns: 50 },
  );
});

test("a smaller plan has fewer requests or fewer steps, and names no attempt that went", () => {
  fc.assert(
    fc.property(gatewayPlanArbitrary(), (plan) => {
      for (const { requests, steps } of [...withoutOne(plan), ...withoutChunks(plan)]) {
        const size = requests.length + steps.length;
        expect(size).toBeLessThan(plan.requests.length + plan.steps.length);
        const attempts = steps.flatMap((step) => ("attempt" in step ? [step.attempt] : [0]));
        expect(Math.max(0, ...attempts)).toBeLessThan(Math.max(1, requests.length));
      }
    }),
    { seed: 1, numRuns: 50 },
  );
});

test("the minimal plan keeps what the failure needs, and nothing else", async () => {
  const plan = fc
    .sample(gatewayPlanArbitrary(), { seed: 1, numRuns: 200 })
    .find(({ steps }) => steps.some(({ kind }) => kind === "crash"));
  expect(plan).toBeDefined();
  if (plan === undefined) return;
  const minimised = await minimiseBy(gatewayPlanShape, plan, async (candidates) =>
    candidates.findIndex(({ steps }) => steps.some(({ kind }) => kind === "crash")),
  );
  expect(minimised.minimal).toBe(true);
  expect(minimised.plan).toMatchObject({
    mode: "direct",
    requests: [],
    steps: [{ kind: "crash" }],
  });
});
