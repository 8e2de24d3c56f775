// What happened: the recorded history of one run, on which every invariant is judged.
import type { ReserveAnswer, SettlementAnswer, TargetCapabilities } from "./target.ts";

export interface History {
  readonly pendingMs: number;
  readonly retentionMs: number;
  readonly capabilities: TargetCapabilities;
  /** In the order in which they were observed; an event's place is its only order in real time. */
  readonly events: readonly HistoryEvent[];
  /** How many of them, from the first, are the plan's; the rest are the run's own. All unless told. */
  readonly plannedEvents?: number;
}

export type HistoryEvent =
  | InvocationEvent
  | CompletionEvent
  | LostCallEvent
  | EffectEvent
  | AdvanceEvent
  | CrashEvent
  | SizeEvent
  | TargetFaultEvent;

/** A call that reached the store. */
export type InvocationEvent = {
  readonly kind: "invocation";
  readonly atMs: number;
  /** Pairs an invocation with its completion; counts from 0. */
  readonly operation: number;
} & StoreCall;

export type StoreCall = ReserveCall | CommitCall | ReleaseCall;

export interface ReserveCall {
  readonly call: "reserve";
  readonly attempt: number;
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
}

export interface CommitCall {
  readonly call: "commit";
  readonly attempt: number;
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly response: string;
}

export interface ReleaseCall {
  readonly call: "release";
  readonly attempt: number;
  readonly key: string;
  readonly token: string;
}

/** The store's answer as the harness saw it, whether or not the attempt did. */
export interface CompletionEvent {
  readonly kind: "completion";
  readonly atMs: number;
  readonly operation: number;
  readonly answer: StoreAnswer;
  /** False where the reply was lost on its way to the attempt. */
  readonly delivered: boolean;
}

/** `indeterminate`: the call rejected across a crash; it took effect before that, or never. */
export type StoreAnswer = ReserveAnswer | { readonly outcome: SettlementAnswer } | Indeterminate;

export interface Indeterminate {
  readonly outcome: "indeterminate";
}

/** A call that never reached the store; the attempt got no answer. */
export type LostCallEvent = { readonly kind: "lost-call"; readonly atMs: number } & StoreCall;

/** What the attempt's work came to; `executed` is what truly happened downstream. */
export interface EffectEvent {
  readonly kind: "effect";
  readonly atMs: number;
  readonly attempt: number;
  readonly key: string;
  readonly outcome: "success" | "soft-fail" | "definite-failure" | "unknown";
  readonly executed: boolean;
}

export interface AdvanceEvent {
  readonly kind: "advance";
  /** The time before. */
  readonly atMs: number;
  readonly ms: number;
}

export interface CrashEvent {
  readonly kind: "crash";
  readonly atMs: number;
}

export interface SizeEvent {
  readonly kind: "size";
  readonly atMs: number;
  readonly size: number;
}

/** The target broke the contract itself: it threw, hung, or answered what the contract does not know. */
export interface TargetFaultEvent {
  readonly kind: "target-fault";
  readonly atMs: number;
  /** The operation of the session, for example `reserve` or `advance`. */
  readonly operation: string;
  readonly problem: "rejected" | "no-answer" | "unknown-answer";
  /** One line: what was thrown or answered. */
  readonly detail: string;
}
