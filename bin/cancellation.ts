// Decides what Ctrl-C does: the first signal cancels and leaves a truthful result, the second ends.

export interface Cancellation {
  readonly signal: AbortSignal;
  /** 130 after SIGINT, 143 after SIGTERM, null while nothing cancelled. */
  exitStatus(): number | null;
  /** Takes the handlers away. */
  release(): void;
}

const statuses = { SIGINT: 130, SIGTERM: 143 } as const;

export function cancelOnSignals(tell: (line: string) => void): Cancellation {
  const controller = new AbortController();
  let status: number | null = null;
  const handle = (name: keyof typeof statuses) => () => {
    if (status !== null) {
      release();
      process.kill(process.pid, name);
      return;
    }
    status = statuses[name];
    tell(
      `cancelled by signal=${name}; what was judged so far follows, a second signal ends at once`,
    );
    controller.abort(new Error(`cancelled by ${name}`));
  };
  const onInterrupt = handle("SIGINT");
  const onTerminate = handle("SIGTERM");
  const release = () => {
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onTerminate);
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  return { signal: controller.signal, exitStatus: () => status, release };
}
