import { describe, expect, it } from "vitest";
import { ablatedPolicy, ablations, type Ablation, type SettingName } from "./ablations.ts";
import { checkModel } from "./check.ts";
import { compileSystem } from "./compile-system.ts";
import { latchkeySystem } from "./latchkey-system.ts";
import { settingOptions, settings } from "./scenarios.ts";

/** What breaks first in a setting, by name and by the length of its shortest witness. */
async function brokenIn(ablation: Ablation, setting: SettingName): Promise<readonly string[]> {
  const options = settingOptions(setting, ablatedPolicy(ablation), settings[setting]);
  const model = compileSystem(latchkeySystem(options), { symmetry: true });
  const { properties, stoppedBy } = await checkModel(model, {
    symmetry: true,
    stopWhen: "refuted",
    bounds: { maxStates: 2_000_000 },
  });
  expect([null, "refuted"]).toContain(stoppedBy);
  return properties.flatMap(({ id, verdict, witness }) =>
    verdict === "refuted" ? [`${id} ${witness?.actions.length}`] : [],
  );
}

describe("hardened without one of its mechanisms", () => {
  const refuted = ablations.flatMap((each) => (each.broken ? [{ each, ...each.broken }] : []));
  const safe = ablations.filter(({ broken }) => broken === null);

  it.each(refuted.map((row) => [row.each.without, row.invariant, row.length, row] as const))(
    "without %s breaks %s in %i steps",
    async (_without, invariant, length, { each, setting }) => {
      expect(await brokenIn(each, setting)).toContain(`${invariant} ${length}`);
    },
    120_000,
  );

  it.each(safe.map((each) => [each.without, each] as const))(
    "without %s breaks nothing within the bounds",
    async (_without, each) => {
      const where = each.off.consumerGuard
        ? (["queue"] as const)
        : (["two attempts", "memory"] as const);
      for (const setting of where) expect(await brokenIn(each, setting)).toEqual([]);
    },
    240_000,
  );
});
