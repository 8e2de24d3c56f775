// Each sentence of the contract on answers, sessions and strings is kept by a defect that it refutes.
import { boundSession } from "./bound-session.ts";
import { describe, expect, it } from "vitest";
import { hardened } from "../model/policy.ts";
import { campaign, mutant, type PlantedDefect } from "./planted-defects.ts";
import type { ReserveAnswer, StoreSession, StoreTarget } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";

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
        ...boundSession(session),
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

const plantedInAnswers: readonly PlantedDefect[] = [
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

/** Keys, tokens, fingerprints and responses pass through maps on their way in. */
function textsThrough(maps: {
  readonly key?: (text: string) => string;
  readonly token?: (text: string) => string;
  readonly fingerprint?: (text: string) => string;
  readonly response?: (text: string) => string;
}): StoreTarget {
  const same = (text: string) => text;
  const { key: keyOf = same, token = same, fingerprint = same, response = same } = maps;
  return mutant((session) => ({
    reserve: (key, attempt) =>
      session.reserve(keyOf(key), {
        token: token(attempt.token),
        fingerprint: fingerprint(attempt.fingerprint),
      }),
    commit: (key, attempt) =>
      session.commit(keyOf(key), {
        token: token(attempt.token),
        fingerprint: fingerprint(attempt.fingerprint),
        response: response(attempt.response),
      }),
    release: (key, attempt) => session.release(keyOf(key), { token: token(attempt.token) }),
  }));
}

const cutTo =
  (units: number) =>
  (text: string): string =>
    text.slice(0, units);

const lowerCase = (text: string): string => text.toLowerCase();

const plantedInTexts: readonly PlantedDefect[] = [
  ["keys cut to 250 units", "isolation", textsThrough({ key: cutTo(250) })],
  ["keys cut to 1,000 units", "isolation", textsThrough({ key: cutTo(1000) })],
  ["keys cut to 50,000 units", "isolation", textsThrough({ key: cutTo(50_000) })],
  ["tokens cut to 250 units", "ownership", textsThrough({ token: cutTo(250) })],
  ["fingerprints cut to 250 units", "mismatch", textsThrough({ fingerprint: cutTo(250) })],
  ["responses in lower case", "replay", textsThrough({ response: lowerCase })],
  ["responses trimmed", "replay", textsThrough({ response: (text) => text.trim() })],
  ["responses in a normal form", "replay", textsThrough({ response: (text) => text.normalize() })],
  ["responses cut to 64 units", "replay", textsThrough({ response: cutTo(64) })],
  ["responses cut to 4,096 units", "replay", textsThrough({ response: cutTo(4096) })],
];

describe.each([
  { within: 300, defects: plantedInAnswers },
  { within: 3000, defects: plantedInTexts },
])("a planted defect is refuted within $within histories", ({ within, defects }) => {
  for (const [defect, invariant, target] of defects) {
    it(`${defect}: ${invariant}`, async () => {
      for (const seed of [1, 2]) {
        const { findings } = await campaign(target, seed, invariant, within);
        expect(findings, `seed=${seed}`).toMatchObject([{ invariant, minimal: true }]);
      }
    });
  }
});
