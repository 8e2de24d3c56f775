// Which key a request carries: the client's own, or one made of what the request asks for.
import type { Policy } from "../model/policy.ts";
import type { Trade } from "./payload-schema.ts";
import type { JsonValue } from "./strict-json.ts";

export type ClientKey =
  | { readonly outcome: "client-key"; readonly clientKey: string }
  | { readonly outcome: "no-key" }
  | { readonly outcome: "refused"; readonly detail: string };

/** Whose request it is; a key never crosses either border. */
export interface KeyScope {
  readonly tenant: string;
  readonly mode: "live" | "test";
}

export interface RequestKey {
  readonly key: string;
  /** `client`: blocks for τ. `window`: made of the request, blocks for W. */
  readonly kind: "client" | "window";
}

/** Longest client key in UTF-16 code units. */
export const longestClientKey = 256;

/**
 * Finds the client's key in the `Idempotency-Key` header (a string of RFC 8941, or bare) and in the
 * payload's `idempotencyKey`. Hardened, a key that is not valid refuses the request. As published
 * it is silently replaced: the payload's key comes first, and what is empty or too long is no key.
 *
 * A header that was sent twice arrives as one value with a comma in it, which no bare key may
 * contain, and two quoted strings are not one string: both are refused.
 */
export function clientKeyOf(
  policy: Policy,
  header: string | null,
  field: JsonValue | undefined,
): ClientKey {
  const found = [readField(field), readHeader(header)];
  if (policy.invalidKey === "replace") {
    return (
      [readPublished(field ?? null), readPublished(header)].find(
        ({ outcome }) => outcome === "client-key",
      ) ?? { outcome: "no-key" }
    );
  }
  const refusal = found.find(({ outcome }) => outcome === "refused");
  if (refusal !== undefined) return refusal;
  const [one, other] = found.flatMap((each) =>
    each.outcome === "client-key" ? [each.clientKey] : [],
  );
  if (one === undefined) return { outcome: "no-key" };
  if (other !== undefined && other !== one) {
    return refused("the header and the payload carry different keys: send one of them");
  }
  return { outcome: "client-key", clientKey: one };
}

/**
 * Makes the key of a request. Hardened, the tuple's JSON is the key, so that no two tuples share
 * one, and a request without a client key is known by its fingerprint, with no time in it: what
 * blocks the same trade for W is the record's retention. As published fields are joined by colons,
 * and the minute of the gateway's clock takes part.
 */
export function requestKeyOf(
  policy: Policy,
  scope: KeyScope,
  clientKey: string | null,
  trade: Trade,
  fingerprint: string,
  now: number,
): RequestKey {
  const { tenant, mode } = scope;
  if (policy.fingerprintKey === "minute-bucket") {
    if (clientKey !== null) return { kind: "client", key: `${clientKey}:${mode}` };
    const { exchange, symbol, action, quantity } = trade;
    const minute = Math.floor(now / 60_000);
    return {
      kind: "client",
      key: ["trade", exchange, symbol, action, quantity, mode, minute].join(":"),
    };
  }
  return clientKey === null
    ? { kind: "window", key: JSON.stringify(["window", tenant, mode, fingerprint]) }
    : { kind: "client", key: JSON.stringify(["client", tenant, mode, clientKey]) };
}

function readHeader(header: string | null): ClientKey {
  if (header === null) return { outcome: "no-key" };
  if (header.startsWith('"')) {
    const inner = quoted.exec(header)?.[1];
    return inner === undefined
      ? refused("the Idempotency-Key header is no single string of RFC 8941, without parameters")
      : checked(inner.replace(/\\(["\\])/g, "$1"), "the Idempotency-Key header");
  }
  return bare.test(header)
    ? checked(header, "the Idempotency-Key header")
    : refused(
        "the Idempotency-Key header is empty, repeated, or has characters that a bare key may not have: put it in double quotes",
      );
}

function readField(field: JsonValue | undefined): ClientKey {
  if (field === undefined) return { outcome: "no-key" };
  if (typeof field !== "string") return refused("field=idempotencyKey must be a string");
  return unprintable.test(field)
    ? refused("field=idempotencyKey has control characters or lone surrogates: leave them out")
    : checked(field, "field=idempotencyKey");
}

function readPublished(value: JsonValue): ClientKey {
  return typeof value === "string" && value !== "" && value.length <= longestClientKey
    ? { outcome: "client-key", clientKey: value }
    : { outcome: "no-key" };
}

function checked(clientKey: string, where: string): ClientKey {
  return clientKey !== "" && clientKey.length <= longestClientKey
    ? { outcome: "client-key", clientKey }
    : refused(`${where} must have 1 to ${longestClientKey} characters: length=${clientKey.length}`);
}

function refused(detail: string): ClientKey {
  return { outcome: "refused", detail };
}

/** Printable ASCII in double quotes, with `\"` and `\\` as the only escapes. */
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** Visible ASCII without the marks that a list, a parameter or a string is made of. */
const bare = /^[!#-+\--:<-[\]-~]+$/;
const unprintable = /[\p{Cc}\p{Cs}]/u;
