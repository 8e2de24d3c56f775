// What a store that takes one operation after the other may answer: the interface of a specification.
import type { Operation } from "./operations.ts";

/**
 * The sequential specification of one key. It is nondeterministic: what was answered may leave the
 * key in one of several states. A state is a value; the checker knows nothing of it but its name.
 *
 * Why an operation comes with an interval of time: one that never completed may take effect long
 * after its invocation, so that the end of what it makes is known only between bounds. A state keeps
 * the bounds, and each answer narrows them.
 */
export interface SequentialSpec<State = unknown> {
  readonly initial: State;
  /**
   * The states after the operation took effect at some moment from `fromMs` to `toMs` and gave its
   * answer; none where no such moment exists. For an indeterminate operation: the states that differ
   * from the one before, whatever it would have answered.
   */
  apply(state: State, operation: Operation, fromMs: number, toMs: number): readonly State[];
  /** Names the state: two states of one name behave alike ever after. */
  nameOf(state: State): string;
  /** Whose record the state may still hold until `toMs`, and whether that token alone can change it. */
  holderOf(state: State, toMs: number): Holder | undefined;
  /**
   * Whether it can make a difference that `candidate`, which never completed, took effect in a state
   * that any token may change, before `goal` does. False only where leaving it for later, or for
   * never, explains as much.
   */
  mayMatter(candidate: Operation, goal: Operation): boolean;
}

export interface Holder {
  readonly token: string;
  /** No operation of another token changes the state. */
  readonly alone: boolean;
}
