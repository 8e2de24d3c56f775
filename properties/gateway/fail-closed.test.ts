// On the real runtime, a binding that is missing, throws, hangs, resets or answers nonsense executes nothing.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localKeys, startLocalRuntime, type LocalRuntime } from "./local-runtime.ts";

let runtime: LocalRuntime;
let requests = 0;

beforeAll(async () => {
  runtime = await startLocalRuntime({
    driver: "properties/gateway/saboteur-driver.ts",
    driverObjects: { SABOTEUR: "Saboteur" },
    entry: "driver",
    vars: { RATE_LIMIT: "1000" },
  });
}, 120_000);

afterAll(() => runtime.close());

async function attempt(headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(new URL("/trades", runtime.url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${localKeys.test}`,
      "content-type": "application/json",
      "idempotency-key": `"request ${requests++}"`,
      ...headers,
    },
    body: '{"exchange":"sim","symbol":"X","action":"buy","quantity":1}',
  });
  const { code = "" } = await response.json<{ readonly code?: string }>();
  return `${response.status} ${code} executions=${await executions()}`;
}

async function executions(): Promise<number> {
  const exchange = await runtime.miniflare.getWorker("exchange");
  const response = await exchange.fetch("https://exchange/simulator/executions");
  return ((await response.json()) as { readonly executions: number }).executions;
}

const ways = ["missing", "throws", "hangs", "answers nonsense", "resets"];

describe.each([
  ["CONFIG", "503 KILL_SWITCH executions=0"],
  ["RATE_LIMITER", "503 RATE_LIMIT_UNAVAILABLE executions=0"],
  ["IDEMPOTENCY_STORE", "503 IDEMPOTENCY_UNAVAILABLE executions=0"],
])("%s", (binding, expected) => {
  it.each(ways)("%s: nothing is executed", async (way) => {
    expect(await attempt({ "sabotage-binding": binding, "sabotage-way": way })).toBe(expected);
  });
});

describe("TRADE_SERVICE", () => {
  it("missing: a definite failure", async () => {
    const answer = await attempt({
      "sabotage-binding": "TRADE_SERVICE",
      "sabotage-way": "missing",
    });
    expect(answer).toBe("500 EFFECT_FAILED executions=0");
  });

  it.each(ways.slice(1))("%s: the outcome is unknown", async (way) => {
    const answer = await attempt({ "sabotage-binding": "TRADE_SERVICE", "sabotage-way": way });
    expect(answer).toBe("504 OUTCOME_UNKNOWN executions=0");
  });
});

describe("the same gateway", () => {
  it("executes when nothing is sabotaged, without the connection manager being bound at all", async () => {
    expect(await attempt({})).toBe("200  executions=1");
  });
});

describe("a variable that cannot be read", () => {
  it("closes the deployed gateway", async () => {
    const log: string[] = [];
    const misconfigured = await startLocalRuntime({
      vars: { LATCHKEY_MODE: "qeue" },
      onLog: (text) => log.push(text),
    });
    try {
      const response = await fetch(new URL("/trades", misconfigured.url), { method: "POST" });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: "NOT_CONFIGURED" });
      while (!log.join("").includes("LATCHKEY_MODE must be direct")) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(log.join("")).not.toContain("qeue");
    } finally {
      await misconfigured.close();
    }
  }, 120_000);
});

describe("a body that does not come", () => {
  it("is given up by the deployed gateway", async () => {
    const impatient = await startLocalRuntime({ vars: { BODY_WAIT_MS: "1" } });
    const leaving = new AbortController();
    try {
      const response = await fetch(new URL("/trades", impatient.url), {
        method: "POST",
        body: new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) }),
        duplex: "half",
        signal: leaving.signal,
      } as RequestInit);
      expect(response.status).toBe(408);
      expect(await response.json()).toMatchObject({ code: "BODY_TOO_SLOW" });
    } finally {
      leaving.abort();
      await impatient.close();
    }
  }, 120_000);
});
