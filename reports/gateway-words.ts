// Decides the words of a gateway story: what a client sent, what a caller does, what it is told.
import type { CallName } from "../properties/gateway/gateway-history.ts";
import type { PlannedRequest } from "../properties/gateway/gateway-plan.ts";

/** The request as a client sent it, for example `buy 0.1 BTC/USDT (live, key "key-1")`. */
export function requestText({ bearer, clientKey, payload, respelled }: PlannedRequest): string {
  const quantity = payload === "same" ? "0.1" : "0.2";
  const spelled = respelled ? ", spelled differently" : "";
  return `buy ${quantity} BTC/USDT (${bearerTexts[bearer]}, ${keyTexts[clientKey]}${spelled})`;
}

const bearerTexts: Readonly<Record<PlannedRequest["bearer"], string>> = {
  live: "live",
  test: "test mode",
  "other-tenant": "live, another tenant",
  forged: "not authenticated",
};

const keyTexts: Readonly<Record<PlannedRequest["clientKey"], string>> = {
  none: "no key",
  one: 'key "key-1"',
  two: 'key "key-2"',
  long: "a key of 257 letters a",
  "other-long": "a key of 257 letters b",
  empty: "an empty key",
};

export const storeVerbs = {
  reserve: "reserves",
  claim: "claims the execution under",
  commit: "commits",
  release: "releases",
} as const;

export const callNouns: Readonly<Record<CallName, string>> = {
  reserve: "reserve",
  claim: "claim",
  commit: "commit",
  release: "release",
  dispatch: "call to downstream",
  enqueue: "call to the queue",
  hasMark: "look for a mark",
  mark: "mark",
  deadLetter: "dead letter",
};

/** What has no effect that is told by itself. */
export const waitingTexts: Partial<Readonly<Record<CallName, string>>> = {
  hasMark: "looks for a mark",
  mark: "marks its message",
};

export const answerTexts: Readonly<Record<string, string>> = {
  "in-flight": "refused: in flight",
  "in-doubt": "refused: in doubt",
  duplicate: "refused: duplicate",
  mismatch: "refused: mismatch, another payload",
  unavailable: "unavailable: nothing changed",
  stale: "stale: nothing changed",
  unknown: "no answer: the store is reset meanwhile",
  unmarked: "no mark: it may execute",
  marked: "marked: nothing is left to do",
  "not-connected": "not connected: nothing happened",
};

export const saidTexts: Readonly<Record<string, string>> = {
  "soft-fail": "success:false",
  rejected: "it refuses the trade (422)",
  failed: "it answers 500",
  unreadable: "its answer cannot be read",
  silence: "it says nothing",
  "refused-by-deadline": "refused: the deadline has passed",
  "refused-by-fence": "refused: the fence was seen",
};

/** Messages, like keys, are counted from one where a person reads. */
export const messageName = (message: number): string => `message ${message + 1}`;

export const queueTexts = {
  acknowledged: (message: number) => `is done with ${messageName(message)}`,
  retried: (message: number) => `takes ${messageName(message)} back`,
  buried: (message: number) => `puts ${messageName(message)} where the dead letters are`,
} as const;
