import { describe, expect, it } from "vitest";
import { HistoryBuilder } from "../history-builder.ts";
import { rulingOn, verdictOn } from "./judging.ts";

describe("fail closed", () => {
  it("is broken by an effect after a reserve that was lost", () => {
    const history = new HistoryBuilder().lost("reserve", "A").effect("A");
    expect(rulingOn("fail-closed", history).violations.map((each) => each.explanation)).toEqual([
      "A executed its effect at 0 ms without an acceptance: its reserve was lost.",
    ]);
  });

  it("is broken by an effect after unavailable, after a refusal, and after a lost reply", () => {
    const unavailable = new HistoryBuilder().reserve("A", "unavailable").effect("A");
    const refused = new HistoryBuilder().accept("A").reserve("B", "in-flight").effect("B");
    const unheard = new HistoryBuilder().accept("A", 1, { delivered: false }).effect("A");
    for (const history of [unavailable, refused, unheard]) {
      expect(verdictOn("fail-closed", history)).toBe("broken");
    }
  });

  it("is broken by an effect that starts before its acceptance", () => {
    const history = new HistoryBuilder();
    const reserve = history.start("reserve", "A");
    history.effect("A").complete(reserve, history.proceed(1));
    expect(verdictOn("fail-closed", history)).toBe("broken");
  });

  it("is kept by an effect after the acceptance, even after a first reply was lost", () => {
    const history = new HistoryBuilder().accept("A", 1, { delivered: false }).accept("A");
    expect(verdictOn("fail-closed", history.effect("A"))).toBe("kept");
  });

  it("is vacuous where every attempt was let through", () => {
    expect(verdictOn("fail-closed", new HistoryBuilder().accept("A").effect("A"))).toBe("vacuous");
  });

  it("is vacuous where the store refused and nothing failed, and kept where something did", () => {
    const refused = () => new HistoryBuilder().accept("A").reserve("B", "in-flight");
    expect(verdictOn("fail-closed", refused())).toBe("vacuous");
    expect(verdictOn("fail-closed", refused().lost("reserve", "C"))).toBe("kept");
    expect(verdictOn("fail-closed", refused().reserve("C", "unavailable"))).toBe("kept");
    expect(verdictOn("fail-closed", refused().accept("A", 1, { delivered: false }))).toBe("kept");
    const silent = refused();
    silent.start("reserve", "C");
    expect(verdictOn("fail-closed", silent)).toBe("kept");
  });
});
