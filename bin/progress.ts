// Decides how progress is shown: a bar on a terminal, a line now and then elsewhere; always on stderr.
import { SingleBar, Presets } from "cli-progress";

export interface Progress {
  /** `label` says what is being judged, for example `published · durable-object`. */
  update(done: number, total: number, label: string): void;
  stop(): void;
}

/** The part of a stream that progress needs. */
export type ProgressStream = NodeJS.WriteStream;

const sparseMs = 10_000;
const barWidth = 30;

export function createProgress(
  stream: ProgressStream,
  env: Readonly<Record<string, string | undefined>>,
  nowMs: () => number = Date.now,
): Progress {
  const showsBar = stream.isTTY && env["TERM"] !== "dumb" && env["CI"] === undefined;
  return showsBar ? createBar(stream) : createLines(stream, nowMs);
}

function createBar(stream: ProgressStream): Progress {
  const bar = new SingleBar(
    {
      stream,
      format: "{bar} {percentage}% · {value}/{total} histories · {label}",
      barsize: barWidth,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
      stopOnComplete: false,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update(done, total, label) {
      if (!started) bar.start(total, done, { label });
      started = true;
      bar.setTotal(total);
      bar.update(done, { label });
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

function createLines(stream: ProgressStream, nowMs: () => number): Progress {
  let toldAtMs = nowMs();
  return {
    update(done, total, label) {
      if (nowMs() - toldAtMs < sparseMs) return;
      toldAtMs = nowMs();
      const percentage = total > 0 ? Math.floor((100 * done) / total) : 0;
      stream.write(`${percentage}% · ${done}/${total} histories · ${label}\n`);
    },
    stop() {},
  };
}
