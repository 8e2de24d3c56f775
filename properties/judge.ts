// Judges one history: which invariants it breaks, which it exercises, which situations occurred.
import type { History } from "./history.ts";
import type { Violation } from "./results.ts";

export interface Judgement {
  readonly violations: readonly Violation[];
  /** Names of the invariants whose situation occurred in this history. */
  readonly exercised: readonly string[];
  /** Names of the interesting situations that occurred (see `situations.ts`). */
  readonly situations: readonly string[];
  /** False where a bound of the linearizability check was passed: its verdict is unknown. */
  readonly decided: boolean;
}

export declare function judge(history: History): Judgement;
