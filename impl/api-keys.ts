// Whose request it is: which API key it carries, found by comparing digests in constant time.
import * as v from "valibot";
import { digestOf, isSameDigest } from "./digest.ts";
import type { KeyScope } from "./request-key.ts";

export type ApiKey = v.InferOutput<typeof apiKeySchema>;

export type Identification =
  | { readonly outcome: "identified"; readonly scope: KeyScope }
  | { readonly outcome: "missing" }
  /** `Authorization` is there, and is not `Bearer <key>`. */
  | { readonly outcome: "malformed" }
  /** `Authorization` and `X-API-Key` are not one key. */
  | { readonly outcome: "ambiguous" }
  | { readonly outcome: "unknown" };

export interface ApiKeysReading {
  readonly apiKeys: readonly ApiKey[];
  /** Why nobody, or not everybody, is let in, for the operator: where it is, never what stands there. */
  readonly fault: string | null;
}

/**
 * Reads the secret `API_KEYS`: `[{"tenant":"acme","mode":"live","sha256":"<64 hex digits>"}]`. The
 * keys themselves are stored nowhere. What is malformed gives no keys, and so lets nobody in.
 */
export function readApiKeys(secret: string | undefined): ApiKeysReading {
  if (secret === undefined) return nobody("is missing");
  try {
    const reading = v.safeParse(v.array(apiKeySchema), JSON.parse(secret));
    if (!reading.success) {
      return nobody(`is not valid at ${v.getDotPath(reading.issues[0]) ?? "its top"}`);
    }
    const apiKeys = reading.output;
    return apiKeys.length === 0 ? nobody("is empty") : { apiKeys, fault: sharedFault(apiKeys) };
  } catch {
    return nobody("is no JSON");
  }
}

/**
 * Identifies the bearer of `Authorization: Bearer …` or `X-API-Key`. Every configured digest is
 * compared to the end, so that time tells neither which key came close nor how close.
 */
export async function identify(
  apiKeys: readonly ApiKey[],
  headers: Headers,
): Promise<Identification> {
  const presented = presentedKey(headers);
  if (presented.outcome !== "presented") return { outcome: presented.outcome };
  const digest = await digestOf(presented.key);
  const matching = apiKeys.filter(({ sha256 }) => isSameDigest(sha256, digest));
  // Two entries with one digest would be two tenants with one key: neither may use it.
  const [match, ...others] = matching;
  if (match === undefined || others.length > 0) return { outcome: "unknown" };
  return { outcome: "identified", scope: { tenant: match.tenant, mode: match.mode } };
}

/** The session that the limiter counts: one per tenant and mode. */
export function sessionOf({ tenant, mode }: KeyScope): string {
  return JSON.stringify([tenant, mode]);
}

function nobody(fault: string): ApiKeysReading {
  return { apiKeys: [], fault: `API_KEYS ${fault}: nobody is let in` };
}

function sharedFault(apiKeys: readonly ApiKey[]): string | null {
  const digests = apiKeys.map(({ sha256 }) => sha256);
  const shared = digests.flatMap((digest, at) =>
    digests.indexOf(digest) === digests.lastIndexOf(digest) ? [] : [at],
  );
  if (shared.length === 0) return null;
  return `API_KEYS has one key at several places: ${shared.join(", ")}: nobody is let in with it`;
}

type Presented =
  | { readonly outcome: "presented"; readonly key: string }
  | { readonly outcome: "missing" | "malformed" | "ambiguous" };

/** Of two credentials neither is preferred: they are one, or the request is refused. */
function presentedKey(headers: Headers): Presented {
  const authorization = headers.get("authorization");
  const apiKey = headers.get("x-api-key");
  if (authorization === null) {
    return apiKey ? { outcome: "presented", key: apiKey } : { outcome: "missing" };
  }
  const bearer = /^Bearer +([!-~]{1,512})$/i.exec(authorization)?.[1];
  if (bearer === undefined) return { outcome: "malformed" };
  if (apiKey !== null && apiKey !== bearer) return { outcome: "ambiguous" };
  return { outcome: "presented", key: bearer };
}

const apiKeySchema = v.object({
  tenant: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  mode: v.picklist(["live", "test"]),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
