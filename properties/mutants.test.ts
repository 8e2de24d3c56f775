// Each planted defect is refuted within 300 histories, whatever the seed, by what it breaks.
import { describe, expect, it } from "vitest";
import { type Policy, hardened } from "../model/policy.ts";
import { runCampaign } from "./campaign.ts";
import { inProcessRunner } from "./in-process-runner.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import { campaign, type Change, mutant, type PlantedDefect } from "./planted-defects.ts";
import { capabilitiesOf } from "./policy-answers.ts";
import type { StoreTarget } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";
import { modelTarget } from "./targets/model-target.ts";

const seeds = [1, 2];

/** The machine with one mechanism off, judged as if it were on. */
function ablation(change: Partial<Policy>): StoreTarget {
  return { ...modelTarget({ ...hardened, ...change }), capabilities: capabilitiesOf(hardened) };
}

/** Every key passes through `map` on its way in. */
function keysThrough(map: (key: string) => string): Change {
  return (session) => ({
    reserve: (key, attempt) => session.reserve(map(key), attempt),
    commit: (key, attempt) => session.commit(map(key), attempt),
    release: (key, attempt) => session.release(map(key), attempt),
  });
}

/** A reserve that reads, waits for `gap`, and writes. */
function gapTarget(gap: () => Promise<unknown>): StoreTarget {
  return mutant((session) => {
    const blocked = new Set<string>();
    return {
      reserve: async (key, attempt) => {
        const isBlocked = blocked.has(key);
        await gap();
        if (isBlocked) return session.reserve(key, attempt);
        blocked.add(key);
        const answer = await session.reserve(key, attempt);
        return answer.outcome === "in-flight" ? { outcome: "proceed", fence: 1e6 } : answer;
      },
    };
  });
}

const planted: readonly PlantedDefect[] = [
  ["owner tokens off", "ownership", ablation({ ownerTokens: false, lateCommit: "ignore" })],
  ["repeated reserve off", "lost-replies-heal", ablation({ repeatedReserve: false })],
  ["fingerprints off", "mismatch", ablation({ fingerprints: false })],
  ["replay off", "replay", ablation({ replay: false })],
  ["uniform refusals", "truthful-refusal", ablation({ refusal: "uniform" })],
  ["retention from the reserve", "committed-blocks", ablation({ retentionFrom: "reserve" })],
  ["one phase", "release-on-soft-fail", ablation({ phases: "one" })],
  ["keys compared without case", "isolation", mutant(keysThrough((key) => key.toLowerCase()))],
  ["keys in a normal form", "isolation", mutant(keysThrough((key) => key.normalize()))],
  ["keys trimmed", "isolation", mutant(keysThrough((key) => key.trim()))],
  ["keys cut at NUL", "isolation", mutant(keysThrough((key) => key.split("\0")[0] ?? ""))],
  ["keys made well-formed", "isolation", mutant(keysThrough((key) => key.toWellFormed()))],
  ["keys cut to 64 units", "isolation", mutant(keysThrough((key) => key.slice(0, 64)))],
  [
    "a fence that starts again",
    "ownership",
    mutant((session) => ({
      reserve: async (key, attempt) => {
        const answer = await session.reserve(key, attempt);
        return answer.outcome === "proceed" ? { ...answer, fence: 1 } : answer;
      },
    })),
  ],
  [
    "a deadline that moves when asked again",
    "lost-replies-heal",
    mutant((session) => {
      let asked = 0;
      return {
        reserve: async (key, attempt) => {
          const answer = await session.reserve(key, attempt);
          return answer.outcome === "proceed" ? { ...answer, deadline: asked++ } : answer;
        },
      };
    }),
  ],
  [
    "ended records that stay",
    "reclaim",
    mutant((session) => {
      let most = 0;
      return { size: async () => (most = Math.max(most, await session.size())) };
    }),
  ],
  [
    "one record too many, where there is any",
    "reclaim",
    mutant((session) => ({
      size: async () => {
        const size = await session.size();
        return size === 0 ? 0 : size + 1;
      },
    })),
  ],
  [
    "a key that stays blocked",
    "no-stuck-key",
    mutant((session) => {
      const refused = new Set<string>();
      return {
        reserve: async (key, attempt) => {
          if (refused.has(key)) return { outcome: "in-flight" };
          const answer = await session.reserve(key, attempt);
          if (answer.outcome === "in-flight") refused.add(key);
          return answer;
        },
      };
    }),
  ],
  [
    "a response that is forgotten where it is empty",
    "replay",
    mutant((session) => ({
      reserve: async (key, attempt) => {
        const answer = await session.reserve(key, attempt);
        return answer.outcome === "duplicate" && answer.response === ""
          ? { outcome: "duplicate" }
          : answer;
      },
    })),
  ],
  [
    "a release that is answered and not done",
    "release-on-soft-fail",
    mutant(() => ({ release: async () => "done" })),
  ],
  [
    "a timer between read and write",
    "acceptance",
    gapTarget(() => new Promise((resolve) => setTimeout(resolve, 1))),
  ],
  ...[1, 2, 3, 4].map(
    (ticks) =>
      [
        `a gap of microtasks between read and write: ticks=${ticks}`,
        "acceptance",
        gapTarget(async () => {
          // The await that follows this call is the last of them.
          for (let tick = 1; tick < ticks; tick += 1) await Promise.resolve();
        }),
      ] as const,
  ),
  [
    "a crash that forgets reservations",
    "durability",
    mutant((session) => {
      const held = new Map<string, string>();
      return {
        reserve: async (key, attempt) => {
          const answer = await session.reserve(key, attempt);
          if (answer.outcome === "proceed") held.set(key, attempt.token);
          return answer;
        },
        crash: async () => {
          for (const [key, token] of held) await session.release(key, { token });
        },
      };
    }),
  ],
];

describe("a planted defect is refuted within 300 histories", () => {
  for (const [defect, invariant, target] of planted) {
    it(`${defect}: ${invariant}`, async () => {
      for (const seed of seeds) {
        const { findings } = await campaign(target, seed, invariant);
        expect(findings, `seed=${seed}`).toMatchObject([{ invariant, minimal: true }]);
      }
    });
  }
});

describe("nothing is found in", () => {
  it.each([
    ["the model", modelTarget(hardened)],
    ["the memory store", memoryTarget(hardened)],
    [
      "the model without late commits, which the contract allows",
      ablation({ lateCommit: "ignore" }),
    ],
  ])("%s", async (_, target) => {
    for (const seed of seeds) expect((await campaign(target, seed)).findings).toEqual([]);
  });
});

it("a campaign is the same twice with one seed", async () => {
  const target = ablation({ ownerTokens: false, lateCommit: "ignore" });
  expect(await campaign(target, 7, "ownership")).toEqual(await campaign(target, 7, "ownership"));
});

it("a campaign that is cancelled says so, with what it saw until then", async () => {
  const controller = new AbortController();
  const result = await runCampaign(inProcessRunner(memoryTarget(hardened)), {
    seed: 1,
    runs: 2000,
    plans: planArbitrary({ crash: true, exactClock: true }),
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  expect(result).toMatchObject({ stopped: "cancelled", histories: 200 });
});
