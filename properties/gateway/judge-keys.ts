// Which key a request gets, and what a key answers: one request one key, isolation, mismatch, release.
import type { GatewayInvariant, KnownWay } from "../../model/gateway-invariants.ts";
import { answers } from "../../model/gateway-answers.ts";
import type { Violation } from "../results.ts";
import { attemptName, type CallMade } from "./gateway-history.ts";
import { type GatewayFacts, type Placed, type Ruling, violation } from "./gateway-facts.ts";
import type { PlannedRequest } from "./gateway-plan.ts";
import {
  hasInvalidKey,
  logicalRequestOf,
  modeOf,
  quietMsOf,
  tenantOf,
} from "./gateway-requests.ts";

interface Keyed extends Placed<CallMade & { readonly atMs: number }> {
  readonly key: string;
}

/** The first reserve of each attempt: that is where its key shows. */
function keyedAttempts(facts: GatewayFacts): readonly Keyed[] {
  const reserves = facts
    .of("call")
    .flatMap(({ place, event }): Keyed[] =>
      event.call === "reserve" && event.key !== null ? [{ place, event, key: event.key }] : [],
    );
  return reserves.filter(
    ({ event }, index) =>
      reserves.findIndex((other) => other.event.attempt === event.attempt) === index,
  );
}

function pairsOf(facts: GatewayFacts): readonly (readonly [Keyed, Keyed])[] {
  const keyed = keyedAttempts(facts);
  return keyed.flatMap((second, index) =>
    keyed.slice(0, index).map((first): readonly [Keyed, Keyed] => [first, second]),
  );
}

/** Retries of one logical request get the same key; without a client's key, within W. */
export function judgeOneKey(facts: GatewayFacts): Ruling {
  const retries = pairsOf(facts).filter(([first, second]) => {
    const request = facts.request(second.event.attempt);
    return (
      logicalRequestOf(facts.request(first.event.attempt)) === logicalRequestOf(request) &&
      (request.clientKey !== "none" || second.event.atMs - first.event.atMs < quietMsOf(request))
    );
  });
  const violations = retries.flatMap(([first, second]) => {
    const explanation = `${names(first, second)} carry one request, and get two keys.`;
    return first.key === second.key
      ? []
      : [
          violation(
            "one-request-one-key",
            explanation,
            [first.place, second.place],
            wayOfKeys(facts, second),
          ),
        ];
  });
  return { exercised: retries.length > 0, violations };
}

/** Different logical requests of one tenant and mode never share a key. */
export function judgeIsolation(facts: GatewayFacts): Ruling {
  return judgeStrangers(facts, "isolation", (one, other) => {
    const isOneScope = modeOf(one) === modeOf(other) && tenantOf(one) === tenantOf(other);
    if (!isOneScope || logicalRequestOf(one) === logicalRequestOf(other)) return null;
    return hasInvalidKey(one) || hasInvalidKey(other) ? "silent downgrade" : "unknown way";
  });
}

/** A live and a test request never share a key. */
export function judgeModes(facts: GatewayFacts): Ruling {
  return judgeStrangers(facts, "mode-isolation", (one, other) =>
    modeOf(one) === modeOf(other) ? null : "unknown way",
  );
}

/** Requests of two tenants never share a key. */
export function judgeTenants(facts: GatewayFacts): Ruling {
  return judgeStrangers(facts, "tenant-isolation", (one, other) =>
    tenantOf(one) === tenantOf(other) ? null : "shared tenants",
  );
}

/** `wayOfStrangers` tells in which way two requests would share a key; null: they may. */
function judgeStrangers(
  facts: GatewayFacts,
  invariant: GatewayInvariant,
  wayOfStrangers: (one: PlannedRequest, other: PlannedRequest) => KnownWay | "unknown way" | null,
): Ruling {
  const strangers = pairsOf(facts).flatMap(([first, second]) => {
    const requests = [facts.request(first.event.attempt), facts.request(second.event.attempt)];
    const [one, other] = requests as [PlannedRequest, PlannedRequest];
    const way = wayOfStrangers(one, other);
    return way === null ? [] : [{ first, second, way }];
  });
  const violations = strangers.flatMap(({ first, second, way }) => {
    if (first.key !== second.key) return [];
    const explanation = `${names(first, second)} are different requests, and share a key.`;
    const places = [first.place, second.place];
    return [violation(invariant, explanation, places, way === "unknown way" ? undefined : way)];
  });
  return { exercised: strangers.length > 0, violations };
}

/**
 * While a record blocks, a reserve with another payload is answered mismatch, and whoever hears that
 * tells its client so, and nobody else does.
 */
export function judgeMismatch(facts: GatewayFacts): Ruling {
  const others = facts.storeAnswers.filter(
    ({ event: { call, before, fingerprint, answer } }) =>
      call === "reserve" &&
      before !== null &&
      before.fingerprint !== fingerprint &&
      answer !== "unknown",
  );
  const violations = others.flatMap(({ place, event: { attempt, answer } }) => {
    const explanation = `${attemptName(attempt)} brings another payload under a key that is taken, and is answered ${answer}.`;
    return answer === "mismatch" ? [] : [violation("mismatch", explanation, [place])];
  });
  return {
    exercised: others.length > 0,
    violations: [...violations, ...facts.responses.flatMap((told) => judgeTold(facts, told))],
  };
}

/** What the client is told is 422 where a mismatch is what its attempt heard, and only there. */
function judgeTold(
  facts: GatewayFacts,
  { place, event: { attempt, status, code } }: GatewayFacts["responses"][number],
): readonly Violation[] {
  const heard = facts
    .of("reply")
    .find(
      ({ event }) =>
        event.attempt === attempt && event.call === "reserve" && event.heard === "mismatch",
    );
  const isToldSo = status === answers.mismatch.status && code === answers.mismatch.code;
  if ((heard !== undefined) === isToldSo) return [];
  const explanation = `${attemptName(attempt)} is told ${status} ${code}, and ${heard === undefined ? "never heard of" : "had heard of"} another payload under its key.`;
  return [violation("mismatch", explanation, heard === undefined ? [place] : [heard.place, place])];
}

/** Once a release by the holder is done, the next reserve of the key proceeds, unless a commit came. */
export function judgeRelease(facts: GatewayFacts): Ruling {
  const freed = new Map<string, number>();
  let exercised = false;
  const violations = facts.storeAnswers.flatMap(({ place, event }) => {
    const { call, key, token, before, answer, attempt } = event;
    const isByHolder = before?.status === "pending" && before.token === token;
    if (call === "release" && answer === "done" && isByHolder) freed.set(key, place);
    if (call === "commit" && answer !== "stale") freed.delete(key);
    const release = freed.get(key);
    if (call !== "reserve" || release === undefined) return [];
    freed.delete(key);
    if (answer === "unknown") return [];
    exercised = true;
    const explanation = `The key was released, and ${attemptName(attempt)} is answered ${answer}.`;
    return answer === "proceed"
      ? []
      : [violation("release-on-soft-fail", explanation, [release, place])];
  });
  return { exercised, violations };
}

function wayOfKeys(facts: GatewayFacts, { event }: Keyed): KnownWay {
  return hasInvalidKey(facts.request(event.attempt)) ? "silent downgrade" : "minute boundary";
}

function names(first: Keyed, second: Keyed): string {
  return `${attemptName(first.event.attempt)} and ${attemptName(second.event.attempt)}`;
}
