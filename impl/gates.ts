// Who gets to the store: the checks before the key is asked for, in the seeds' order.
import type { GateRefusal } from "../model/gateway-answers.ts";
import { readAdmission } from "./answers.ts";
import { identify, sessionOf } from "./api-keys.ts";
import { readBody, type BodyReading } from "./bounded-body.ts";
import { ask, type Calls } from "./calls.ts";
import { fingerprintOf } from "./digest.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { closedConfig, isAllowed, readOperatorConfig } from "./operator-config.ts";
import { keyField, readTrade } from "./payload-schema.ts";
import { retryAfter } from "./problem.ts";
import { clientKeyOf, requestKeyOf, type KeyScope, type RequestKey } from "./request-key.ts";
import { fieldOf, readJson } from "./strict-json.ts";

export interface GateRefused {
  readonly result: GateRefusal;
  readonly detail?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Authenticated {
  readonly result: "passed";
  readonly scope: KeyScope;
  /** The request's body, read and bounded. */
  readonly text: string;
}

export interface Admitted {
  readonly result: "passed";
  readonly requestKey: RequestKey;
  readonly fingerprint: string;
  /** Canonical JSON of the trade, as it goes downstream. */
  readonly body: string;
}

/** Method, body size, kill switch and allow-list, API key: nothing of ours is touched before. */
export async function authenticate(
  settings: GatewaySettings,
  calls: Calls,
  request: Request,
): Promise<Authenticated | GateRefused> {
  if (request.method !== "POST") return { result: "method", headers: { allow: "POST" } };
  const body = await ask<BodyReading>(
    calls,
    settings.waits.bodyMs,
    (signal) => readBody(request, signal),
    (reading) => reading as BodyReading,
    { outcome: "too-slow" },
  );
  if (body.outcome === "too-large") return { result: "body-size" };
  if (body.outcome === "too-slow") return { result: "body-time" };
  const config = await ask(
    calls,
    settings.waits.configMs,
    () => calls.readConfig(),
    readOperatorConfig,
    closedConfig,
  );
  if (config.killSwitch === "on") return { result: "kill-switch" };
  if (!isAllowed(config, request.headers.get("cf-connecting-ip"))) return { result: "allow-list" };
  const identification = await identify(settings.apiKeys, request.headers);
  switch (identification.outcome) {
    case "missing":
      return unauthenticated("The request carries no API key: send Authorization: Bearer <key>.");
    case "malformed":
      return unauthenticated("Authorization is not understood: send Authorization: Bearer <key>.");
    case "ambiguous":
      return unauthenticated("Authorization and X-API-Key carry two keys: send one of them.");
    case "unknown":
      return { result: "api-key" };
    case "identified":
      return body.outcome === "text"
        ? { result: "passed", scope: identification.scope, text: body.text }
        : { result: "payload", detail: "The body broke off or is no UTF-8: send it again." };
  }
}

function unauthenticated(detail: string): GateRefused {
  const headers = { "www-authenticate": "Bearer" };
  return { result: "api-key", status: 401, detail, headers };
}

/** Rate limit, key, payload. The key may lie in the payload, so both are read before either is judged. */
export async function admit(
  settings: GatewaySettings,
  calls: Calls,
  request: Request,
  { scope, text }: Authenticated,
): Promise<Admitted | GateRefused> {
  const { policy } = settings;
  const admission = await ask(
    calls,
    settings.waits.limiterMs,
    () => calls.admit(sessionOf(scope), settings.limit),
    readAdmission,
    { result: "limiter-unavailable" } as const,
  );
  if (admission.result === "rate-limit") {
    return { result: "rate-limit", headers: retryAfter(admission.retryAfterMs) };
  }
  if (admission.result !== "passed") return admission;

  const isJson =
    isJsonType(request.headers.get("content-type")) &&
    isIdentity(request.headers.get("content-encoding"));
  const json = isJson ? readJson(text) : null;
  const value = json?.outcome === "value" ? json.value : null;
  const field = fieldOf(value, keyField);
  const clientKey = clientKeyOf(policy, request.headers.get("idempotency-key"), field);
  if (clientKey.outcome === "refused") return { result: "key", detail: clientKey.detail };
  if (json === null) return { result: "media-type", headers: { "accept-encoding": "identity" } };
  if (json.outcome === "malformed") {
    return { result: "payload", detail: `the payload is no JSON: ${json.detail}` };
  }
  const payload = readTrade(json.value);
  if (payload.outcome === "refused") return { result: "payload", detail: payload.detail };

  const fingerprint = await fingerprintOf(payload.trade);
  const chosen = clientKey.outcome === "client-key" ? clientKey.clientKey : null;
  return {
    result: "passed",
    requestKey: requestKeyOf(policy, scope, chosen, payload.trade, fingerprint, calls.now()),
    fingerprint,
    body: JSON.stringify(payload.trade),
  };
}

/** Nothing is decoded here: what is encoded is no JSON, whatever its bytes look like. */
function isIdentity(contentEncoding: string | null): boolean {
  return /^(?:identity)?$/i.test(contentEncoding ?? "");
}

/** `application/json`, alone or with a charset of UTF-8. */
function isJsonType(contentType: string | null): boolean {
  return /^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(contentType ?? "");
}
