// Gateway histories written by hand, for the judges' tests: each event as a plain one, and what is said of it.
import type { PolicyName } from "../../model/policy.ts";
import type { KeyRecord } from "../../model/vocabulary.ts";
import { GatewayFacts, type Ruling } from "./gateway-facts.ts";
import {
  attemptName,
  type CallMade,
  type CallName,
  type Dispatched,
  type GatewayEvent,
  type Responded,
  type StoreAnswered,
} from "./gateway-history.ts";
import type { PlannedRequest } from "./gateway-plan.ts";

/** What a judge says of a history, under `hardened` unless told; unless told all requests are one logical request. */
export function rulingOf(
  judge: (facts: GatewayFacts) => Ruling,
  events: readonly GatewayEvent[],
  requests: readonly PlannedRequest[] = [plainRequest(), plainRequest(), plainRequest()],
  policy: PolicyName = "hardened",
): Ruling {
  return judge(new GatewayFacts({ policy, mode: "queue-failover", requests, events }));
}

/** A live request with the key `key-1`. */
export function plainRequest(said: Partial<PlannedRequest> = {}): PlannedRequest {
  return { bearer: "live", clientKey: "one", payload: "same", respelled: false, ...said };
}

/** A pending record of the attempt, with its deadline at 30 s and its end at 400 s. */
export function recordOf(attempt: number, said: Partial<KeyRecord> = {}): KeyRecord {
  return {
    status: "pending",
    token: tokenOf(attempt),
    fingerprint: "f",
    fence: 1,
    acceptedAtMs: 0,
    deadlineAtMs: 30_000,
    expiresAtMs: 400_000,
    response: null,
    claimedBy: null,
    ...said,
  };
}

/** The attempt's request arrives; the gateway's clock is true time, and a minute begins at 0. */
export function arrives(attempt: number, atMs = 0): GatewayEvent {
  return { kind: "arrival", atMs, attempt, gatewayMs: atMs };
}

/** The attempt has made its next call. */
export function calls(
  attempt: number,
  call: CallMade["call"],
  said: Partial<CallMade> & { readonly atMs?: number } = {},
): GatewayEvent {
  return { kind: "call", atMs: 0, attempt, by: attemptName(attempt), call, key: "k", ...said };
}

/** The store answers the attempt's call; it holds no record before and after, unless told. */
export function store(
  attempt: number,
  call: StoreAnswered["call"],
  answer: string,
  said: Partial<StoreAnswered> = {},
): GatewayEvent {
  const event: StoreAnswered = {
    kind: "store",
    attempt,
    by: attemptName(attempt),
    call,
    key: "k",
    token: tokenOf(attempt),
    fingerprint: "f",
    response: null,
    answer,
    storeMs: 0,
    before: null,
    after: null,
    records: {},
    ...said,
  };
  const { key, after, storeMs } = event;
  const records = said.records ?? (after === null ? {} : { [key]: after });
  return { atMs: storeMs, ...event, records };
}

/** The attempt's effect happens, unless told. */
export function executes(
  attempt: number,
  said: Partial<Dispatched> & { readonly atMs?: number } = {},
): GatewayEvent {
  return {
    kind: "dispatched",
    atMs: 0,
    attempt,
    by: said.viaQueue === true ? "delivery 1" : attemptName(attempt),
    viaQueue: false,
    token: said.viaQueue === true ? "delivery-0-1" : tokenOf(attempt),
    key: "order of k",
    storeKey: "k",
    executed: true,
    said: "success",
    downstreamMs: 0,
    messageDeadlineMs: null,
    ...said,
  };
}

/** The attempt hears of its call, or who is told `by`; `silence` is nothing. */
export function hears(
  attempt: number,
  call: CallName,
  heard: string,
  { by = attemptName(attempt) }: { readonly by?: string } = {},
): GatewayEvent {
  return { kind: "reply", atMs: 0, attempt, by, call, heard };
}

/** The client is told, as JSON, and not by a replay unless said. */
export function told(
  attempt: number,
  { status, code }: { readonly status: number; readonly code: string },
  said: Partial<Responded> = {},
): GatewayEvent {
  const [contentType, body] = ["application/json", "{}"];
  return {
    kind: "response",
    atMs: 0,
    attempt,
    status,
    code,
    replayed: false,
    contentType,
    body,
    ...said,
  };
}

/** Message 0 of the attempt is put in the queue, or taken out of it. */
export function message(
  attempt: number,
  kind: "enqueued" | "acknowledged" | "buried",
): GatewayEvent {
  return { kind, atMs: 0, attempt, message: 0 };
}

/** Message 0 of the attempt is delivered; `late`: past its deadline. */
export function delivered(attempt: number, late = false): GatewayEvent {
  return { kind: "delivery", atMs: 0, attempt, message: 0, by: "delivery 1", late };
}

/** A copy of the call, for which nobody waits. */
export function copy(
  attempt: number,
  kind: "copy-sent" | "copy-arrived",
  call: CallName,
): GatewayEvent {
  return { kind, atMs: 0, attempt, call };
}

function tokenOf(attempt: number): string {
  return `token of ${attemptName(attempt)}`;
}
