// Pairs a history's invocations and completions into operations, key by key, once for all judges.
import { gatherAcceptances, type Acceptance } from "./acceptances.ts";
import type { History, InvocationEvent, StoreAnswer } from "./history.ts";

/** What all judges of one history share. */
export interface PreparedHistory {
  readonly history: History;
  readonly times: JudgedTimes;
  readonly operations: readonly Operation[];
  readonly keys: readonly KeyHistory[];
}

/** The times that a judge compares with, in milliseconds. */
export interface JudgedTimes {
  readonly pendingMs: number;
  readonly retentionMs: number;
  /**
   * How near to an end nothing is said: within it a record may block or be over. 0 with an exact
   * clock, a tenth of the shorter blocking time with any other.
   */
  readonly slackMs: number;
}

/** The moments at which something may have taken effect: places in the history, and times. */
export interface Window {
  readonly invokedIndex: number;
  /** Infinity where it never completed. */
  readonly completedIndex: number;
  readonly atMs: number;
  /** Infinity where it never completed. */
  readonly latestMs: number;
}

/** One call and its answer; `indeterminate` where it rejected at a crash or never completed. */
export interface Operation extends Window {
  readonly call: "reserve" | "commit" | "release";
  readonly attempt: number;
  readonly key: string;
  readonly token: string;
  /** Empty for a release, which carries none. */
  readonly fingerprint: string;
  /** Empty for all but a commit. */
  readonly response: string;
  readonly answer: StoreAnswer;
  readonly delivered: boolean;
}

/** The operations of one key in the order of their invocation; those that changed nothing are left out. */
export interface KeyOperations {
  readonly key: string;
  /** Reserves that were served, or may have been: anything but `unavailable`. */
  readonly reserves: readonly Operation[];
  /** Those of them that were answered. */
  readonly served: readonly Operation[];
  /** Commits that took effect or may have: answered done, or indeterminate. */
  readonly commits: readonly Operation[];
  /** Releases that took effect or may have: answered done, or indeterminate. */
  readonly releases: readonly Operation[];
  /** Commits and releases that were answered done or stale. */
  readonly settlements: readonly Operation[];
  /** All that linearizability looks at: everything but `unavailable`. */
  readonly all: readonly Operation[];
}

export interface KeyHistory extends KeyOperations {
  readonly acceptances: readonly Acceptance[];
}

export function prepareHistory(history: History): PreparedHistory {
  const times = judgedTimes(history);
  const operations = pairOperations(history);
  const keys = partitionByKey(operations).map((key) => ({
    ...key,
    acceptances: gatherAcceptances(key, times, history.capabilities.ownerTokens),
  }));
  return { history, times, operations, keys };
}

export function judgedTimes(
  history: Pick<History, "pendingMs" | "retentionMs" | "capabilities">,
): JudgedTimes {
  const { pendingMs, retentionMs, capabilities } = history;
  const slackMs = capabilities.exactClock ? 0 : Math.ceil(Math.min(pendingMs, retentionMs) / 10);
  return { pendingMs, retentionMs, slackMs };
}

/** One precedes another if it had completed before the other was invoked; else they may be in any order. */
export function precedes(one: Window, other: Window): boolean {
  return one.completedIndex < other.invokedIndex;
}

export function isIndeterminate(operation: Operation): boolean {
  return operation.answer.outcome === "indeterminate";
}

/** A reserve that was answered by what some record of the key would explain. */
export function isRefusal(operation: Operation): boolean {
  const { outcome } = operation.answer;
  return outcome === "in-flight" || outcome === "duplicate" || outcome === "mismatch";
}

/** Invocations and completions become operations, in the order of their invocation. */
export function pairOperations(history: History): readonly Operation[] {
  const operations: Mutable<Operation>[] = [];
  const open = new Map<number, Mutable<Operation>>();
  history.events.forEach((event, index) => {
    if (event.kind === "invocation") {
      const operation = invoked(event, index);
      operations.push(operation);
      open.set(event.operation, operation);
    } else if (event.kind === "completion") {
      const operation = open.get(event.operation);
      if (operation === undefined) return;
      open.delete(event.operation);
      operation.completedIndex = index;
      operation.latestMs = event.atMs;
      operation.answer = event.answer;
      operation.delivered = event.delivered;
    }
  });
  return operations;
}

export function partitionByKey(operations: readonly Operation[]): readonly KeyOperations[] {
  const byKey = new Map<string, MutableKeyOperations>();
  for (const operation of operations) {
    if (operation.answer.outcome === "unavailable") continue;
    let key = byKey.get(operation.key);
    if (key === undefined) {
      key = {
        key: operation.key,
        reserves: [],
        served: [],
        commits: [],
        releases: [],
        settlements: [],
        all: [],
      };
      byKey.set(operation.key, key);
    }
    addOperation(key, operation);
  }
  return [...byKey.values()];
}

type Mutable<Type> = { -readonly [Field in keyof Type]: Type[Field] };

interface MutableKeyOperations extends KeyOperations {
  readonly reserves: Operation[];
  readonly served: Operation[];
  readonly commits: Operation[];
  readonly releases: Operation[];
  readonly settlements: Operation[];
  readonly all: Operation[];
}

const neverAnswered: StoreAnswer = { outcome: "indeterminate" };

function invoked(event: InvocationEvent, index: number): Mutable<Operation> {
  return {
    call: event.call,
    attempt: event.attempt,
    key: event.key,
    token: event.token,
    fingerprint: event.call === "release" ? "" : event.fingerprint,
    response: event.call === "commit" ? event.response : "",
    invokedIndex: index,
    completedIndex: Infinity,
    atMs: event.atMs,
    latestMs: Infinity,
    answer: neverAnswered,
    delivered: false,
  };
}

function addOperation(key: MutableKeyOperations, operation: Operation): void {
  key.all.push(operation);
  const { outcome } = operation.answer;
  switch (operation.call) {
    case "reserve":
      key.reserves.push(operation);
      if (outcome !== "indeterminate") key.served.push(operation);
      return;
    case "commit":
      if (outcome !== "stale") key.commits.push(operation);
      break;
    case "release":
      if (outcome !== "stale") key.releases.push(operation);
      break;
  }
  if (outcome !== "indeterminate") key.settlements.push(operation);
}
