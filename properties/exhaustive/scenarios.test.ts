import { describe, expect, it } from "vitest";
import { judgeScenario } from "./judge-exhaustively.ts";
import { differsFromPinned, pinnedCounts } from "./scenario-counts.ts";
import { hardenedScenarios, isWatchedUnder, scenarios } from "./scenarios.ts";

describe("the scenarios of hardened", () => {
  it.each(
    hardenedScenarios
      .filter(({ level }) => level === "quick")
      .map((each) => [each.id, each] as const),
  )(
    "%s refutes nothing, and has as many states and edges as ever",
    async (id, scenario) => {
      const { result } = await judgeScenario(scenario, {}, 300);
      expect(result.properties.filter(({ verdict }) => verdict === "refuted")).toEqual([]);
      expect([result.states, result.edges, result.depth]).toEqual(pinnedCounts[id]);
    },
    300_000,
  );

  it("have pinned counts, the deep ones too", () => {
    expect(Object.keys(pinnedCounts).toSorted()).toEqual(
      hardenedScenarios.map(({ id }) => id).toSorted(),
    );
  });

  it("say in one line where a count is not the pinned one, once the search is whole", () => {
    const pinned = { small: [10, 20, 3] } as const;
    const whole = { isWhole: true, states: 10, edges: 20, depth: 3 };
    expect(differsFromPinned("small", whole, pinned)).toBe(null);
    expect(differsFromPinned("other", whole, pinned)).toBe(null);
    expect(differsFromPinned("small", { ...whole, edges: 21 }, pinned)).toMatch(
      /^the counts are not the pinned ones: states\/edges\/depth=10\/21\/3 pinned=10\/20\/3; .*$/,
    );
    expect(differsFromPinned("small", { ...whole, edges: 7, isWhole: false }, pinned)).toBe(null);
  });

  it("of the paper watch no settlement, for there is none", async () => {
    const [any] = scenarios.filter(({ id }) => id === "paper-record-blocks");
    if (any === undefined) throw new Error("the scenario is gone: paper-record-blocks");
    const watched = ["committed-blocks", "ownership"] as const;
    const options = { ...any.options, watched };
    const { result } = await judgeScenario({ ...any, options }, {}, 60);
    for (const invariant of watched) {
      expect(isWatchedUnder("paper", invariant)).toBe(false);
      expect(isWatchedUnder("published", invariant)).toBe(true);
      const because = result.properties.find(({ id }) => id === invariant)?.because;
      expect(because).toMatch(/^vacuous: /);
    }
  }, 60_000);

  it("have ids that differ", () => {
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  });
});
