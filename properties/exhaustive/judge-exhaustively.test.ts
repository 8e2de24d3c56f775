import { describe, expect, it } from "vitest";
import { hardened } from "../../model/policy.ts";
import {
  chosenScenarios,
  judgeExhaustively,
  judgeScenario,
  verdictsOf,
} from "./judge-exhaustively.ts";
import { differsFromPinned } from "./scenario-counts.ts";
import { settingOptions, settings, type Scenario } from "./scenarios.ts";

describe("the exhaustive judgement", () => {
  it("holds for hardened where two attempts and a copy meet any number of every fault", async () => {
    const verdicts = await judgeExhaustively({
      policy: "hardened",
      level: "quick",
      scenarioIds: ["hardened-copies"],
      maxSeconds: 120,
    });
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(verdicts.map(() => "holds"));
    expect(verdicts[0]?.searches[0]?.evidence).toMatchInlineSnapshot(`
      {
        "depth": 38,
        "edges": 603138,
        "states": 107902,
      }
    `);
  }, 180_000);

  it("refutes execution for published, with the shortest witness as steps", async () => {
    const [execution] = await judgeExhaustively({
      policy: "published",
      level: "quick",
      scenarioIds: ["published-execution"],
      maxSeconds: 60,
    });
    expect(execution?.verdict).toBe("refuted");
    expect(execution?.witness?.length).toBe(5);
    expect(execution?.witness?.steps.at(-1)?.action).toMatch(/^execute/);
  }, 120_000);

  it("says inconclusive where a bound is passed", async () => {
    const verdicts = await judgeExhaustively({
      policy: "hardened",
      level: "quick",
      scenarioIds: ["hardened-copies"],
      maxSeconds: 60,
      maxStates: 1_000,
    });
    expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(["inconclusive"]));
    expect(verdicts[0]?.reason).toMatch(/maxStates/);
  }, 120_000);

  it("says inconclusive only of what needs a sweep, where the search is whole and the sweep met a bound", async () => {
    const asked = {
      policy: "hardened",
      level: "quick",
      scenarioIds: ["hardened-copies"],
      maxSeconds: 60,
    } as const;
    const scenario = chosenScenarios(asked)[0] as Scenario;
    // What the search alone needs; the marks of a sweep come on top.
    const maxBytes = (await judgeScenario(scenario, {}, 60)).result.bytes;
    const verdicts = await judgeExhaustively({ ...asked, maxBytes });
    const open = verdicts.filter(({ verdict }) => verdict !== "holds");
    expect(open.map(({ invariant, reason }) => [invariant, reason])).toEqual([
      [
        "no-stuck-key",
        "hardened-copies: stopped by maxBytes: states=107902 edges=603138 depth=38 queueLength=0",
      ],
    ]);
    expect(verdicts.length).toBe(scenario.options.watched.length);
  }, 120_000);

  it("compares a whole search with the pinned counts, also where a sweep met a bound", () => {
    const whole = { isWhole: true, states: 1, edges: 1, depth: 1, stoppedBy: "maxBytes" } as const;
    expect(differsFromPinned("hardened-queue-copies", whole)).toMatch(/not the pinned ones/);
  });

  it("says inconclusive of a vacuous claim: nothing is forged where no request is", async () => {
    const scenario = {
      id: "vacuous",
      title: "no forged request",
      level: "quick",
      options: {
        ...settingOptions("vacuous", hardened, settings["two attempts"]),
        budgets: {},
        watched: ["forged-never-executes"],
      },
    } as const;
    const { result } = await judgeScenario(scenario, {}, 60);
    expect(result.properties[0]?.verdict).toBe("inconclusive");
    expect(result.properties[0]?.because).toMatch(/vacuous/);
  }, 120_000);

  it("decides nothing by a search whose counts are not the pinned ones, unless it refutes", async () => {
    const [scenario] = chosenScenarios({
      policy: "hardened",
      level: "quick",
      scenarioIds: ["hardened-keys"],
    });
    if (scenario === undefined) throw new Error("the scenario is gone: hardened-keys");
    const judged = await judgeScenario(scenario, {}, 60);
    expect(verdictsOf("hardened", [judged])[0]?.searches[0]?.verdict).toBe("holds");
    const { result } = judged;
    const changed = { ...judged, result: { ...result, states: result.states + 1 } };
    const [verdict] = verdictsOf("hardened", [changed]);
    const because = expect.stringMatching(/^the counts are not the pinned ones/) as string;
    expect(verdict?.verdict).toBe("inconclusive");
    expect(verdict?.searches[0]).toMatchObject({ verdict: "inconclusive", because });
    const broken = {
      ...changed,
      result: {
        ...changed.result,
        properties: result.properties.map((each) => ({
          ...each,
          verdict: "refuted" as const,
          witness: { states: [], actions: [], loopsTo: null },
        })),
      },
    };
    const [refuted] = verdictsOf("hardened", [broken]);
    expect([refuted?.verdict, refuted?.searches[0]?.verdict]).toEqual(["refuted", "refuted"]);
  });

  it("refuses a scenario that the policy does not have, in one line", () => {
    expect(() =>
      chosenScenarios({ policy: "paper", level: "quick", scenarioIds: ["hardened-three"] }),
    ).toThrow(/^unknown scenario: scenario=hardened-three policy=paper; take one of .*$/);
  });
});
