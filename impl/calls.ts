// What the gateway and the consumer ask of the world: one interface, so that anything can stand in between.
import type { QueuedTrade } from "./queued-trade.ts";
import type { RateLimit } from "./rate-limit.ts";
import type {
  ClaimRequest,
  CommitRequest,
  ReleaseRequest,
  ReserveRequest,
  StandingRequest,
} from "./store-requests.ts";

/**
 * Every call that leaves the Worker. Answers are `unknown` on purpose: a call may throw, hang or
 * answer anything, and what that means is decided by its reader (`answers.ts`), not by its type.
 * `live-calls.ts` makes them of bindings; a harness puts its own in between.
 */
export interface Calls {
  /** The operator's switches, as stored. */
  readConfig(): Promise<unknown>;
  /** Asks the limiter for one request of `session`. */
  admit(session: string, limit: RateLimit): Promise<unknown>;
  reserve(request: ReserveRequest): Promise<unknown>;
  claim(request: ClaimRequest): Promise<unknown>;
  commit(request: CommitRequest): Promise<unknown>;
  release(request: ReleaseRequest): Promise<unknown>;
  /** How a queued message stands at the store. */
  standing(request: StandingRequest): Promise<unknown>;
  /** `signal` aborts when the gateway stops waiting. */
  dispatch(request: DispatchRequest, signal: AbortSignal): Promise<unknown>;
  enqueue(message: QueuedTrade): Promise<unknown>;
  /** Whether the message of the attempt `token` was marked as executed (the published consumer). */
  hasMark(token: string): Promise<unknown>;
  mark(token: string): Promise<unknown>;
  /** Sends a message that will not execute any more to where people see it. */
  deadLetter(message: unknown, reason: string): Promise<unknown>;
  /** The clock of whoever asks: never the store's, never downstream's. */
  now(): number;
  /** At least 128 bits that nobody guesses and nobody has twice. */
  randomToken(): string;
  timer(ms: number): Timer;
}

export interface DispatchRequest {
  readonly clientOrderId: string;
  /** Canonical JSON of the trade. */
  readonly body: string;
  /** Last moment of the effect (exclusive) on the store's clock; null where the policy has none. */
  readonly deadlineAtMs: number | null;
  readonly fence: number | null;
}

export interface Timer {
  readonly ended: Promise<void>;
  cancel(): void;
}

/**
 * Asks once, waits `ms` at most, and reads what came. A call that throws or does not answer in time
 * is `silence`; one that answers nonsense is whatever the reader makes of it.
 */
export async function ask<Result>(
  calls: Calls,
  ms: number,
  call: (signal: AbortSignal) => Promise<unknown>,
  read: (answer: unknown) => Result,
  silence: Result,
): Promise<Result> {
  const waiting = new AbortController();
  const timer = calls.timer(ms);
  try {
    const answered = Promise.resolve(call(waiting.signal)).then(read);
    return await Promise.race([answered, timer.ended.then(() => silence)]);
  } catch {
    return silence;
  } finally {
    timer.cancel();
    waiting.abort();
  }
}
