// The runner that ends a batch at its first finding.
import { expect, it } from "vitest";
import { endingRunner } from "./ending-runner.ts";
import type { Plan } from "./plan.ts";
import type { PlanRunner, PlanVerdict } from "./plan-runner.ts";

const plans = Array.from({ length: 30 }, (_, place) => ({ schedule: [place] }) as unknown as Plan);

/** Breaks what is told at the places that are told; `answers`: how many plans it judges at most. */
function runnerThat(breaks: Readonly<Record<number, string>>, answers = Infinity) {
  const judged: number[] = [];
  const runner: PlanRunner = {
    name: "told",
    judgePlans: async (asked) =>
      asked.flatMap(({ schedule: [place = -1] }): PlanVerdict[] => {
        if (place >= answers) return [];
        judged.push(place);
        const invariant = breaks[place];
        const violations = invariant === undefined ? [] : [{ invariant }];
        return [{ violations, exercised: [], situations: [], operations: 1, decided: true }];
      }),
    runPlan: () => Promise.reject(new Error("not asked for")),
    close: async () => {},
  };
  return { judged, runner: endingRunner(runner, "acceptance") };
}

it("ends with the first plan that breaks the invariant, and runs at most three after it", async () => {
  const { judged, runner } = runnerThat({ 3: "ownership", 12: "acceptance", 13: "acceptance" });
  const verdicts = await runner.judgePlans(plans);
  expect(verdicts).toHaveLength(13);
  expect(verdicts[12]?.violations).toEqual([{ invariant: "acceptance" }]);
  expect(judged).toHaveLength(16);
});

it("judges every plan where none breaks it", async () => {
  expect(await runnerThat({ 3: "ownership" }).runner.judgePlans(plans)).toHaveLength(30);
});

it("ends where the runner itself ended", async () => {
  expect(await runnerThat({}, 17).runner.judgePlans(plans)).toHaveLength(17);
});
