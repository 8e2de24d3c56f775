// Each planted defect is refuted within 300 histories, whatever the seed, by what it breaks; one that
// only rare strings show within 3,000.
import { describe, expect, it } from "vitest";
import { type Policy, hardened } from "../model/policy.ts";
import { runCampaign } from "./campaign.ts";
import { endingRunner } from "./ending-runner.ts";
import { inProcessRunner } from "./in-process-runner.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import { capabilitiesOf } from "./policy-answers.ts";
import type { CampaignResult } from "./results.ts";
import type { ReserveAnswer, StoreSession, StoreTarget } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";
import { modelTarget } from "./targets/model-target.ts";

const runs = 300;
const seeds = [1, 2, 3];

async function campaign(
  target: StoreTarget,
  seed: number,
  invariant?: string,
  within = runs,
): Promise<CampaignResult> {
  const runner = inProcessRunner(target);
  const options = { seed, runs: within, plans: planArbitrary(target.capabilities) };
  if (invariant === undefined) return runCampaign(runner, options);
  const invariants = new Set([invariant]);
  return runCampaign(endingRunner(runner, invariant), { ...options, invariants });
}

/** The machine with one mechanism off, judged as if it were on. */
function ablation(change: Partial<Policy>): StoreTarget {
  return { ...modelTarget({ ...hardened, ...change }), capabilities: capabilitiesOf(hardened) };
}

type Change = (session: StoreSession, options: { pendingMs: number }) => Partial<StoreSession>;

/** The correct store with something in front of it. */
function mutant(change: Change): StoreTarget {
  const target = memoryTarget(hardened);
  return {
    ...target,
    open: async (options) => {
      const session = await target.open(options);
      const plain: StoreSession = {
        reserve: (key, attempt) => session.reserve(key, attempt),
        commit: (key, attempt) => session.commit(key, attempt),
        release: (key, attempt) => session.release(key, attempt),
        advance: (ms) => session.advance(ms),
        crash: () => session.crash(),
        size: () => session.size(),
        close: () => session.close(),
      };
      return { ...plain, ...change(plain, options) };
    },
  };
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

const planted: readonly (readonly [defect: string, invariant: string, target: StoreTarget])[] = [
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

/** What a reserve is answered passes through `change`. */
function answersThrough(change: (answer: ReserveAnswer) => ReserveAnswer): StoreTarget {
  return mutant((session) => ({
    reserve: async (key, attempt) => change(await session.reserve(key, attempt)),
  }));
}

function doubtThrough(change: (inDoubt: boolean) => boolean): StoreTarget {
  return answersThrough((answer) =>
    answer.outcome === "in-flight"
      ? { ...answer, inDoubt: change(answer.inDoubt === true) }
      : answer,
  );
}

function deadlinesThrough(change: (deadline: number, fence: number) => unknown): StoreTarget {
  return answersThrough((answer) => {
    if (answer.outcome !== "proceed") return answer;
    const { deadline = 0, fence = 0 } = answer;
    return { ...answer, deadline: change(deadline, fence) as number };
  });
}

/** A store that tells the very moment of the deadline from the moments after it. */
const doubtOneLate = mutant((session) => {
  let nowMs = 0;
  const deadlines = new Map<string, number>();
  return {
    reserve: async (key, attempt) => {
      const answer = await session.reserve(key, attempt);
      if (answer.outcome === "proceed") deadlines.set(key, answer.deadline ?? 0);
      if (answer.outcome !== "in-flight" || nowMs !== deadlines.get(key)) return answer;
      return { ...answer, inDoubt: false };
    },
    advance: async (ms) => {
      nowMs += ms;
      await session.advance(ms);
    },
  };
});

/** A release by the token that has committed frees the key: it goes by another name from then on. */
const releasesCommitted = mutant((session) => {
  const freed = new Map<string, number>();
  const committed = new Set<string>();
  const nameOf = (key: string) => `${key} ${freed.get(key) ?? 0}`;
  return {
    reserve: (key, attempt) => session.reserve(nameOf(key), attempt),
    commit: async (key, attempt) => {
      const answer = await session.commit(nameOf(key), attempt);
      if (answer === "done") committed.add(`${nameOf(key)} ${attempt.token}`);
      return answer;
    },
    release: async (key, attempt) => {
      if (!committed.has(`${nameOf(key)} ${attempt.token}`)) {
        return session.release(nameOf(key), attempt);
      }
      freed.set(key, (freed.get(key) ?? 0) + 1);
      return "done";
    },
  };
});

const overwritesResponse = mutant((session) => {
  const latest = new Map<string, string>();
  return {
    reserve: async (key, attempt) => {
      const answer = await session.reserve(key, attempt);
      if (answer.outcome !== "duplicate") return answer;
      return { ...answer, response: latest.get(key) ?? answer.response ?? "" };
    },
    commit: async (key, attempt) => {
      const answer = await session.commit(key, attempt);
      if (answer === "done") latest.set(key, attempt.response);
      return answer;
    },
  };
});

const proceedsBeforeMismatch = mutant((session) => {
  const accepted = new Map<string, ReserveAnswer>();
  return {
    reserve: async (key, attempt) => {
      const answer = await session.reserve(key, attempt);
      const own = `${key} ${attempt.token}`;
      if (answer.outcome === "proceed") accepted.set(own, answer);
      return answer.outcome === "mismatch" ? (accepted.get(own) ?? answer) : answer;
    },
  };
});

/** Whoever opens a session beside another gets that one. */
function sharedSessions(): StoreTarget {
  const target = memoryTarget(hardened);
  let shared: Promise<StoreSession> | null = null;
  return {
    ...target,
    open: async (options) => {
      shared ??= target.open(options);
      const session = await shared;
      return {
        reserve: (key, attempt) => session.reserve(key, attempt),
        commit: (key, attempt) => session.commit(key, attempt),
        release: (key, attempt) => session.release(key, attempt),
        advance: (ms) => session.advance(ms),
        crash: () => session.crash(),
        size: () => session.size(),
        close: async () => {
          shared = null;
        },
      };
    },
  };
}

const closesOnce = mutant(() => {
  let isOpen = true;
  return {
    close: async () => {
      if (!isOpen) throw new Error("closed already");
      isOpen = false;
    },
  };
});

const plantedInAnswers: typeof planted = [
  ["always in doubt", "truthful-refusal", doubtThrough(() => true)],
  ["never in doubt", "truthful-refusal", doubtThrough(() => false)],
  ["in doubt one late", "truthful-refusal", doubtOneLate],
  ["a deadline that is told late", "truthful-refusal", deadlinesThrough((at) => at + 1e6)],
  ["a deadline that is told early", "truthful-refusal", deadlinesThrough((at) => at - 1e6)],
  ["deadlines that move", "truthful-refusal", deadlinesThrough((at, fence) => at + fence * 1e6)],
  ["a deadline in words", "target-fault", deadlinesThrough(() => "soon")],
  ["a release of what is committed", "committed-blocks", releasesCommitted],
  ["a second commit that overwrites", "replay", overwritesResponse],
  ["another payload by the same token", "mismatch", proceedsBeforeMismatch],
  ["one store for all sessions", "isolation", sharedSessions()],
  ["a second close that throws", "target-fault", closesOnce],
];

/** Tokens, fingerprints and responses pass through maps on their way in. */
function textsThrough(maps: {
  readonly token?: (text: string) => string;
  readonly fingerprint?: (text: string) => string;
  readonly response?: (text: string) => string;
}): StoreTarget {
  const same = (text: string) => text;
  const { token = same, fingerprint = same, response = same } = maps;
  return mutant((session) => ({
    reserve: (key, attempt) =>
      session.reserve(key, {
        token: token(attempt.token),
        fingerprint: fingerprint(attempt.fingerprint),
      }),
    commit: (key, attempt) =>
      session.commit(key, {
        token: token(attempt.token),
        fingerprint: fingerprint(attempt.fingerprint),
        response: response(attempt.response),
      }),
    release: (key, attempt) => session.release(key, { token: token(attempt.token) }),
  }));
}

const cutTo =
  (units: number) =>
  (text: string): string =>
    text.slice(0, units);

const lowerCase = (text: string): string => text.toLowerCase();

const plantedInTexts: typeof planted = [
  ["keys cut to 250 units", "isolation", mutant(keysThrough(cutTo(250)))],
  ["keys cut to 1,000 units", "isolation", mutant(keysThrough(cutTo(1000)))],
  ["keys cut to 50,000 units", "isolation", mutant(keysThrough(cutTo(50_000)))],
  ["tokens cut to 250 units", "ownership", textsThrough({ token: cutTo(250) })],
  ["fingerprints cut to 250 units", "mismatch", textsThrough({ fingerprint: cutTo(250) })],
  ["responses in lower case", "replay", textsThrough({ response: lowerCase })],
  ["responses trimmed", "replay", textsThrough({ response: (text) => text.trim() })],
  ["responses in a normal form", "replay", textsThrough({ response: (text) => text.normalize() })],
  ["responses cut to 64 units", "replay", textsThrough({ response: cutTo(64) })],
  ["responses cut to 4,096 units", "replay", textsThrough({ response: cutTo(4096) })],
];

describe.each([
  { within: runs, defects: [...planted, ...plantedInAnswers] },
  { within: 3000, defects: plantedInTexts },
])("a planted defect is refuted within $within histories", ({ within, defects }) => {
  for (const [defect, invariant, target] of defects) {
    it(`${defect}: ${invariant}`, async () => {
      for (const seed of seeds) {
        const { findings } = await campaign(target, seed, invariant, within);
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
