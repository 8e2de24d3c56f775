// Decides when a search yields to the event loop, reports progress, or stops for time or at the user's wish.
import type { SearchProgress, SearchSettings } from "./check-options.ts";

/** A batch takes well under a millisecond; looking at the clock once in so many costs nothing that can be measured. */
const BATCHES_PER_LOOK = 16;
const YIELD_EVERY_MS = 20;

export class Pacer {
  readonly startedMs = performance.now();
  readonly #settings: SearchSettings;
  #batches = 0;
  #yieldedMs = this.startedMs;
  #reportedMs = this.startedMs;

  constructor(settings: SearchSettings) {
    this.#settings = settings;
  }

  get elapsedMs(): number {
    return performance.now() - this.startedMs;
  }

  /** Whether it is time for {@link pause}. */
  due(): boolean {
    this.#batches += 1;
    return (
      this.#batches % BATCHES_PER_LOOK === 0 &&
      performance.now() - this.#yieldedMs >= YIELD_EVERY_MS
    );
  }

  /** Yields, reports, and tells which bound was met. */
  async pause(
    progress: (elapsedMs: number) => SearchProgress,
  ): Promise<"maxSeconds" | "cancelled" | null> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const nowMs = performance.now();
    this.#yieldedMs = nowMs;
    const { signal, bounds } = this.#settings;
    if (signal?.aborted === true) return "cancelled";
    if (nowMs - this.startedMs > bounds.maxSeconds * 1000) return "maxSeconds";
    this.report(progress);
    return null;
  }

  /** Reports progress if it is time. */
  report(progress: (elapsedMs: number) => SearchProgress): void {
    const { onProgress, progressEveryMs } = this.#settings;
    const nowMs = performance.now();
    if (onProgress === undefined || nowMs - this.#reportedMs < progressEveryMs) return;
    this.#reportedMs = nowMs;
    onProgress(progress(nowMs - this.startedMs));
  }
}
