// How long a lost connection waits before it is tried again.

/** First wait, and the longest, in milliseconds. */
export const reconnectWaits = { firstMs: 1_000, longestMs: 60_000 } as const;

/** Doubles with every failure in a row. One object connects per exchange, so there is no herd to scatter. */
export function reconnectWaitMs(
  failures: number,
  firstMs: number = reconnectWaits.firstMs,
): number {
  return Math.min(reconnectWaits.longestMs, firstMs * 2 ** Math.min(failures, 16));
}
