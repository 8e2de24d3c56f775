// What a judge says of one history, and the words in which it says it.
import type { StoreInvariant } from "../../model/invariants.ts";
import type { Operation, PreparedHistory } from "../operations.ts";
import type { Violation } from "../results.ts";
import type { TargetCapabilities } from "../target.ts";

/** Judges one invariant on one history. */
export interface InvariantJudge {
  readonly invariant: StoreInvariant;
  /** Capabilities without which the invariant says nothing of a target. */
  readonly needs: readonly (keyof TargetCapabilities)[];
  judge(prepared: PreparedHistory): Ruling;
}

export interface Ruling {
  /** Whether the situation that the invariant speaks of occurred; otherwise it holds vacuously. */
  readonly exercised: boolean;
  readonly violations: readonly Violation[];
}

/** The attempt's name in explanations and stories: 0 is A, 25 is Z, 26 is AA. */
export function attemptName(attempt: number): string {
  const letter = String.fromCharCode(65 + (attempt % 26));
  return attempt < 26 ? letter : attemptName(Math.floor(attempt / 26) - 1) + letter;
}

/** A key, token or response as it is shown: quoted, cut after 24 characters. */
export function shown(text: string): string {
  const cut = text.length > 24 ? `${text.slice(0, 24)}…` : text;
  return JSON.stringify(cut);
}

/** A violation with its evidence in order; places that do not exist (never completed) are left out. */
export function violation(
  invariant: StoreInvariant,
  explanation: string,
  evidence: readonly number[],
): Violation {
  const events = [...new Set(evidence.filter(Number.isFinite))].sort((one, other) => one - other);
  return { invariant, explanation, events };
}

/** The places of an operation's invocation and completion. */
export function placesOf(operation: Operation): readonly number[] {
  return [operation.invokedIndex, operation.completedIndex];
}

/** Who asked what and when: `A's reserve at 100 ms`. */
export function callOf({ attempt, call, atMs }: Operation): string {
  return `${attemptName(attempt)}'s ${call} at ${atMs} ms`;
}
