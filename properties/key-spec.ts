// Turns rules (what a situation becomes, and what is answered) into a sequential specification.
import type { StoreAnswer } from "./history.ts";
import type { JudgedTimes, Operation } from "./operations.ts";
import type { SequentialSpec } from "./sequential-spec.ts";
import type { TargetCapabilities } from "./target.ts";

/** One legal way to take a call in a situation. */
export interface KeyRule {
  readonly change: "keep" | "accept" | "commit" | "commit-until-same-end" | "commit-late" | "erase";
  readonly outcome: "proceed" | "in-flight" | "duplicate" | "mismatch" | "done" | "stale";
}

/** What a rule depends on; a record whose time is over is `absent`. */
export interface KeySituation {
  readonly call: Operation["call"];
  readonly status: "absent" | "pending" | "committed";
  /** The call carries the record's token. */
  readonly own: boolean;
  readonly sameFingerprint: boolean;
}

export interface KeySpecOptions {
  readonly times: JudgedTimes;
  readonly capabilities: Pick<TargetCapabilities, "ownerTokens" | "replay">;
  readonly rules: KeyRules;
  /** From an acceptance to its deadline; null where the specification does not say how long. */
  readonly deadlineMs: number | null;
}

/** All legal ways in every situation, asked for once. */
export interface KeyRules {
  readonly byIndex: readonly (readonly KeyRule[])[];
  /** What a free key may answer to a settlement, such as `commit stale`. */
  readonly freeAnswers: ReadonlySet<string>;
}

/** The state of one key as far as the answers tell. */
export interface KeyState {
  readonly record: KeyStateRecord | null;
  /** The highest fence that was answered; fences are compared, never computed. */
  readonly topFence: number;
  /** What comes next takes effect at this moment or later. */
  readonly sinceMs: number;
}

interface KeyStateRecord {
  readonly status: "pending" | "committed";
  readonly token: string;
  readonly fingerprint: string;
  readonly response: string;
  /** The end of the blocking lies between these two, both included. */
  readonly endsFromMs: number;
  readonly endsByMs: number;
  /** What its first `proceed` told; undefined while nobody was told. */
  readonly told:
    { readonly fence: number | undefined; readonly deadline: number | undefined } | undefined;
  /** Somebody was told that it is in doubt. */
  readonly inDoubt: boolean;
}

export function createKeySpec(options: KeySpecOptions): SequentialSpec<KeyState> {
  const { ownerTokens } = options.capabilities;
  return {
    initial: { record: null, topFence: -Infinity, sinceMs: -Infinity },
    apply: (state, operation, fromMs, toMs) => applyCall(options, state, operation, fromMs, toMs),
    nameOf,
    holderOf: ({ record }, toMs) =>
      record === null
        ? undefined
        : { token: record.token, alone: ownerTokens && toMs < record.endsFromMs },
    mayMatter: (candidate, goal) =>
      candidate.token === goal.token ||
      mayExplain(candidate, goal, options.rules.freeAnswers, ownerTokens),
  };
}

function applyCall(
  options: KeySpecOptions,
  before: KeyState,
  operation: Operation,
  earliestMs: number,
  toMs: number,
): readonly KeyState[] {
  const fromMs = Math.max(earliestMs, before.sinceMs);
  const { byIndex } = options.rules;
  const { record } = before;
  const states: KeyState[] = [];
  const freeSinceMs = Math.max(before.sinceMs, record?.endsFromMs ?? -Infinity);
  const step = { options, operation, fromMs, toMs, freeSinceMs };
  if (record === null || toMs >= record.endsFromMs) {
    const free = { ...before, record: null, sinceMs: Math.max(fromMs, freeSinceMs) };
    addStates(states, step, free, byIndex[ruleIndex(operation, null)] ?? []);
  }
  if (record !== null && fromMs < record.endsByMs) {
    const endsFromMs = Math.max(record.endsFromMs, fromMs + 1);
    const blocked = { ...before, record: { ...record, endsFromMs }, sinceMs: fromMs };
    const beforeEnd = { ...step, toMs: Math.min(toMs, record.endsByMs - 1) };
    addStates(states, beforeEnd, blocked, byIndex[ruleIndex(operation, record)] ?? []);
  }
  return states;
}

interface Step {
  readonly options: KeySpecOptions;
  readonly operation: Operation;
  readonly fromMs: number;
  readonly toMs: number;
  /** Since when the key is free at the earliest, where it is. */
  readonly freeSinceMs: number;
}

function addStates(
  states: KeyState[],
  step: Step,
  state: KeyState,
  rules: readonly KeyRule[],
): void {
  const { answer } = step.operation;
  for (const rule of rules) {
    if (answer.outcome === "indeterminate") {
      // Took effect and changed nothing is the same as never took effect.
      if (rule.change !== "keep") states.push(changed(step, state, rule.change));
    } else if (answer.outcome === rule.outcome) {
      if (state.record === null && rule.outcome === "stale") {
        // Nothing happened, and whatever never completed may have taken the free key before: it is
        // left open when. (That its own token's settlement would have been obeyed then is let pass.)
        states.push({ ...state, sinceMs: step.freeSinceMs });
        continue;
      }
      const told = answered(step, changed(step, state, rule.change), answer, rule);
      if (told !== undefined) states.push(told);
    }
  }
}

function changed(step: Step, state: KeyState, change: KeyRule["change"]): KeyState {
  const { operation, options } = step;
  const { pendingMs, retentionMs } = options.times;
  const { token, fingerprint } = operation;
  const made = { token, fingerprint, told: undefined, inDoubt: false };
  const response = options.capabilities.replay ? operation.response : "";
  const { record } = state;
  switch (change) {
    case "keep":
      return state;
    case "erase":
      return { ...state, record: null };
    case "accept":
      return {
        ...state,
        record: { ...made, status: "pending", response: "", ...endsAfter(step, state, pendingMs) },
      };
    case "commit-late":
      return {
        ...state,
        record: { ...made, status: "committed", response, ...endsAfter(step, state, retentionMs) },
      };
    case "commit":
      if (record === null) return state;
      return {
        ...state,
        record: {
          ...record,
          status: "committed",
          response,
          ...endsAfter(step, state, retentionMs),
        },
      };
    case "commit-until-same-end":
      return record === null
        ? state
        : { ...state, record: { ...record, status: "committed", response } };
  }
}

function endsAfter({ options, toMs }: Step, { sinceMs }: KeyState, blockingMs: number) {
  const { slackMs } = options.times;
  return { endsFromMs: sinceMs + blockingMs - slackMs, endsByMs: toMs + blockingMs + slackMs };
}

/** The state once the answer's details are taken in; undefined where they contradict it. */
function answered(
  step: Step,
  state: KeyState,
  answer: StoreAnswer,
  rule: KeyRule,
): KeyState | undefined {
  const { record } = state;
  if (record === null) return state;
  const { capabilities } = step.options;
  switch (answer.outcome) {
    case "proceed": {
      const { fence, deadline } = answer;
      if (!capabilities.ownerTokens) {
        return { ...state, record: { ...record, told: { fence, deadline } } };
      }
      if (record.told !== undefined && rule.change === "keep") {
        return record.told.fence === fence && record.told.deadline === deadline ? state : undefined;
      }
      if (fence === undefined || !Number.isSafeInteger(fence) || fence <= state.topFence) {
        return undefined;
      }
      const dated = acceptedFor(step, record, deadline);
      return dated === undefined
        ? undefined
        : { ...state, topFence: fence, record: { ...dated, told: { fence, deadline } } };
    }
    case "in-flight":
      return doubted(step, state, record, answer.inDoubt);
    case "duplicate":
      return !capabilities.replay || answer.response === record.response ? state : undefined;
    case "mismatch":
    case "done":
    case "stale":
    case "unavailable":
    case "indeterminate":
      return state;
  }
}

/** A deadline that is known to be so long after the acceptance tells when that was. */
function acceptedFor(
  { options }: Step,
  record: KeyStateRecord,
  deadline: number | undefined,
): KeyStateRecord | undefined {
  const { pendingMs, slackMs } = options.times;
  if (options.deadlineMs === null || slackMs > 0) return record;
  if (deadline === undefined) return undefined;
  return endsWithin(record, deadline - options.deadlineMs + pendingMs);
}

/** In doubt from the deadline on and not before, as far as a deadline is known. */
function doubted(
  step: Step,
  state: KeyState,
  record: KeyStateRecord,
  inDoubt: boolean | undefined,
): KeyState | undefined {
  if (inDoubt === undefined) return state;
  if (record.inDoubt && !inDoubt) return undefined;
  const { times, deadlineMs } = step.options;
  const told = step.options.capabilities.ownerTokens ? record.told?.deadline : undefined;
  if (times.slackMs > 0 || (told === undefined && deadlineMs === null)) {
    return { ...state, record: { ...record, inDoubt } };
  }
  const toEndMs = times.pendingMs - (deadlineMs ?? 0);
  const fromMs = told ?? record.endsFromMs - toEndMs;
  const byMs = told ?? record.endsByMs - toEndMs;
  if (inDoubt ? step.toMs < fromMs : state.sinceMs >= byMs) return undefined;
  const narrowed =
    told !== undefined
      ? record
      : inDoubt
        ? endsWithin(record, -Infinity, step.toMs + toEndMs)
        : endsWithin(record, state.sinceMs + 1 + toEndMs, Infinity);
  if (narrowed === undefined) return undefined;
  const sinceMs = inDoubt ? Math.max(state.sinceMs, fromMs) : state.sinceMs;
  return { ...state, sinceMs, record: { ...narrowed, inDoubt } };
}

/** The record if it can end between these two; undefined if it cannot. */
function endsWithin(
  record: KeyStateRecord,
  fromMs: number,
  byMs = fromMs,
): KeyStateRecord | undefined {
  const endsFromMs = Math.max(record.endsFromMs, fromMs);
  const endsByMs = Math.min(record.endsByMs, byMs);
  return endsFromMs > endsByMs ? undefined : { ...record, endsFromMs, endsByMs };
}

const calls = ["reserve", "commit", "release"] as const;
const statuses = ["absent", "pending", "committed"] as const;
const truths = [false, true] as const;

/** Asks for the legal ways in each situation, at least one. */
export function gatherRules(rulesFor: (situation: KeySituation) => readonly KeyRule[]): KeyRules {
  const byIndex = calls.flatMap((call) =>
    statuses.flatMap((status) =>
      truths.flatMap((own) =>
        truths.map((sameFingerprint) => rulesFor({ call, status, own, sameFingerprint })),
      ),
    ),
  );
  const settlements = ["commit", "release"] as const;
  const free = { status: "absent", own: false, sameFingerprint: false } as const;
  const freeAnswers = settlements.flatMap((call) =>
    rulesFor({ ...free, call }).map(({ outcome }) => `${call} ${outcome}`),
  );
  return { byIndex, freeAnswers: new Set(freeAnswers) };
}

function ruleIndex({ call, token, fingerprint }: Operation, record: KeyStateRecord | null): number {
  const place = call === "reserve" ? 0 : call === "commit" ? 12 : 24;
  if (record === null) return place;
  return (
    place +
    (record.status === "pending" ? 4 : 8) +
    (record.token === token ? 2 : 0) +
    (record.fingerprint === fingerprint ? 1 : 0)
  );
}

function nameOf({ record, topFence, sinceMs }: KeyState): string {
  if (record === null) return `${topFence}|${sinceMs}`;
  const { status, token, fingerprint, response, endsFromMs, endsByMs, told, inDoubt } = record;
  const texts = JSON.stringify([token, fingerprint, response]);
  return (
    `${topFence}|${sinceMs}|${status}|${endsFromMs}|${endsByMs}|${inDoubt}|` +
    `${told?.fence}|${told?.deadline}|${texts}`
  );
}

/** Whether another token's call, taking the free key before the goal, can explain the goal's answer. */
function mayExplain(
  candidate: Operation,
  { call, answer }: Operation,
  freeAnswers: ReadonlySet<string>,
  ownerTokens: boolean,
): boolean {
  switch (answer.outcome) {
    case "duplicate":
      if (candidate.call !== "commit" || answer.response === undefined) return true;
      return candidate.response === answer.response || !ownerTokens;
    case "in-flight":
      return candidate.call === "reserve" || !ownerTokens;
    case "mismatch":
      return candidate.call !== "release" || !ownerTokens;
    case "stale":
      // Where a free key answers stale too, the candidate may as well come later.
      return !freeAnswers.has(`${call} stale`);
    case "proceed":
    case "done":
      // What these leave is the same whatever was there before; only a record that still blocks hinders them.
      return !ownerTokens;
    case "indeterminate":
    case "unavailable":
      return false;
  }
}
