// How long a lost connection waits before it is tried again, and when it counts as made.

/** First wait and the longest; how long a connection stands before its failures are forgotten; how long a dial may take. */
export const reconnectWaits = {
  firstMs: 1_000,
  longestMs: 60_000,
  steadyMs: 60_000,
  dialMs: 10_000,
} as const;

/** Doubles with every failure in a row. One object connects per exchange, so there is no herd to scatter. */
export function reconnectWaitMs(failures: number): number {
  return Math.min(reconnectWaits.longestMs, reconnectWaits.firstMs * 2 ** Math.min(failures, 16));
}

/**
 * The failures in a row that count while a connection stands for `uptimeMs`. An exchange that takes
 * a connection, says hello and closes it has failed as one that does not answer has: neither what
 * it accepts nor what it says makes a connection, only how long it lasts.
 */
export function standingFailures(failures: number, uptimeMs: number): number {
  return uptimeMs >= reconnectWaits.steadyMs ? 0 : failures;
}
