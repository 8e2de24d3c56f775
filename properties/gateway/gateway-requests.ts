// Which HTTP request a planned request is, whose it is, and which logical request it belongs to.
import { digestOf } from "../../impl/digest.ts";
import type { ApiKey } from "../../impl/api-keys.ts";
import { type Bearer, planTimes, type PlannedRequest } from "./gateway-plan.ts";

/** The scope of each bearer; null for nobody. */
const scopes: Readonly<Record<Bearer, Pick<ApiKey, "tenant" | "mode"> | null>> = {
  live: { tenant: "acme", mode: "live" },
  test: { tenant: "acme", mode: "test" },
  "other-tenant": { tenant: "umbrella", mode: "live" },
  forged: null,
};

const clientKeys: Readonly<Record<PlannedRequest["clientKey"], string | null>> = {
  none: null,
  one: "key-1",
  two: "key-2",
  long: "a".repeat(257),
  "other-long": "b".repeat(257),
  empty: "",
};

/** The digests of the bearers' API keys, as a deployment stores them. */
export async function planApiKeys(): Promise<readonly ApiKey[]> {
  const keys: ApiKey[] = [];
  for (const [bearer, scope] of Object.entries(scopes)) {
    if (scope !== null) keys.push({ ...scope, sha256: await digestOf(secretOf(bearer)) });
  }
  return keys;
}

export function requestOf(planned: PlannedRequest): Request {
  const clientKey = clientKeys[planned.clientKey];
  const headers = new Headers({
    authorization: `Bearer ${secretOf(planned.bearer)}`,
    "content-type": "application/json",
    "cf-connecting-ip": "192.0.2.1",
  });
  if (clientKey !== null && !planned.respelled) headers.set("idempotency-key", clientKey);
  return new Request("https://gateway/trades", { method: "POST", headers, body: bodyOf(planned) });
}

/** A request that repeats another one is the same logical request: this text is then the same. */
export function logicalRequestOf(planned: PlannedRequest): string {
  const scope = scopes[planned.bearer];
  const clientKey = clientKeys[planned.clientKey];
  return JSON.stringify([scope?.tenant, scope?.mode, clientKey ?? ["payload", planned.payload]]);
}

/** Null for a forged request. */
export function modeOf({ bearer }: PlannedRequest): ApiKey["mode"] | null {
  return scopes[bearer]?.mode ?? null;
}

/** Null for a forged request. */
export function tenantOf({ bearer }: PlannedRequest): string | null {
  return scopes[bearer]?.tenant ?? null;
}

/** For how long a logical request executes at most once. */
export function quietMsOf(planned: PlannedRequest): number {
  return planned.clientKey === "none" ? planTimes.windowMs : planTimes.retentionMs;
}

/** Whether the client chose a key that no contract takes. */
export function hasInvalidKey({ clientKey }: PlannedRequest): boolean {
  return clientKey === "long" || clientKey === "other-long" || clientKey === "empty";
}

function bodyOf(planned: PlannedRequest): string {
  const quantity = planned.payload === "same" ? "0.1" : "0.2";
  if (!planned.respelled) {
    return JSON.stringify({ exchange: "sim", symbol: "BTC/USDT", action: "buy", quantity });
  }
  const number = planned.payload === "same" ? "1e-1" : "2e-1";
  const clientKey = clientKeys[planned.clientKey];
  const field = clientKey === null ? "" : `,"idempotencyKey":${JSON.stringify(clientKey)}`;
  return `{"action":"BUY","quantity":${number},"symbol":"btc/usdt","exchange":"SIM"${field}}`;
}

function secretOf(bearer: string): string {
  return `secret-of-${bearer}`;
}

/** The operator lets everybody in: what the other switches do is pinned by the fail-closed table. */
export const operatorConfigAnswer = JSON.stringify({ killSwitch: "off", allowedAddresses: ["*"] });
