import { describe, expect, it } from "vitest";
import { reconnectWaitMs, standingFailures } from "./reconnect-backoff.ts";

describe("a reconnect", () => {
  it("waits twice as long after each failure, and a minute at most", () => {
    expect([0, 1, 2, 5, 6, 7, 1_000].map((failures) => reconnectWaitMs(failures))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  it("forgets its failures only once a connection stood for a minute", () => {
    expect(standingFailures(3, 59_999)).toBe(3);
    expect(standingFailures(3, 60_000)).toBe(0);
  });
});
