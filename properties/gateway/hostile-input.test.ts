// Whatever a client sends: never a 500, never an execution without an acceptance, never a secret in an answer or a log.
import { createHash } from "node:crypto";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerTrade, createGateway } from "../../impl/gateway.ts";
import { gatewaySettingsOf } from "../../impl/gateway-settings.ts";
import { executionsIn, rememberedCalls, rememberedWorld } from "../../impl/remembered-calls.ts";
import { localKeys, startLocalRuntime, type LocalRuntime } from "./local-runtime.ts";

const seed = Number(process.env["LATCHKEY_SEED"] ?? 20_261_130);
const secret = "a-secret-api-key";

const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "\u0000",
    "\ud800",
    "a\r\nb",
    "🔑",
    "x".repeat(300),
  ),
);
const hostileNumber = fc.constantFrom(
  ...["1e309", "-0", "0.1", "0.30000000000000004", "1e-400", "01", "1.", "NaN", "1e99999999", "1"],
);
/** Values as JSON text, so that what JSON.stringify cannot write is tried too. */
const hostileValue = fc.oneof(
  hostileText.map((text) => JSON.stringify(text)),
  hostileNumber,
  fc.json({ maxDepth: 3 }),
  fc.constantFrom('"1.0"', '"buy"', '"sim"', '"X"', "null", "[[[[[[[[[[[[[[[[[[[[]"),
);
const field = fc.constantFrom(
  ...["exchange", "symbol", "action", "quantity", "price", "idempotencyKey", "note", "__proto__"],
);
const goodFields = '"exchange":"sim","symbol":"X","action":"buy","quantity":1';
const hostileBody = fc.oneof(
  hostileText,
  fc.json(),
  fc
    .array(fc.tuple(field, hostileValue), { maxLength: 4 })
    .map((fields) => fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`))
    .chain((fields) =>
      fc.constantFrom(`{${fields.join(",")}}`, `{${[goodFields, ...fields].join(",")}}`),
    ),
  fc.constant(`{${goodFields}}`),
);
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
});
const hostileHeaders = fc.record(
  {
    "idempotency-key": fc.oneof(
      headerText,
      fc.constantFrom('"k"', "k", '"k", "k"', '"', '"k";a=1'),
    ),
    "content-type": fc.oneof(
      { arbitrary: headerText, weight: 1 },
      { arbitrary: fc.constant("application/json"), weight: 4 },
    ),
    authorization: fc.oneof(
      { arbitrary: headerText, weight: 1 },
      { arbitrary: fc.constant(`Bearer ${secret}`), weight: 6 },
    ),
    "content-length": fc.constantFrom("-1", "1e9", "NaN", "99999999999"),
    "cf-connecting-ip": headerText,
  },
  { requiredKeys: ["content-type", "authorization"] },
);

describe("hostile input, thousands of requests against a world in memory", () => {
  it("is never a 500, never executes unaccepted, and never shows a secret", async () => {
    const sha256 = createHash("sha256").update(secret).digest("hex");
    const API_KEYS = JSON.stringify([{ tenant: "acme", mode: "test", sha256 }]);
    const reading = gatewaySettingsOf({ API_KEYS });
    if (reading.outcome === "refused") throw new Error(reading.detail);
    const { settings } = reading;
    const seen = new Map<number, number>();
    const property = fc.asyncProperty(hostileBody, hostileHeaders, async (body, headers) => {
      const world = rememberedWorld();
      const gateway = createGateway(settings, rememberedCalls(settings.policy, world));
      const request = new Request("https://gateway/trades", { method: "POST", headers, body });
      const response = await answerTrade(gateway, request);
      const text = await response.text();
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
      expect([200, 400, 401, 403, 413, 415]).toContain(response.status);
      expect(executionsIn(world)).toBe(response.status === 200 ? 1 : 0);
      expect(world.records.size).toBe(response.status === 200 ? 1 : 0);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(sha256);
    });
    await fc.assert(property, { seed, numRuns: 2_000 });
    // Otherwise the property was not exercised.
    for (const status of [200, 400, 401, 413, 415]) {
      expect(seen.get(status) ?? 0).toBeGreaterThan(10);
    }
  }, 120_000);
});

describe("hostile bytes on the wire, against workerd", () => {
  let runtime: LocalRuntime;
  const log: string[] = [];
  const digest = (text: string) => createHash("sha256").update(text).digest("hex");
  const known = (["live", "test"] as const).map((mode) => {
    return { tenant: "local", mode, sha256: digest(localKeys[mode]) };
  });
  const shared = { tenant: "shared", mode: "live", sha256: digest("shared") };

  beforeAll(async () => {
    runtime = await startLocalRuntime({
      // Two tenants with one key: a fault, of which the log tells.
      vars: { RATE_LIMIT: "1000", API_KEYS: JSON.stringify([...known, shared, shared]) },
      onLog: (text) => log.push(text),
    });
  }, 120_000);
  afterAll(() => runtime.close());

  /** Sends bytes as they are, and answers the status of the first response; 0 where there was none. */
  function wire(
    bytes: string | Buffer,
  ): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const socket = connect(Number(runtime.url.port), "127.0.0.1", () => socket.end(bytes));
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.on("error", () => {});
      socket.on("close", () => {
        const text = Buffer.concat(chunks).toString("latin1");
        resolve({ status: Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(text)?.[1] ?? 0), text });
      });
    });
  }

  function post(headers: readonly string[], body: string | Buffer): Buffer {
    const bytes = Buffer.from(body);
    const head = [
      "POST /trades HTTP/1.1",
      "Host: gateway",
      "Connection: close",
      `Authorization: Bearer ${localKeys.test}`,
      "Content-Type: application/json",
      ...headers,
      `Content-Length: ${bytes.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
  }

  const good = `{${goodFields}}`;
  const chunked = (size: number) =>
    [
      ...["POST /trades HTTP/1.1", "Host: gateway", "Connection: close"],
      ...["Transfer-Encoding: chunked", "", size.toString(16), "[".repeat(size), "0", "", ""],
    ].join("\r\n");

  it.each([
    ["a repeated key", post(["Idempotency-Key: a", "Idempotency-Key: b"], good), [400]],
    [
      "a key repeated as strings",
      post(['Idempotency-Key: "a"', 'Idempotency-Key: "b"'], good),
      [400],
    ],
    ["an empty key", post(["Idempotency-Key:"], good), [400]],
    ["a NUL in a key", post(["Idempotency-Key: a\0b"], good), [400]],
    ["a bare CR in a key", post(["Idempotency-Key: a\rb"], good), [400]],
    ["a folded key", post(["Idempotency-Key: a\r\n b"], good), [400]],
    ["bytes above ASCII in a key", post(["Idempotency-Key: caf\u00e9"], good), [400]],
    ["a body that is no UTF-8", post([], Buffer.from([0x22, 0xff, 0xfe, 0x22])), [400]],
    ["a lone surrogate in the key", post([], `{${goodFields},"idempotencyKey":"\\ud800"}`), [400]],
    ["a number out of range", post([], good.replace(":1", ":1e309")), [400]],
    ["a negative zero", post([], good.replace(":1", ":-0")), [400]],
    ["1 MiB of nesting", post([], "[".repeat(1 << 20)), [413]],
    ["64 KiB of nesting", post([], "[".repeat(1 << 16)), [400]],
    ["1 MiB of nesting in one chunk", chunked(1 << 20), [413]],
    ["another method", "GET /trades HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n", [405]],
    [
      "another path",
      "GET /../%00 HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n",
      [400, 404],
    ],
  ] as const)("%s is refused", async (_, bytes, statuses) => {
    const { status, text } = await wire(bytes);
    expect(statuses).toContain(status);
    for (const key of Object.values(localKeys)) expect(text).not.toContain(key);
  });

  const length = /Content-Length: \d+/;
  const framed = post([], good).toString();

  it.each([
    ["a length below zero", framed.replace(length, "Content-Length: -5")],
    ["a length that is no number", framed.replace(length, "Content-Length: x")],
    ["two lengths", framed.replace(length, "$&\r\n$&")],
    ["two hosts", framed.replace("Host: gateway", "$&\r\n$&")],
    ["a host that is none", framed.replace("Host: gateway", "Host: [")],
    ["a target with scheme and host", framed.replace("/trades", "http://gateway/trades")],
    ["a target that is no path", framed.replace("POST /trades", "OPTIONS *")],
    [
      "a transfer coding beside chunked",
      framed.replace(length, "Transfer-Encoding: gzip, chunked"),
    ],
    ["CONNECT", "CONNECT gateway:80 HTTP/1.1\r\nHost: gateway:80\r\nConnection: close\r\n\r\n"],
  ])("%s is answered by the runtime itself, before any Worker", async (_, bytes) => {
    expect((await wire(bytes)).text).toMatch(/^HTTP\/1\.1 500 [^{]*$/);
  });

  it("executed nothing of all that, and logged no secret", async () => {
    const response = await fetch(new URL("/simulator/executions", runtime.url));
    expect(await response.json()).toMatchObject({ executions: 0 });
    // What the gateway says reaches this log: a secret in it would be seen.
    expect(log.join("")).toContain("API_KEYS has one key at several places: 2, 3");
    for (const key of Object.values(localKeys)) {
      expect(log.join("")).not.toContain(key);
      expect(log.join("")).not.toContain(digest(key));
    }
  });

  it("executes a request that is well-formed, so the list is no tautology", async () => {
    expect((await wire(post(['Idempotency-Key: "a"'], good))).status).toBe(200);
    expect((await wire(post(["Idempotency-Key: a"], good))).text).toMatch(/idempotency-replayed/i);
  });
});
