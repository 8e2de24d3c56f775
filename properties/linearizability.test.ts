import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hardened, published, type Policy } from "../model/policy.ts";
import { contractSpec } from "./contract-spec.ts";
import type { History, StoreAnswer } from "./history.ts";
import { HistoryBuilder } from "./history-builder.ts";
import { checkLinearizable } from "./linearizability.ts";
import { machineSpec } from "./machine-spec.ts";
import { pairOperations, partitionByKey, type Operation } from "./operations.ts";
import { randomHistories } from "./random-histories.ts";
import type { SequentialSpec } from "./sequential-spec.ts";

const lateIgnored: Policy = { ...hardened, name: "hardened, late stale", lateCommit: "ignore" };
const small = { keys: 1, attempts: 3, maxChoices: 60, silence: false } as const;
const numRuns = 500;
const seed = 20261130;

describe("linearizability", () => {
  it("explains every history of the machine, by the machine and by the contract", () => {
    fc.assert(
      fc.property(
        randomHistories({ ...small, keys: 2, policies: [hardened], maxChoices: 120 }),
        (history) => {
          expect(kindsOf(history, machineSpec(hardened, history))).not.toContain("illegal");
          expect(kindsOf(history, contractSpec(history))).not.toContain("illegal");
        },
      ),
      { numRuns, seed },
    );
  });

  it("explains a store that takes late commits either way, by the contract", () => {
    fc.assert(
      fc.property(
        randomHistories({ ...small, policies: [hardened, lateIgnored], silence: true }),
        (history) => {
          expect(kindsOf(history, contractSpec(history))).not.toContain("illegal");
        },
      ),
      { numRuns, seed },
    );
  });

  it("explains every history of `published` by its machine", () => {
    fc.assert(
      fc.property(
        randomHistories({ ...small, policies: [published], silence: true }),
        (history) => {
          expect(kindsOf(history, machineSpec(published, history))).not.toContain("illegal");
        },
      ),
      { numRuns, seed },
    );
  });

  it("agrees with a search of all orders on small histories with a wrong answer", () => {
    const seen = { ok: 0, illegal: 0 };
    fc.assert(
      fc.property(corrupted([hardened], false), (history) => {
        for (const operations of smallKeys(history)) {
          const spec = machineSpec(hardened, history);
          const { kind } = checkLinearizable(operations, spec);
          expect(kind).toBe(isExplainedBySearch(operations, spec) ? "ok" : "illegal");
          if (kind !== "unknown") seen[kind] += 1;
        }
      }),
      { numRuns, seed },
    );
    expect(Math.min(seen.ok, seen.illegal)).toBeGreaterThan(numRuns / 10);
  });

  it("agrees with a search of all orders where calls never complete", () => {
    const seen = { ok: 0, illegal: 0 };
    fc.assert(
      fc.property(corrupted([hardened, lateIgnored], true), (history) => {
        for (const operations of smallKeys(history)) {
          const spec = contractSpec(history);
          const { kind } = checkLinearizable(operations, spec);
          expect(kind).toBe(isExplainedBySearch(operations, spec) ? "ok" : "illegal");
          if (kind !== "unknown") seen[kind] += 1;
        }
      }),
      { numRuns, seed },
    );
    expect(Math.min(seen.ok, seen.illegal)).toBeGreaterThan(numRuns / 10);
  });

  it("names the operation that nothing explains, and how many it explained before", () => {
    const history = new HistoryBuilder().accept("A").commit("A", "done").accept("B", 2);
    const [operations = []] = partitionByKey(pairOperations(history)).map(({ all }) => all);
    expect(checkLinearizable(operations, contractSpec(history))).toMatchObject({
      kind: "illegal",
      operation: { attempt: 1, call: "reserve" },
      explained: 2,
    });
  });

  it("says unknown beyond its bound", () => {
    const history = new HistoryBuilder();
    for (const name of "ABCDEF") history.start("reserve", name);
    const open = ["G", "H", "I", "J"].map((name) => history.start("reserve", name));
    for (const operation of open) history.complete(operation, "in-flight");
    const [operations = []] = partitionByKey(pairOperations(history)).map(({ all }) => all);
    const spec = contractSpec(history);
    expect(checkLinearizable(operations, spec, { maxStates: 1 }).kind).toBe("unknown");
    expect(checkLinearizable(operations, spec).kind).toBe("ok");
  });

  it("explains an unfinished reserve's record long after its invocation, but not before", () => {
    const late = new HistoryBuilder();
    late.start("reserve", "A");
    late.advance(500).reserve("B", "in-flight").advance(99).reserve("B", "in-flight");
    expect(kindsOf(late, contractSpec(late))).toEqual(["ok"]);
    const ended = new HistoryBuilder();
    ended.start("reserve", "A");
    ended.advance(500).reserve("B", "in-flight").advance(100).reserve("B", "in-flight");
    expect(kindsOf(ended, contractSpec(ended))).toEqual(["illegal"]);
    const twice = new HistoryBuilder();
    twice.start("reserve", "A");
    twice.accept("B", 1).advance(100).reserve("C", "in-flight").advance(100);
    expect(kindsOf(twice, contractSpec(twice))).toEqual(["ok"]);
    expect(kindsOf(twice.reserve("C", "in-flight"), contractSpec(twice))).toEqual(["illegal"]);
  });
});

function kindsOf(history: History, spec: SequentialSpec): readonly string[] {
  return partitionByKey(pairOperations(history)).map(
    ({ all }) => checkLinearizable(all, spec).kind,
  );
}

function smallKeys(history: History): readonly (readonly Operation[])[] {
  const keys = partitionByKey(pairOperations(history)).map(({ all }) => all);
  return keys.filter((operations) => operations.length <= 6);
}

/** Histories of at most some operations of which one answer is another. */
function corrupted(
  policies: readonly [Policy, ...Policy[]],
  silence: boolean,
): fc.Arbitrary<History> {
  return fc
    .tuple(
      randomHistories({ ...small, policies, maxChoices: 36, silence }),
      fc.nat({ max: 99 }),
      fc.nat({ max: 99 }),
    )
    .map(([history, place, other]) => {
      const completions = history.events.filter(({ kind }) => kind === "completion");
      const wrong = completions[place % Math.max(1, completions.length)];
      const events = history.events.map((event) =>
        event === wrong && event.kind === "completion"
          ? { ...event, answer: otherAnswer(event.answer, other) }
          : event,
      );
      return { ...history, events };
    });
}

function otherAnswer(answer: StoreAnswer, other: number): StoreAnswer {
  if (answer.outcome === "done") return { outcome: "stale" };
  if (answer.outcome === "stale") return { outcome: "done" };
  const answers: readonly StoreAnswer[] = [
    { outcome: "proceed", fence: 1, deadline: 2 },
    { outcome: "proceed", fence: 9, deadline: 2 },
    { outcome: "in-flight", inDoubt: false },
    { outcome: "duplicate", response: "response 0" },
    { outcome: "duplicate", response: "response 1" },
    { outcome: "mismatch" },
  ];
  return answer.outcome === "indeterminate" ? answer : (answers[other % answers.length] ?? answer);
}

/** Tries all orders, and all moments for those that never completed: the definition itself. */
function isExplainedBySearch<State>(
  operations: readonly Operation[],
  spec: SequentialSpec<State>,
): boolean {
  const lastMs = Math.max(...operations.map(({ atMs }) => atMs), 0);
  const search = (state: State, left: readonly Operation[], nowMs: number): boolean =>
    left.every(({ answer }) => answer.outcome === "indeterminate") ||
    left.some((next) => {
      // What completed before the next was invoked has to come before it, or never.
      const passed = left.filter((each) => each.completedIndex < next.invokedIndex);
      if (passed.some(({ answer }) => answer.outcome !== "indeterminate")) return false;
      const rest = left.filter((each) => each !== next && !passed.includes(each));
      const untilMs = Math.min(next.latestMs, lastMs);
      for (let atMs = Math.max(next.atMs, nowMs); atMs <= untilMs; atMs += 1) {
        if (spec.apply(state, next, atMs, atMs).some((after) => search(after, rest, atMs)))
          return true;
      }
      return false;
    });
  return search(spec.initial, operations, 0);
}
