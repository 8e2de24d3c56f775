// Decides what a finished or stopped check reports: verdicts, exact counts, bounds met, witnesses.
import type { SearchBounds } from "./check-options.ts";
import type { PropertyKind } from "./model.ts";

export type Verdict = "holds" | "refuted" | "inconclusive";

/** Why a search ended before the whole graph was known. */
export type StopCause =
  "maxStates" | "maxBytes" | "maxSeconds" | "cancelled" | "decided" | "refuted";

/**
 * Witness is a real execution from an initial state: `states[0]` is initial, `actions[i]` leads from `states[i]`
 * to `states[i + 1]`. Its length is `actions.length`. Of `always`, `sometimes`, `reachable` and deadlock it is a
 * shortest one. With symmetry it is an execution all the same, not a sequence of representatives.
 */
export interface Witness {
  readonly states: readonly Uint32Array[];
  readonly actions: readonly number[];
  /** Of a refuted `eventually` only: the place in `states` to which the last state returns (up to symmetry); null when the execution ends. */
  readonly loopsTo: number | null;
}

export interface PropertyResult {
  readonly id: string;
  readonly kind: PropertyKind;
  readonly statement: string;
  readonly verdict: Verdict;
  /** One line: what decided it, or why nothing could. */
  readonly because: string;
  /** What the search or its sweep met before this property was decided; null where it was, or where it is vacuous. */
  readonly stoppedBy: StopCause | null;
  /** Of a refuted property, and of a `sometimes` that was reached. */
  readonly witness: Witness | null;
}

export interface CheckResult {
  readonly model: string;
  readonly symmetry: boolean;
  readonly workers: number;
  readonly bounds: SearchBounds;
  /** Whether every reachable state was expanded; only then the counts are exact. */
  readonly isWhole: boolean;
  /** What ended the search, or a sweep over the whole graph that it found; null: nothing did. */
  readonly stoppedBy: StopCause | null;
  /** Distinct states, the initial ones included (SPIN: "states, stored"; Rumur: "states"). */
  readonly states: number;
  /**
   * Successors written by `expand`: each counts, also when several lead to one state or back to the same. An end
   * state has none. Rumur's "rules fired" is this number; SPIN's "transitions" (stored + matched) are this number
   * plus one for the initial state, when the exported model has one step per action.
   */
  readonly edges: number;
  /** Steps from an initial state to the farthest state. Of a stopped search: the last depth whose states were all expanded, -1 if none. */
  readonly depth: number;
  /** States found and not expanded. */
  readonly queueLength: number;
  /** States without successors that are proper ends. */
  readonly ends: number;
  /** States without successors that are not. */
  readonly deadlocks: number;
  readonly deadlock: {
    readonly verdict: Verdict;
    readonly because: string;
    readonly witness: Witness | null;
  };
  /** Bytes allocated for states, parents and table. */
  readonly bytes: number;
  readonly bytesPerState: number;
  readonly elapsedMs: number;
  /** Of the search itself, without the sweeps for `reachable` and `eventually`. */
  readonly searchMs: number;
  readonly sweepMs: number;
  readonly sweeps: number;
  /** The longest time that the search stood still because table or storage grew. */
  readonly maxPauseMs: number;
  readonly statesPerSecond: number;
  readonly properties: readonly PropertyResult[];
}
