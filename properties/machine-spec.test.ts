import { describe, expect, it } from "vitest";
import { deriveLifecycleTable, rowIndex, situations } from "../model/lifecycle-table.ts";
import { hardened, paper, published } from "../model/policy.ts";
import { machineSpec } from "./machine-spec.ts";
import { allCapabilities, HistoryBuilder } from "./history-builder.ts";
import { pairOperations, type Operation } from "./operations.ts";
import type { KeyState } from "./key-spec.ts";

const times = { pendingMs: 100, retentionMs: 60, capabilities: allCapabilities };

/** The states after whole operations, one after another. */
function statesAfter(history: HistoryBuilder, policy = hardened): readonly KeyState[] {
  const spec = machineSpec(policy, times);
  return pairOperations(history).reduce<readonly KeyState[]>(
    (states, operation) =>
      states.flatMap((state) => spec.apply(state, operation, operation.atMs, operation.atMs)),
    [spec.initial],
  );
}

describe("the machine as a specification", () => {
  it("takes a record whose time is over for absent, as the machine does under every policy", () => {
    for (const policy of [hardened, published, paper]) {
      const { rows } = deriveLifecycleTable(policy);
      const called = situations().filter(({ event }) => event !== "CLAIM" && event !== "ALARM");
      for (const situation of called.filter(({ ended }) => ended)) {
        const ended = rows[rowIndex(situation)];
        const absent = rows[rowIndex({ ...situation, status: "absent", ended: false })];
        // What is erased when it was over already is as absent as before.
        const change = ended?.change === "erase" ? "keep" : ended?.change;
        expect([ended?.reply, change]).toEqual([absent?.reply, absent?.change]);
      }
    }
  });

  it("keeps the end of a reservation, and moves it at the commit", () => {
    const pending = statesAfter(new HistoryBuilder(times).accept("A").advance(30).accept("A"));
    expect(pending.map(({ record }) => record?.endsByMs)).toEqual([100]);
    const committed = new HistoryBuilder(times).accept("A").advance(30).commit("A", "done");
    expect(statesAfter(committed).map(({ record }) => record?.endsByMs)).toEqual([90]);
  });

  it("leaves the end where it was under `published`", () => {
    const capabilities = { ownerTokens: false };
    const history = new HistoryBuilder({ ...times, capabilities }).accept("A").advance(30);
    const [state] = statesAfter(history.commit("A", "done"), published);
    expect(state?.record).toMatchObject({ status: "committed", endsFromMs: 100, endsByMs: 100 });
  });

  it("compares fences and does not compute them", () => {
    expect(statesAfter(new HistoryBuilder(times).accept("A", 700))).toHaveLength(1);
    const grown = new HistoryBuilder(times).accept("A", 7).release("A", "done").accept("B", 9);
    expect(statesAfter(grown)).toHaveLength(1);
    const same = new HistoryBuilder(times).accept("A", 7).release("A", "done").accept("B", 7);
    expect(statesAfter(same)).toHaveLength(0);
  });

  it("knows the end of an unfinished reservation between bounds, and narrows them by answers", () => {
    const spec = machineSpec(hardened, times);
    const history = new HistoryBuilder(times);
    history.start("reserve", "A");
    history.advance(130).reserve("B", "in-flight");
    const [silent, refused] = pairOperations(history) as [Operation, Operation];
    const [unknown] = spec.apply(spec.initial, silent, 0, 130);
    expect(unknown?.record).toMatchObject({ endsFromMs: 100, endsByMs: 230 });
    const [narrowed] = unknown === undefined ? [] : spec.apply(unknown, refused, 130, 130);
    expect(narrowed?.record).toMatchObject({ endsFromMs: 131, endsByMs: 230 });
  });

  it("knows the deadline from the acceptance, and the acceptance from the deadline", () => {
    const accepted = (deadline: number) =>
      new HistoryBuilder(times).advance(5).reserve("A", { outcome: "proceed", fence: 1, deadline });
    expect(statesAfter(accepted(55))).toHaveLength(1);
    expect(statesAfter(accepted(105))).toHaveLength(0);
    expect(
      statesAfter(new HistoryBuilder(times).reserve("A", { outcome: "proceed", fence: 1 })),
    ).toEqual([]);
    const spec = machineSpec(hardened, times);
    const history = new HistoryBuilder(times);
    history.start("reserve", "A");
    history.advance(130).reserve("A", { outcome: "proceed", fence: 1, deadline: 120 });
    const [silent, again] = pairOperations(history) as [Operation, Operation];
    const [unknown] = spec.apply(spec.initial, silent, 0, 130);
    const dated = unknown === undefined ? [] : spec.apply(unknown, again, 130, 130);
    expect(dated[0]?.record).toMatchObject({ endsFromMs: 170, endsByMs: 170 });
  });

  it("is in doubt from the deadline on, told or not", () => {
    const asked = (ms: number, inDoubt: boolean) =>
      new HistoryBuilder(times)
        .accept("A")
        .advance(ms)
        .reserve("B", { outcome: "in-flight", inDoubt });
    const untold = (ms: number, inDoubt: boolean) => {
      const history = new HistoryBuilder(times);
      history.complete(history.start("reserve", "A"), "indeterminate").advance(ms);
      return history.reserve("B", { outcome: "in-flight", inDoubt });
    };
    for (const history of [asked, untold]) {
      const legal = [49, 50].flatMap((ms) =>
        [false, true].map((inDoubt) => statesAfter(history(ms, inDoubt)).length),
      );
      expect(legal).toEqual([1, 0, 0, 1]);
    }
  });
});
