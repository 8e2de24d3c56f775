import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "./history-builder.ts";
import { pairOperations, precedes, prepareHistory } from "./operations.ts";

describe("operations", () => {
  it("pair invocations with completions that come in another order", () => {
    const history = new HistoryBuilder();
    const one = history.start("reserve", "A");
    const other = history.start("reserve", "B");
    history.complete(other, "in-flight").complete(one, history.proceed(1));
    const places = pairOperations(history).map((each) => [each.invokedIndex, each.completedIndex]);
    expect(places).toEqual([
      [0, 3],
      [1, 2],
    ]);
  });

  it("never complete where there is no completion", () => {
    const history = new HistoryBuilder();
    history.start("commit", "A");
    const [operation] = pairOperations(history);
    expect(operation?.completedIndex).toBe(Infinity);
    expect(operation?.answer).toEqual({ outcome: "indeterminate" });
  });

  it("precede one another only if one completed before the other was invoked", () => {
    const history = new HistoryBuilder().accept("A");
    const overlapping = history.start("reserve", "B");
    history.reserve("C", "in-flight").complete(overlapping, "in-flight");
    const pairs = pairOperations(history).map((one) =>
      pairOperations(history).map((other) => precedes(one, other)),
    );
    expect(pairs).toEqual([
      [false, true, true],
      [false, false, false],
      [false, false, false],
    ]);
  });

  it("leave out what changed nothing, and keep the keys apart", () => {
    const history = new HistoryBuilder().reserve("A", "unavailable").accept("A");
    history.accept("B", 2, { key: "K" }).release("A", "stale");
    const { keys } = prepareHistory(history);
    expect(keys.map(({ key, all }) => [key, all.length])).toEqual([
      ["k", 2],
      ["K", 1],
    ]);
    expect(keys[0]?.releases).toEqual([]);
    expect(keys[0]?.settlements).toHaveLength(1);
  });

  it("gather repeated answers to one token into one acceptance, in whatever order they come", () => {
    const history = new HistoryBuilder();
    const first = history.start("reserve", "A");
    history.accept("A", 1).complete(first, history.proceed(1));
    const [key] = prepareHistory(history).keys;
    expect(key?.acceptances).toHaveLength(1);
    expect(key?.acceptances[0]).toMatchObject({ invokedIndex: 0, completedIndex: 2, fence: 1 });
  });

  it("gather another fence after the end of the pending time as another acceptance", () => {
    const history = new HistoryBuilder().accept("A").advance(100).accept("A", 2);
    expect(prepareHistory(history).keys[0]?.acceptances).toHaveLength(2);
  });
});
