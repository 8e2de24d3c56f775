// On the real runtime, a request is executed at most once however many copies of it arrive, and exactly once where nothing fails.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Load, LoadResult } from "./load-driver.ts";
import { localKeys, startLocalRuntime, type LocalRuntime } from "./local-runtime.ts";

let runtime: LocalRuntime;

beforeAll(async () => {
  runtime = await startLocalRuntime({
    driver: "properties/gateway/load-driver.ts",
    vars: { RATE_LIMIT: "1000000" },
  });
}, 120_000);

afterAll(() => runtime.close());

let executionsBefore = 0;

async function drive(rounds: Load["rounds"]): Promise<LoadResult> {
  const driver = await runtime.miniflare.getWorker("driver");
  const body: Load = { apiKey: localKeys.test, rounds };
  const response = await driver.fetch("https://driver/", {
    method: "POST",
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as LoadResult;
  const executions = result.executions - executionsBefore;
  executionsBefore = result.executions;
  return { ...result, executions };
}

describe("the gateway on workerd", () => {
  it("executes one of 64 concurrent identical requests, in each of 200 rounds", async () => {
    const rounds = Array.from({ length: 200 }, (_, round) =>
      Array.from({ length: 64 }, () => `round ${round}`),
    );
    const { executions, repeated, answers } = await drive(rounds);
    // As many executions as rounds, and none twice: one in each round.
    expect([executions, repeated, answers["200"]]).toEqual([200, 0, 200]);
    const others = ["409 IDEMPOTENCY_IN_FLIGHT", "200 replayed"].map((each) => answers[each] ?? 0);
    expect(others.reduce((sum, count) => sum + count, 0)).toBe(200 * 63);
  }, 600_000);

  it("executes exactly 1,000 of 10,000 requests over 1,000 keys", async () => {
    // Ten keys a round, five requests of each at once, and each key in two rounds far apart.
    const rounds = Array.from({ length: 200 }, (_, round) =>
      Array.from(
        { length: 50 },
        (_each, request) => `key ${(round * 10 + (request % 10)) % 1_000}`,
      ),
    );
    expect(new Set(rounds.flat()).size).toBe(1_000);
    const result = await drive(rounds);
    expect([result.executions, result.repeated, result.answers["200"]]).toEqual([1_000, 0, 1_000]);
    const others = Object.entries(result.answers).filter(([answer]) => answer !== "200");
    expect(others.map(([answer]) => answer).toSorted()).toEqual([
      "200 replayed",
      "409 IDEMPOTENCY_IN_FLIGHT",
    ]);
    // Of each key's first round as many as were under way; of its second none.
    expect(result.answers["200 replayed"] ?? 0).toBeGreaterThanOrEqual(5_000);
    expect(others.reduce((sum, [, count]) => sum + count, 0)).toBe(9_000);
  }, 600_000);
});
