import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { checkModel } from "./check.ts";
import { compileSystem } from "./compile-system.ts";
import { stepsOf } from "./judge-exhaustively.ts";
import { latchkeySystem } from "./latchkey-system.ts";
import { witnessPage, type HuntedGroup } from "./witness-page.ts";
import { outsideHunts, paperHunts, publishedHunts, type WitnessHunt } from "./witness-hunts.ts";

/** Without symmetry: the names of the attempts are part of a story. */
async function shortest(hunt: WitnessHunt): Promise<readonly string[]> {
  const model = compileSystem(latchkeySystem(hunt.options), { symmetry: false });
  const result = await checkModel(model, { stopWhen: "refuted", bounds: { maxStates: 100_000 } });
  const witness = result.properties.find(({ id }) => id === hunt.invariant)?.witness;
  return witness
    ? stepsOf(model, witness).map(({ actor, action, detail }) => `${actor}: ${action}; ${detail}`)
    : [];
}

const groups = [
  ["published", publishedHunts],
  ["paper", paperHunts],
  ["what is outside every claim", outsideHunts],
] as const;

describe.each(groups)("the witnesses against %s", (_, hunts) => {
  it.each(hunts.map((hunt) => [hunt.name, hunt.invariant, hunt.length, hunt] as const))(
    "%s breaks %s in %i steps",
    async (_name, _invariant, length, hunt) => {
      const steps = await shortest(hunt);
      expect(steps).toHaveLength(length);
    },
  );
});

describe("the zombie", () => {
  it("deletes the reservation of another in its shortest history", async () => {
    const [zombie] = publishedHunts;
    const steps = zombie ? await shortest(zombie) : [];
    expect(steps.at(-2)).toBe("store: release; of attempt A: the key is absent");
    expect(steps.at(-1)).toMatch(/^store: reserve; attempt C/);
  });
});

describe("the page of witnesses", () => {
  it("says what is found", async () => {
    const told: HuntedGroup[] = [];
    for (const [title, hunts] of groups) {
      const hunted: HuntedGroup["hunted"][number][] = [];
      for (const hunt of hunts) hunted.push({ hunt, steps: await shortest(hunt) });
      told.push({
        title: title === groups[2][0] ? "Outside every claim" : `Against ${title}`,
        hunted,
      });
    }
    const page = await format(witnessPage(told), { parser: "markdown", printWidth: 100 });
    await expect(page).toMatchFileSnapshot("../../docs/witnesses.md");
  });
});
