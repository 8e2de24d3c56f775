import { describe, expect, it } from "vitest";
import type { History } from "./history.ts";
import { HistoryBuilder } from "./history-builder.ts";
import { prepareHistory } from "./operations.ts";
import { findSituations, situationNames, type Situation } from "./situations.ts";

const build = () => new HistoryBuilder();
const duplicate = { outcome: "duplicate", response: "ok" } as const;

function overlapping(): History {
  const history = build();
  const one = history.start("reserve", "A");
  return history.reserve("B", "in-flight").complete(one, history.proceed(1));
}

function crashedUnderWay(): HistoryBuilder {
  const history = build();
  const one = history.start("reserve", "A");
  return history.crash().complete(one, "indeterminate");
}

/** For each situation a history in which it occurs. */
const examples: Readonly<Record<Situation, History>> = {
  "two calls overlapped on one key": overlapping(),
  "a reserve was refused in flight": build().accept("A").reserve("B", "in-flight"),
  "a reserve was told in doubt": build()
    .accept("A")
    .reserve("B", { outcome: "in-flight", inDoubt: true }),
  "a duplicate after a commit": build().accept("A").commit("A", "done").reserve("B", duplicate),
  "another payload was a mismatch": build()
    .accept("A")
    .reserve("B", "mismatch", { fingerprint: "g" }),
  "a reservation that expired was reclaimed by another attempt": build()
    .accept("A")
    .advance(100)
    .accept("B", 2),
  "a late commit was recorded": build().accept("A").advance(100).commit("A", "done"),
  "a late commit was stale": build().accept("A").advance(100).commit("A", "stale"),
  "a late release": build().accept("A").advance(101).release("A", "stale"),
  "a release by another attempt than the holder": build()
    .accept("A")
    .advance(100)
    .accept("B", 2)
    .release("A", "stale"),
  "a commit by another attempt than the holder": build()
    .accept("A")
    .advance(100)
    .accept("B", 2)
    .commit("A", "stale"),
  "a settlement exactly at the end of the blocking": build()
    .accept("A")
    .advance(100)
    .release("A", "stale"),
  "a reserve one before the end": build().accept("A").advance(99).reserve("B", "in-flight"),
  "a reserve exactly at the end": build().accept("A").advance(100).accept("B", 2),
  "a reserve one after the end": build().accept("A").advance(101).accept("B", 2),
  "a repeated reserve by its token": build().accept("A").accept("A"),
  "a repeated commit": build().accept("A").commit("A", "done").commit("A", "done"),
  "a repeated release": build().accept("A").release("A", "done").release("A", "stale"),
  "a key was accepted again after a release": build()
    .accept("A")
    .release("A", "done")
    .accept("B", 2),
  "a crash with a record pending": build().accept("A").crash(),
  "a crash with a record committed": build().accept("A").commit("A", "done").crash(),
  "a crash with a call under way": crashedUnderWay(),
  "a call was indeterminate": crashedUnderWay(),
  "a reply was lost": build().accept("A", 1, { delivered: false }),
  "a call was lost": build().lost("release", "A"),
  "a reserve got no service": build().reserve("A", "unavailable"),
  "a soft-fail": build().accept("A").effect("A", "soft-fail"),
  "an effect of which nobody knows": build().accept("A").effect("A", "unknown"),
  "three keys with different ends": build()
    .accept("A", 1, { key: "1" })
    .advance(1)
    .accept("B", 2, { key: "2" })
    .advance(1)
    .accept("C", 3, { key: "3" })
    .reserve("D", "in-flight", { key: "3" }),
};

describe("situations", () => {
  it.each(situationNames)("sees that %s", (name) => {
    expect(findSituations(prepareHistory(examples[name]))).toContain(name);
  });

  it.each(situationNames)("does not see in a quiet history that %s", (name) => {
    const quiet = build().accept("A").effect("A").commit("A", "done").advance(300).size(0);
    expect(findSituations(prepareHistory(quiet))).not.toContain(name);
  });

  it("tells one before the end from the end itself", () => {
    const before = build().accept("A").advance(99).reserve("B", "in-flight");
    expect(findSituations(prepareHistory(before))).not.toContain("a reserve exactly at the end");
  });

  const ends: readonly Situation[] = [
    "a settlement exactly at the end of the blocking",
    "a reserve one before the end",
    "a reserve exactly at the end",
    "a reserve one after the end",
  ];
  const endsIn = (history: History) =>
    findSituations(prepareHistory(history)).filter((name) => ends.includes(name));

  it("takes for an end only that of a record that blocked until then", () => {
    const released = () => build().accept("A").release("A", "done");
    expect(endsIn(released().advance(100).accept("B", 2).commit("B", "done"))).toEqual([]);
    const heldByAnother = released().advance(50).accept("B", 2).advance(50);
    expect(endsIn(heldByAnother.reserve("C", "in-flight").commit("B", "done"))).toEqual([]);
    const committed = build().accept("A").advance(50).commit("A", "done").advance(50);
    expect(endsIn(committed.reserve("B", duplicate))).toEqual([]);
    expect(endsIn(committed.advance(50).accept("B", 2))).toEqual(["a reserve exactly at the end"]);
  });

  it("extends nothing by a repeated commit", () => {
    const repeated = build().accept("A").commit("A", "done").advance(50).commit("A", "done");
    expect(endsIn(repeated.advance(100).accept("B", 2))).toEqual([]);
  });

  it("counts a late commit at the very end as a settlement there", () => {
    const late = build().accept("A").advance(100).commit("A", "done").reserve("B", duplicate);
    expect(endsIn(late)).toEqual([
      "a settlement exactly at the end of the blocking",
      "a reserve exactly at the end",
    ]);
  });

  it("says nothing of what the run asks once the plan is over", () => {
    const history = build().accept("A");
    const plannedEvents = history.events.length;
    const prepared = prepareHistory(history.advance(101).accept("B", 2));
    expect(findSituations(prepared)).toContain("a reserve one after the end");
    const { pendingMs, retentionMs, capabilities, events } = history;
    const told = { pendingMs, retentionMs, capabilities, events, plannedEvents };
    expect(findSituations({ ...prepared, history: told })).toEqual([]);
  });
});
