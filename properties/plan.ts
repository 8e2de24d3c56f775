// What fast-check generates: who attempts what, in which order, with which faults, as plain data.

/**
 * A plan is data and nothing else, so that operations, schedule, faults and time steps shrink
 * together. A step that makes no sense where it stands (a settlement without a reservation, say)
 * is passed over by the run, so that any element can be taken out.
 */
export interface Plan {
  readonly pendingMs: number;
  readonly retentionMs: number;
  /** The keys that attempts name by index. */
  readonly keys: readonly string[];
  readonly attempts: readonly PlannedAttempt[];
  readonly steps: readonly PlanStep[];
  /**
   * Consulted while operations are under way and at each schedule point of the target, one number
   * a decision, modulo the number of choices; used up, every further decision is 0: wait.
   */
  readonly schedule: readonly number[];
  /** Another session of the target is open beside, in which every key is reserved. */
  readonly beside?: true;
}

export interface PlannedAttempt {
  /** Index into `keys`. */
  readonly key: number;
  readonly token: string;
  readonly fingerprint: string;
  /** What downstream does with the effect. */
  readonly effect: EffectOutcome;
  /** The response that a commit stores. */
  readonly response: string;
}

/** What the effect comes to: only `success` executes; of `unknown` nobody knows. */
export type EffectOutcome = "success" | "soft-fail" | "definite-failure" | "unknown";

export type PlanStep =
  /** The attempt asks for its key; again, if it has asked before. */
  | ReserveStep
  /** The attempt acts, if it may and has not, and settles by the effect's outcome; again, if it has. */
  | SettleStep
  /** The attempt releases what it has committed, which no store may obey. */
  | CallStep<"release">
  | { readonly kind: "advance"; readonly ms: number }
  /** Advances to the end of what blocks the attempt's key, and `offsetMs` (−1, 0, 1) on. */
  | { readonly kind: "advance-to-end"; readonly attempt: number; readonly offsetMs: number }
  | { readonly kind: "crash" };

export interface ReserveStep extends CallStep<"reserve"> {
  /** Where it asks again: with another payload than the attempt's own. */
  readonly otherPayload?: true;
}

export interface SettleStep extends CallStep<"settle"> {
  /** Where it commits again: with another response than the attempt's own. */
  readonly otherResponse?: true;
}

export interface CallStep<Kind extends string> {
  readonly kind: Kind;
  readonly attempt: number;
  readonly fault: CallFault;
  /** The next step does not wait for this call's answer. */
  readonly overlaps: boolean;
}

/** `lost-before`: never reaches the store. `lost-after`: takes effect, the reply is lost. */
export type CallFault = "none" | "lost-before" | "lost-after";
