// Everything that can be missing, throw, hang or answer nonsense before an execution × status × executed?
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hardened, published } from "../model/policy.ts";
import type { Calls } from "./calls.ts";
import { answerTrade, createGateway } from "./gateway.ts";
import { gatewaySettingsOf, type GatewaySettings, type GatewayVars } from "./gateway-settings.ts";
import { liveCalls } from "./live-calls.ts";
import { faultOfConfig } from "./operator-config.ts";
import { isLegalLimit } from "./rate-limit.ts";
import { executionsIn, rememberedCalls, rememberedWorld } from "./remembered-calls.ts";
import { refuseReserve, storeLimits } from "./store-limits.ts";

const secret = "a-secret-api-key";
const sha256 = createHash("sha256").update(secret).digest("hex");
const API_KEYS = JSON.stringify([{ tenant: "acme", mode: "test", sha256 }]);
const unbound = liveCalls({});

/** What is done to a call. */
const sabotages: Readonly<Record<string, () => Promise<unknown>>> = {
  throws() {
    throw new Error("a failure that names a secret");
  },
  rejects: () => Promise.reject(new Error("a failure that names a secret")),
  hangs: () => new Promise(() => {}),
  "answers undefined": async () => undefined,
  "answers true": async () => true,
  "answers text": async () => "proceed",
  "answers an empty object": async () => ({}),
  "answers a half-right object": async () => ({ outcome: "proceed", fence: "1" }),
  "answers no outcome we know": async () => ({ outcome: "yes" }),
};

/** What every binding would refuse for ever, or no timer would wait for. */
const outOfRange = [
  ["RATE_LIMIT", "1000001"],
  ["RATE_WINDOW_MS", "2678400001"],
  ...["RETENTION_MS", "WINDOW_MS", "DEADLINE_MS", "LAG_MS", "JUMP_MS"].map(
    (name) => [name, "250000000001"] as const,
  ),
  ...["BODY", "CONFIG", "LIMITER", "STORE", "DOWNSTREAM", "QUEUE"].map(
    (name) => [`${name}_WAIT_MS`, "2147483648"] as const,
  ),
] as const;

/** What the store refuses of a reserve with the times of these settings. */
function refusalOf({ policy, clientTimes, windowTimes }: GatewaySettings) {
  const limits = storeLimits[policy.criticalSection];
  const refusals = [clientTimes, windowTimes].map((times) =>
    refuseReserve({ key: "k", token: "t", fingerprint: "f", times }, limits),
  );
  return refusals.find((refusal) => refusal !== null) ?? null;
}

async function attempt(
  vars: GatewayVars,
  sabotaged: Partial<Calls>,
  more: RequestInit & { readonly duplex?: "half" } = {},
) {
  const reading = gatewaySettingsOf({ API_KEYS, ...vars });
  if (reading.outcome === "refused") throw new Error(reading.detail);
  const world = rememberedWorld();
  const calls = { ...plain(rememberedCalls(reading.settings.policy, world)), ...sabotaged };
  const request = new Request("https://gateway/trades", {
    method: "POST",
    body: '{"exchange":"sim","symbol":"X","action":"buy","quantity":1}',
    ...more,
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      ...(more.headers as Readonly<Record<string, string>>),
    },
  });
  const response = await answerTrade(createGateway(reading.settings, calls), request);
  const { code } = await response.json<{ code?: string }>();
  return `${response.status} ${code ?? ""} executions=${executionsIn(world)}`;
}

function plain(calls: Calls): Calls {
  return { ...calls };
}

const closed = {
  config: "503 KILL_SWITCH executions=0",
  auth: "403 NOT_AUTHENTICATED executions=0",
  limiter: "503 RATE_LIMIT_UNAVAILABLE executions=0",
  store: "503 IDEMPOTENCY_UNAVAILABLE executions=0",
} as const;

describe("the gateway fails closed", () => {
  const targets = [
    ["config", "readConfig"],
    ["limiter", "admit"],
    ["store", "reserve"],
  ] as const;
  for (const [target, call] of targets) {
    it(`when the ${target} is not bound`, async () => {
      expect(await attempt({}, { [call]: unbound[call] })).toBe(closed[target]);
    });
    it.each(Object.entries(sabotages))(`when the ${target} %s`, async (_, sabotage) => {
      expect(await attempt({}, { [call]: sabotage })).toBe(closed[target]);
    });
  }

  it.each(Object.entries(sabotages))(
    "when the store %s, and so does the release that follows",
    async (_, sabotage) => {
      expect(await attempt({}, { reserve: sabotage, release: sabotage })).toBe(closed.store);
    },
  );

  it.each(Object.entries(sabotages))("when the store %s, as published", async (_, sabotage) => {
    expect(await attempt({ LATCHKEY_POLICY: published.name }, { reserve: sabotage })).toBe(
      closed.store,
    );
  });

  it("when the store refuses the request as invalid", async () => {
    const reserve = async () => ({ outcome: "invalid", field: "key", limit: "", found: "" });
    expect(await attempt({}, { reserve })).toBe(closed.store);
  });

  it.each([
    ["missing", ""],
    ["no JSON", "{"],
    ["no array", '{"tenant":"acme"}'],
    ["an empty array", "[]"],
    ["a key in the clear", JSON.stringify([{ tenant: "acme", mode: "test", sha256: secret }])],
    ["half malformed", JSON.stringify([{ tenant: "acme", mode: "test", sha256 }, { tenant: 1 }])],
    ["an unknown mode", JSON.stringify([{ tenant: "acme", mode: "paper", sha256 }])],
    [
      "one key for two tenants",
      JSON.stringify(["a", "b"].map((tenant) => ({ tenant, mode: "test", sha256 }))),
    ],
  ])("when the API keys are %s", async (_, keys) => {
    expect(await attempt({ API_KEYS: keys }, {})).toBe(closed.auth);
  });

  it.each([
    ["switched off", '{"killSwitch":"on","allowedAddresses":["*"]}', closed.config],
    ["no JSON", "off", closed.config],
    ["without a kill switch", '{"allowedAddresses":["*"]}', closed.config],
    ["misspelled", '{"killSwitch":"off","allowedAddresses":["*"],"x":1}', closed.config],
    ["of another kind", '{"killSwitch":false,"allowedAddresses":["*"]}', closed.config],
    [
      "for other addresses",
      '{"killSwitch":"off","allowedAddresses":["192.0.2.1"]}',
      "403 ADDRESS_NOT_ALLOWED executions=0",
    ],
    [
      "for no address",
      '{"killSwitch":"off","allowedAddresses":[]}',
      "403 ADDRESS_NOT_ALLOWED executions=0",
    ],
  ])("when the operator's config is %s", async (_, config, expected) => {
    expect(await attempt({}, { readConfig: async () => config })).toBe(expected);
  });

  it.each<readonly [string, string]>([
    ["LATCHKEY_POLICY", "hardend"],
    ["LATCHKEY_POLICY", ""],
    ["LATCHKEY_MODE", "queue"],
    ["LATCHKEY_REPLAY", "yes"],
    ["RETENTION_MS", "5 min"],
    ["RETENTION_MS", "0"],
    ["DEADLINE_MS", "-1"],
    ["RATE_LIMIT", "Infinity"],
    ["STORE_WAIT_MS", "1e3"],
    ...outOfRange,
  ])("when %s is %j: no settings, and so no gateway; the operator is told which", (name, value) => {
    const reading = gatewaySettingsOf({ API_KEYS, [name]: value });
    expect(reading.outcome === "refused" && reading.detail).toContain(
      `configured: ${name} must be`,
    );
  });

  it("but takes every variable at the end of its range: the store and the limiter take it too", () => {
    const longestMs = String(250_000_000_000);
    const reading = gatewaySettingsOf({
      API_KEYS,
      RATE_LIMIT: "1000000",
      RATE_WINDOW_MS: String(31 * 24 * 3_600_000),
      ...{ RETENTION_MS: longestMs, WINDOW_MS: longestMs, DEADLINE_MS: longestMs },
      ...{ LAG_MS: longestMs, JUMP_MS: longestMs, STORE_WAIT_MS: "2147483647" },
    });
    if (reading.outcome === "refused") throw new Error(reading.detail);
    expect(isLegalLimit(reading.settings.limit)).toBe(true);
    expect(refusalOf(reading.settings)).toBe(null);
  });

  it.each(["paper", "published", "hardened"])(
    "but has times that the store takes, in every mode and however short the retention: %s",
    (policy) => {
      for (const mode of ["direct", "queue-everywhere", "queue-failover"]) {
        for (const RETENTION_MS of [undefined, "1"]) {
          const vars = { LATCHKEY_POLICY: policy, LATCHKEY_MODE: mode };
          const reading = gatewaySettingsOf(RETENTION_MS ? { ...vars, RETENTION_MS } : vars);
          if (reading.outcome === "refused") throw new Error(reading.detail);
          expect(refusalOf(reading.settings)).toBe(null);
        }
      }
    },
  );

  it.each([
    [{}, "is missing"],
    [{ API_KEYS: "{" }, "API_KEYS is no JSON: nobody is let in"],
  ])("with a word to the operator where nobody is let in", (vars, fault) => {
    const reading = gatewaySettingsOf(vars);
    expect(reading.outcome === "settings" && reading.fault).toContain(fault);
  });

  it.each([
    [undefined, "is missing"],
    ["off", "is no JSON"],
    ['"a-secret"', "is not valid at its top"],
    ['{"killSwitch":"a-secret","allowedAddresses":[]}', "is not valid at killSwitch"],
  ])("with a word to the operator where the config is %j", (config, fault) => {
    expect(faultOfConfig(config)).toContain(`CONFIG ${fault}: the gateway is closed`);
    expect(faultOfConfig('{"killSwitch":"on","allowedAddresses":[]}')).toBe(null);
  });

  it("when the body does not come: it is waited for, and given up", async () => {
    const stream = new ReadableStream<Uint8Array>();
    const answer = await attempt({}, {}, { body: stream, duplex: "half" });
    expect(answer).toBe("408 BODY_TOO_SLOW executions=0");
  });

  it.each([["gzip"], ["identity, gzip"], ["br"], ["x"]])(
    "when the body is encoded as %s, though its bytes are JSON",
    async (encoding) => {
      const answer = await attempt({}, {}, { headers: { "content-encoding": encoding } });
      expect(answer).toBe("415 MEDIA_TYPE_NOT_SUPPORTED executions=0");
    },
  );

  it("but executes when nothing is wrong, so the table is no tautology", async () => {
    expect(await attempt({}, {})).toBe("200  executions=1");
    expect(await attempt({ LATCHKEY_POLICY: published.name }, {})).toBe("200  executions=1");
  });

  it("but executes when the store fails under the paper's policy: that is its fail-open", async () => {
    const { throws, hangs } = sabotages;
    for (const reserve of [throws, hangs]) {
      if (reserve === undefined) throw new Error("no such sabotage");
      expect(await attempt({ LATCHKEY_POLICY: "paper" }, { reserve })).toBe("200  executions=1");
    }
  });

  it("asks a silent store once more with the same token, and then gives the token up", async () => {
    const made: string[] = [];
    const note = (name: string) => async (request: { readonly token: string }) => {
      made.push(`${name} ${request.token}`);
      throw new Error("silence");
    };
    await attempt(
      { LATCHKEY_POLICY: hardened.name },
      {
        reserve: note("reserve"),
        release: note("release"),
      },
    );
    expect(made).toEqual(["reserve token-1", "reserve token-1", "release token-1"]);
  });
});

describe("once something was sent, nothing is claimed that nobody knows", () => {
  it.each(Object.entries(sabotages))("when downstream %s: 504", async (_, dispatch) => {
    expect(await attempt({}, { dispatch })).toBe("504 OUTCOME_UNKNOWN executions=0");
  });

  it("when downstream is not bound: nothing was executed, and the key is free", async () => {
    expect(await attempt({}, { dispatch: async () => ({ connected: false }) })).toBe(
      "500 EFFECT_FAILED executions=0",
    );
  });

  it.each(Object.entries(sabotages))("when the queue %s: 504", async (_, enqueue) => {
    expect(await attempt({ LATCHKEY_MODE: "queue-everywhere" }, { enqueue })).toBe(
      "504 OUTCOME_UNKNOWN executions=0",
    );
  });

  it.each(Object.entries(sabotages))(
    "when the commit %s: the effect is what is told",
    async (_, commit) => {
      expect(await attempt({}, { commit })).toBe("200  executions=1");
    },
  );
});
