import { describe, expect, it } from "vitest";
import { judgeScenario } from "./judge-exhaustively.ts";
import { hardenedScenarios, scenarios } from "./scenarios.ts";

/** States, edges and depth of each quick scenario of hardened; symmetric states count once. */
const counts: Readonly<Record<string, readonly [number, number, number]>> = {
  "hardened-three": [984_843, 6_594_140, 48],
  "hardened-copies": [107_902, 603_138, 38],
  "hardened-payloads": [86_776, 421_501, 31],
  "hardened-memory": [99_452, 558_594, 38],
  "hardened-window": [22_737, 108_687, 31],
  "hardened-keys": [3, 3, 2],
  "hardened-queue": [944_839, 6_032_269, 37],
  "hardened-queue-copies": [26_002, 128_089, 28],
};

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
      expect([result.states, result.edges, result.depth]).toEqual(counts[id]);
    },
    300_000,
  );

  it("have ids that differ", () => {
    expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  });
});
