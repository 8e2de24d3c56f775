// Whose request it is: which API key it carries, found by comparing digests in constant time.
import * as v from "valibot";
import { digestOf, isSameDigest } from "./digest.ts";
import type { KeyScope } from "./request-key.ts";

export type ApiKey = v.InferOutput<typeof apiKeySchema>;

export type Identification =
  | { readonly outcome: "identified"; readonly scope: KeyScope }
  | { readonly outcome: "missing" }
  | { readonly outcome: "unknown" };

/**
 * Reads the secret `API_KEYS`: `[{"tenant":"acme","mode":"live","sha256":"<64 hex digits>"}]`. The
 * keys themselves are stored nowhere. What is malformed gives no keys, and so lets nobody in.
 */
export function readApiKeys(secret: string | undefined): readonly ApiKey[] {
  try {
    const reading = v.safeParse(v.array(apiKeySchema), JSON.parse(secret ?? ""));
    return reading.success ? reading.output : [];
  } catch {
    return [];
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
  if (presented === null) return { outcome: "missing" };
  const digest = await digestOf(presented);
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

function presentedKey(headers: Headers): string | null {
  const bearer = /^Bearer +([!-~]{1,512})$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? (headers.get("x-api-key") || null);
}

const apiKeySchema = v.object({
  tenant: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  mode: v.picklist(["live", "test"]),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
