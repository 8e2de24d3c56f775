// The store as the harness runs it: the shipped class with a virtual clock, a bell and a crash.
import { IdempotencyStore } from "../../impl/idempotency-store.ts";
import type { StoreEnv } from "../../impl/store-settings.ts";
import { laneNamed, laneSettings } from "./lanes.ts";
import type { Lane } from "./lanes.ts";

/** Adds what a test needs and takes nothing away: calls go straight to the shipped methods. */
export class HarnessStore extends IdempotencyStore {
  readonly #lane: Lane;

  constructor(state: DurableObjectState, env: StoreEnv) {
    const lane = laneNamed(state.id.name);
    super(state, env, laneSettings(lane));
    this.#lane = lane;
    // Opened before a crash: what waited for them is gone.
    lane.opened.length = 0;
  }

  /** Empties the object, counters included, so that the next session finds it as new. */
  async reset(): Promise<void> {
    const { storage } = this.ctx;
    const { policy, mutant } = this.#lane.store;
    if (mutant === null && policy.criticalSection === "transaction") {
      storage.sql.exec("DELETE FROM records");
      storage.sql.exec("DELETE FROM counters");
    } else {
      const names = [...(await storage.list({ limit: mostNames })).keys()];
      if (names.length === mostNames) throw new Error(`too much to reset: names=${names.length}`);
      if (names.length > 0) await storage.delete(names);
    }
    void storage.deleteAlarm();
    await this.shell.start();
  }

  async size(): Promise<number> {
    return this.shell.count();
  }

  /**
   * Moves the lane's clock on by `ms` and rings every alarm due on the way, each at its own
   * moment. As in the runtime, the alarm is taken off before its handler runs. Gives the number of
   * records that are left where an alarm rang, and null where none did.
   */
  async pass(ms: number): Promise<number | null> {
    const { storage } = this.ctx;
    const { clock } = this.#lane;
    const endMs = clock.nowMs + ms;
    for (let ring = 0; ring < mostRings; ring++) {
      const alarmAtMs = await storage.getAlarm();
      if (alarmAtMs === null || alarmAtMs > endMs) {
        clock.nowMs = endMs;
        return ring === 0 ? null : this.shell.count();
      }
      clock.nowMs = Math.max(clock.nowMs, alarmAtMs);
      void storage.deleteAlarm();
      await this.alarm();
    }
    throw new Error(`alarms without end: rings=${mostRings} within ms=${ms}`);
  }

  /** Rings the alarm out of turn; as in the runtime, it is taken off before its handler runs. */
  async ring(): Promise<void> {
    void this.ctx.storage.deleteAlarm();
    await this.alarm();
  }

  /** Fires what the plan has opened, inside the object that set it. */
  fireOpened(): void {
    for (const fire of this.#lane.opened.splice(0)) fire();
  }

  noOp(): void {}

  /** Resets the object for real: memory is gone, and every call under way rejects. */
  crash(): void {
    this.ctx.abort("crash");
  }
}

/** More than the names of one history, and what one delete may take. */
const mostNames = 128;
/** Far more than the alarms of one history. */
const mostRings = 1_000;
