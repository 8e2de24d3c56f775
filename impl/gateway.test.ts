import { describe, expect, it, vi } from "vitest";
import type { GatewayMode } from "../model/gateway-attempt.ts";
import { createHash } from "node:crypto";
import type { Calls } from "./calls.ts";
import { createGateway, answerTrade } from "./gateway.ts";
import { gatewaySettingsOf, type GatewayVars } from "./gateway-settings.ts";
import { executionsIn, rememberedCalls, rememberedWorld } from "./remembered-calls.ts";
import { longestBodyBytes } from "./bounded-body.ts";

const order = { exchange: "sim", symbol: "BTC/USDT", action: "buy", quantity: "0.1" };
const secret = "a-secret-api-key";

function start(vars: GatewayVars = {}) {
  const sha256 = createHash("sha256").update(secret).digest("hex");
  const API_KEYS = JSON.stringify([{ tenant: "acme", mode: "test", sha256 }]);
  const reading = gatewaySettingsOf({ API_KEYS, ...vars });
  if (reading.outcome === "refused") throw new Error(reading.detail);
  const world = rememberedWorld();
  const calls = rememberedCalls(reading.settings.policy, world);
  const gateway = createGateway(reading.settings, calls);
  const send = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await answerTrade(gateway, requestOf(body, headers));
    const text = await response.text();
    const { code } = JSON.parse(text) as { code?: string };
    return { status: response.status, code, text, headers: response.headers };
  };
  return { world, gateway, send };
}

function requestOf(body: unknown, headers: Record<string, string>): Request {
  return new Request("https://gateway/trades", {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const withKey = (key: string) => ({ "idempotency-key": `"${key}"` });
const inMode = (mode: GatewayMode, more: GatewayVars = {}) =>
  start({ LATCHKEY_MODE: mode, ...more });

describe("the gateway", () => {
  it("makes the seeds' calls in the seeds' order", async () => {
    const { world, send } = start();
    expect(await send(order, withKey("k"))).toMatchObject({ status: 200 });
    expect(world.made).toEqual(["readConfig", "admit", "reserve", "dispatch", "commit"]);
    expect(executionsIn(world)).toBe(1);
  });

  it.each([
    ["before anything was sent", 4, { status: 503, code: "IDEMPOTENCY_UNAVAILABLE" }],
    ["once something was sent", 6, { status: 504, code: "OUTCOME_UNKNOWN" }],
  ])("answers a programmer's error %s by what is known of the effect", async (_, at, answer) => {
    const { world, gateway } = start();
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    let timers = 0;
    const calls: Calls = {
      ...gateway.calls,
      timer: (ms) => {
        timers += 1;
        if (timers === at) throw new TypeError("a defect of ours");
        return gateway.calls.timer(ms);
      },
    };
    const response = await answerTrade(
      createGateway(gateway.settings, calls),
      requestOf(order, withKey("k")),
    );
    const { code } = await response.json<{ code: string }>();
    expect({ status: response.status, code }).toEqual(answer);
    expect(executionsIn(world)).toBe(answer.status === 504 ? 1 : 0);
    // The operator learns which error it was, and nothing of what it says.
    expect(logged.mock.calls).toEqual([[expect.stringMatching(/broke off: TypeError at .*timer/)]]);
    expect(String(logged.mock.calls)).not.toContain("a defect of ours");
    logged.mockRestore();
  });

  it.each(["direct", "queue-everywhere"] as const)(
    "hands on the store's deadline, however late the answer is heard (%s)",
    async (mode) => {
      const { world, gateway } = inMode(mode);
      const { calls, settings } = gateway;
      const reserve: Calls["reserve"] = async (request) => {
        const answer: unknown = await calls.reserve(request);
        world.now += 3_000;
        return answer;
      };
      const deadlines: unknown[] = [];
      const dispatch: Calls["dispatch"] = (request, signal) => {
        deadlines.push(request.deadlineAtMs);
        return calls.dispatch(request, signal);
      };
      const acceptedAtMs = world.now;
      const slow = createGateway(settings, { ...calls, reserve, dispatch });
      await answerTrade(slow, requestOf(order, withKey("k")));
      const handedOn = mode === "direct" ? deadlines : world.queue.map((each) => each.deadlineAtMs);
      expect(handedOn).toEqual([acceptedAtMs + settings.clientTimes.deadlineMs]);
    },
  );

  it("sends the canonical trade, and commits with the fingerprint that it reserved with", async () => {
    const { gateway } = start();
    const { calls, settings } = gateway;
    const told: string[] = [];
    const bodies: unknown[] = [];
    const noting = createGateway(settings, {
      ...calls,
      reserve: (request) => {
        told.push(request.fingerprint);
        return calls.reserve(request);
      },
      commit: (request) => {
        told.push(request.fingerprint);
        return calls.commit(request);
      },
      dispatch: (request, signal) => {
        bodies.push(JSON.parse(request.body));
        return calls.dispatch(request, signal);
      },
    });
    await answerTrade(noting, requestOf({ ...order, symbol: "btc/usdt" }, withKey("k")));
    expect(bodies).toMatchObject([order]);
    expect(told).toHaveLength(2);
    expect(told[1]).toBe(told[0]);
  });

  it("replays the stored response, byte for byte and marked, to every spelling of the request", async () => {
    const { world, send } = start();
    const first = await send(order, withKey("k"));
    const again = await send(
      '{ "action":"BUY", "quantity":1e-1, "symbol":"btc/usdt", "exchange":"SIM" }',
      {
        "idempotency-key": "k",
      },
    );
    expect(again.text).toBe(first.text);
    expect(again.status).toBe(first.status);
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(first.headers.get("idempotency-replayed")).toBe(null);
    expect(executionsIn(world)).toBe(1);
  });

  it("answers 409 instead where replay is off", async () => {
    const { send } = start({ LATCHKEY_REPLAY: "off" });
    await send(order, withKey("k"));
    const again = await send(order, withKey("k"));
    expect(again).toMatchObject({ status: 409, code: "IDEMPOTENCY_DUPLICATE" });
    expect(again.headers.get("retry-after")).toBe("305");
    expect(again.headers.get("content-type")).toBe("application/problem+json");
  });

  it("refuses another payload under the same key with 422, without executing it", async () => {
    const { world, send } = start();
    await send(order, withKey("k"));
    expect(await send({ ...order, quantity: "0.2" }, withKey("k"))).toMatchObject({
      status: 422,
      code: "IDEMPOTENCY_MISMATCH",
    });
    expect(executionsIn(world)).toBe(1);
  });

  it("releases after a soft-fail, so that the next attempt executes", async () => {
    const { world, send } = start();
    world.behaviours = ["soft-fail"];
    expect(await send(order, withKey("k"))).toMatchObject({ status: 500, code: "EFFECT_FAILED" });
    expect(await send(order, withKey("k"))).toMatchObject({ status: 200 });
    expect(executionsIn(world)).toBe(1);
  });

  it("keeps an unknown outcome in doubt: 504, then in flight, then in doubt, never a second execution", async () => {
    for (const behaviour of ["lose-reply", "lose-request", "fail-after", "garble"] as const) {
      const { world, send } = start();
      world.behaviours = [behaviour];
      expect(await send(order, withKey("k"))).toMatchObject({
        status: 504,
        code: "OUTCOME_UNKNOWN",
      });
      expect(await send(order, withKey("k"))).toMatchObject({
        status: 409,
        code: "IDEMPOTENCY_IN_FLIGHT",
      });
      world.now += 30_000;
      const doubtful = await send(order, withKey("k"));
      expect(doubtful).toMatchObject({ status: 409, code: "IDEMPOTENCY_IN_DOUBT" });
      expect(Number(doubtful.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(executionsIn(world)).toBe(behaviour === "lose-request" ? 0 : 1);
    }
  });

  it("blocks the same trade without a key for the window W from its commit, over minutes", async () => {
    const { world, send } = start();
    world.now = 59_000;
    await send(order);
    world.now = 64_000;
    expect((await send(order)).headers.get("idempotency-replayed")).toBe("true");
    world.now = 59_000 + 65_000;
    expect((await send(order)).headers.get("idempotency-replayed")).toBe(null);
    expect(executionsIn(world)).toBe(2);
  });

  it("lets the same trade through twice over the minute's boundary, as published", async () => {
    const { world, send } = start({ LATCHKEY_POLICY: "published" });
    world.now = 59_000;
    await send(order);
    world.now = 64_000;
    await send(order);
    expect(executionsIn(world)).toBe(2);
  });

  it("refuses a key of 257 characters, and as published replaces it in silence", async () => {
    const long = { "idempotency-key": "x".repeat(257) };
    const here = start();
    expect(await here.send(order, long)).toMatchObject({ status: 400, code: "KEY_NOT_VALID" });
    expect(here.world.made).not.toContain("reserve");
    const there = start({ LATCHKEY_POLICY: "published" });
    expect(await there.send(order, long)).toMatchObject({ status: 200 });
  });

  it("enqueues without committing: the message carries token, fence and deadline", async () => {
    const { world, send } = inMode("queue-everywhere");
    expect(await send(order, withKey("k"))).toMatchObject({ status: 202 });
    expect(world.made).toEqual(["readConfig", "admit", "reserve", "enqueue"]);
    expect(world.queue).toMatchObject([{ fence: 1, deadlineAtMs: world.now + 720_000 }]);
    expect([...world.records.values()]).toMatchObject([{ status: "pending" }]);
  });

  it("commits what it enqueued, as published", async () => {
    const { world, send } = inMode("queue-everywhere", { LATCHKEY_POLICY: "published" });
    await send(order, withKey("k"));
    expect(world.made.slice(-2)).toEqual(["enqueue", "commit"]);
  });

  it("does not turn to the queue when the outcome is unknown, as published does", async () => {
    const here = inMode("queue-failover");
    here.world.behaviours = ["lose-reply"];
    expect(await here.send(order, withKey("k"))).toMatchObject({ status: 504 });
    expect(here.world.queue).toEqual([]);
    const there = inMode("queue-failover", { LATCHKEY_POLICY: "published" });
    there.world.behaviours = ["lose-reply"];
    expect(await there.send(order, withKey("k"))).toMatchObject({ status: 202 });
    expect(there.world.queue.length).toBe(1);
  });
});

describe("a refusal before the store", () => {
  const big = JSON.stringify({ ...order, symbol: "x".repeat(longestBodyBytes) });
  const cases = [
    ["no JSON", "{", {}, 400, "PAYLOAD_NOT_VALID"],
    [
      "another media type",
      order,
      { "content-type": "text/plain" },
      415,
      "MEDIA_TYPE_NOT_SUPPORTED",
    ],
    ["a field twice", '{"quantity":1,"quantity":2}', {}, 400, "PAYLOAD_NOT_VALID"],
    ["an unknown field", { ...order, note: "" }, {}, 400, "PAYLOAD_NOT_VALID"],
    ["a repeated key", order, { "idempotency-key": "a, b" }, 400, "KEY_NOT_VALID"],
    ["an empty key", order, { "idempotency-key": "" }, 400, "KEY_NOT_VALID"],
    ["a long body", big, {}, 413, "BODY_TOO_LARGE"],
    ["no API key", order, { authorization: "" }, 401, "NOT_AUTHENTICATED"],
    ["a wrong API key", order, { authorization: "Bearer x" }, 403, "NOT_AUTHENTICATED"],
  ] as const;

  it.each(cases)("%s", async (_, body, headers, status, code) => {
    const { world, send } = start();
    const answer = await send(body, headers);
    expect(answer).toMatchObject({ status, code });
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.text).not.toContain(secret);
    expect(world.made.filter((name) => name !== "readConfig" && name !== "admit")).toEqual([]);
  });

  it("names the method that is allowed", async () => {
    const { gateway } = start();
    const response = await answerTrade(gateway, new Request("https://gateway/trades"));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("says when the rate limit has a place again", async () => {
    const { gateway, world } = start();
    const calls = {
      ...rememberedCalls(gateway.settings.policy, world),
      admit: async () => ({ outcome: "limited", retryAfterMs: 1_001 }),
    };
    const request = new Request("https://gateway/trades", {
      method: "POST",
      headers: { "x-api-key": secret },
      body: "{}",
    });
    const response = await answerTrade(createGateway(gateway.settings, calls), request);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "2"]);
  });
});
