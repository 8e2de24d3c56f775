// Which requests the store refuses before it decides anything: bad input, named by field and limit.
import type { Policy } from "../model/policy.ts";
import type { Refusal } from "./store-requests.ts";
import { storedBytes } from "./stored-text.ts";

export interface StoreLimits {
  /** Longest key in UTF-16 code units: 64 Ki for the caller's key, 1 Ki for what a gateway adds. */
  readonly keyUnits: number;
  /** Longest key in bytes as stored, or null where no such limit is. */
  readonly keyStoredBytes: number | null;
  /** Longest token, fingerprint and delivery, each, in UTF-16 code units. */
  readonly nameUnits: number;
  /** Longest response in UTF-16 code units; the empty response is legal. */
  readonly responseUnits: number;
  /** Longest blocking time and deadline in milliseconds. */
  readonly timeMs: number;
}

/**
 * The limits by kind of storage. A stored code unit takes 6 bytes at most, so the largest legal row
 * is 6 × (66,560 + 3 × 1,024 + 262,144) bytes and some, which stays under SQLite's 2,000,000. The
 * asynchronous storage takes keys up to 2,048 bytes, the name's prefix included.
 */
export const storeLimits: Readonly<Record<Policy["criticalSection"], StoreLimits>> = {
  transaction: {
    keyUnits: 66_560,
    keyStoredBytes: null,
    nameUnits: 1_024,
    responseUnits: 262_144,
    timeMs: 1_000_000_000_000,
  },
  "block-concurrency": {
    keyUnits: 66_560,
    keyStoredBytes: 2_000,
    nameUnits: 1_024,
    responseUnits: 262_144,
    timeMs: 1_000_000_000_000,
  },
};

/** Finds the first field of a reserve that breaks a limit, or null. */
export function refuseReserve(request: unknown, limits: StoreLimits): Refusal | null {
  return refuse(request, (fields) => [
    keyField(fields, limits),
    nameField(fields, "token", limits),
    nameField(fields, "fingerprint", limits),
    timesField(fields, limits),
  ]);
}

/** Finds the first field of a claim that breaks a limit, or null. */
export function refuseClaim(request: unknown, limits: StoreLimits): Refusal | null {
  return refuse(request, (fields) => [
    keyField(fields, limits),
    nameField(fields, "token", limits),
    nameField(fields, "delivery", limits),
  ]);
}

/** Finds the first field of a commit that breaks a limit, or null. */
export function refuseCommit(request: unknown, limits: StoreLimits): Refusal | null {
  return refuse(request, (fields) => [
    keyField(fields, limits),
    nameField(fields, "token", limits),
    nameField(fields, "fingerprint", limits),
    textField(fields["response"], "response", 0, limits.responseUnits),
    timesField(fields, limits),
  ]);
}

/** Finds the first field of a release, or of a question how a message stands, that breaks a limit, or null. */
export function refuseRelease(request: unknown, limits: StoreLimits): Refusal | null {
  return refuse(request, (fields) => [
    keyField(fields, limits),
    nameField(fields, "token", limits),
  ]);
}

type Fields = Readonly<Record<string, unknown>>;

function refuse(
  request: unknown,
  check: (fields: Fields) => readonly (Refusal | null)[],
): Refusal | null {
  if (!isObject(request)) return invalid("request", "an object", request);
  return check(request).find((refusal) => refusal !== null) ?? null;
}

function keyField(fields: Fields, limits: StoreLimits): Refusal | null {
  const key = fields["key"];
  const refusal = textField(key, "key", 1, limits.keyUnits);
  if (refusal !== null || limits.keyStoredBytes === null) return refusal;
  const bytes = storedBytes(key as string);
  if (bytes <= limits.keyStoredBytes) return null;
  return {
    outcome: "invalid",
    field: "key",
    limit: `a string of at most ${limits.keyStoredBytes} bytes as stored`,
    found: `${bytes} bytes as stored`,
  };
}

function nameField(fields: Fields, field: string, limits: StoreLimits): Refusal | null {
  return textField(fields[field], field, 1, limits.nameUnits);
}

function textField(
  value: unknown,
  field: string,
  shortest: number,
  longest: number,
): Refusal | null {
  const legal = typeof value === "string" && value.length >= shortest && value.length <= longest;
  const limit = `a string of ${shortest} to ${longest} UTF-16 code units`;
  return legal ? null : invalid(field, limit, value);
}

function timesField(fields: Fields, limits: StoreLimits): Refusal | null {
  const times = fields["times"];
  if (!isObject(times)) return invalid("times", "an object", times);
  const { deadlineMs, pendingMs } = times;
  return (
    timeField(deadlineMs, "times.deadlineMs", limits) ??
    timeField(pendingMs, "times.pendingMs", limits) ??
    timeField(times["retentionMs"], "times.retentionMs", limits) ??
    // A deadline past the pending time would let an effect happen that nothing blocks any more.
    (Number(deadlineMs) > Number(pendingMs)
      ? invalid("times.deadlineMs", `at most times.pendingMs=${Number(pendingMs)}`, deadlineMs)
      : null)
  );
}

function timeField(value: unknown, field: string, limits: StoreLimits): Refusal | null {
  const legal = Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= limits.timeMs;
  const limit = `a whole number of milliseconds from 1 to ${limits.timeMs}`;
  return legal ? null : invalid(field, limit, value);
}

function invalid(field: string, limit: string, value: unknown): Refusal {
  return { outcome: "invalid", field, limit, found: describe(value) };
}

/** Says what a value is without repeating its content: a token is a secret, a response is long. */
function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return `a string of ${value.length} UTF-16 code units`;
  if (typeof value === "number") return `the number ${value}`;
  return `a value of type ${typeof value}`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
