// What a gateway plan needs of the store: its calls, its clock, a look inside and a crash.
import type { IdempotencyStore } from "../../impl/idempotency-store.ts";

/** One fresh, empty store; the runtime's own object behind it, or anything that answers as it does. */
export interface PlanStore {
  readonly reserve: IdempotencyStore["reserve"];
  readonly claim: IdempotencyStore["claim"];
  readonly commit: IdempotencyStore["commit"];
  readonly release: IdempotencyStore["release"];
  readonly inspect: IdempotencyStore["inspect"];
  /** The store's clock. */
  nowMs(): number;
  /** Moves the store's clock on, and rings every alarm due on the way. */
  pass(ms: number): Promise<void>;
  /** Moves the store's clock on, and no alarm rings: those due are late. */
  oversleep(ms: number): void;
  /** The alarm's handler runs, whether or not it is due. */
  ring(): Promise<void>;
  /** Resets the store: memory is gone, calls under way reject. */
  crash(): Promise<void>;
}
