// The rate limiter as the harness runs it: the shipped class with a virtual clock, a bell and a crash.
import type { AdmissionReply, RateLimit } from "../../impl/rate-limit.ts";
import { RateLimiterStore } from "../../impl/rate-limiter-store.ts";
import type { LimiterChoice } from "./limiter-protocol.ts";

/**
 * Where each run's time begins. It is so far ahead that the runtime's own alarm clock, which stays
 * on real time, never rings; alarms ring by `pass`.
 */
const epochMs = 4_000_000_000_000;

/** Of one tenant's limiter; harness and limiter share one isolate, so that they need no call. */
interface Lane {
  nowMs: number;
  mutant: LimiterChoice["mutant"];
}

/** The lane of the limiter that has this name. */
export function laneOf(name: string): Lane {
  const lane = lanes.get(name) ?? { nowMs: epochMs, mutant: null };
  lanes.set(name, lane);
  return lane;
}

const lanes = new Map<string, Lane>();

/** Adds what a test needs and takes nothing away: without a mutant calls go to the shipped methods. */
export class HarnessLimiter extends RateLimiterStore {
  readonly #lane: Lane;

  constructor(state: DurableObjectState, env: unknown) {
    const lane = laneOf(state.id.name ?? "");
    super(state, env, () => lane.nowMs);
    this.#lane = lane;
    if (lane.mutant === "forgets") this.#erase();
  }

  override async admit(
    limit: RateLimit,
  ): Promise<AdmissionReply | { readonly outcome: "invalid" }> {
    return this.#lane.mutant === "gap" ? this.#admitWithGap(limit) : super.admit(limit);
  }

  /** Empties the object, so that the next run finds it as new. */
  async reset(): Promise<void> {
    this.#erase();
    void this.ctx.storage.deleteAlarm();
    this.#lane.nowMs = epochMs;
  }

  override async alarm(): Promise<void> {
    if (this.#lane.mutant !== "keeps") await super.alarm();
  }

  /**
   * Moves the clock on by `ms`, rings every alarm due on the way, each at its own moment, and gives
   * the rows then stored. As in the runtime, the alarm is taken off before its handler runs.
   */
  async pass(ms: number): Promise<number> {
    const { storage } = this.ctx;
    const endMs = this.#lane.nowMs + ms;
    for (let ring = 0; ring < mostRings; ring++) {
      const alarmAtMs = await storage.getAlarm();
      if (alarmAtMs === null || alarmAtMs > endMs) {
        this.#lane.nowMs = endMs;
        return this.size();
      }
      this.#lane.nowMs = Math.max(this.#lane.nowMs, alarmAtMs);
      void storage.deleteAlarm();
      await this.alarm();
    }
    throw new Error(`alarms without end: rings=${mostRings} within ms=${ms}`);
  }

  /** Resets the object for real: memory is gone. */
  crash(): void {
    this.ctx.abort("crash");
  }

  #erase(): void {
    this.ctx.storage.sql.exec("DELETE FROM admissions");
    this.ctx.storage.sql.exec("DELETE FROM fixed_window");
  }

  /** Reads, lets others in, and writes what it had decided before. */
  async #admitWithGap({ requests, windowMs }: RateLimit): Promise<AdmissionReply> {
    const { sql } = this.ctx.storage;
    const now = this.#lane.nowMs;
    const inWindow = "SELECT at_ms AS atMs FROM admissions WHERE at_ms > ? ORDER BY seq DESC";
    const rows = sql.exec<{ atMs: number }>(inWindow, now - windowMs).toArray();
    await new Promise((resolve) => setTimeout(resolve, 0));
    const decisive = rows[requests - 1];
    if (decisive !== undefined) {
      return { outcome: "limited", retryAfterMs: decisive.atMs + windowMs - now };
    }
    sql.exec("INSERT INTO admissions (at_ms, ends_at_ms) VALUES (?, ?)", now, now + windowMs);
    void this.ctx.storage.setAlarm(now + windowMs);
    return { outcome: "admitted" };
  }
}

/** Far more than the alarms of one run. */
const mostRings = 1_000;
