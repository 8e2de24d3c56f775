// Wires the exhaustive search into a thread of its own, so that it runs beside the campaigns.
import { Worker } from "node:worker_threads";
import type {
  ExhaustiveVerdict,
  ScenarioProgress,
} from "../properties/exhaustive/judge-exhaustively.ts";
import type { ExhaustiveJob, JobMessage } from "./exhaustive-job.ts";

/** Judges one policy in a thread; a cancelled search comes back with what it has. */
export function judgeInThread(
  job: ExhaustiveJob,
  signal: AbortSignal,
  onProgress: (progress: ScenarioProgress) => void,
): Promise<readonly ExhaustiveVerdict[]> {
  const worker = new Worker(new URL("./exhaustive-worker.mjs", import.meta.url), {
    workerData: job,
  });
  const cancel = () => worker.postMessage("cancel");
  return new Promise<readonly ExhaustiveVerdict[]>((resolve, reject) => {
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    worker.on("message", (message: JobMessage) => {
      switch (message.kind) {
        case "progress":
          return onProgress(message.progress);
        case "judged":
          return resolve(message.verdicts);
        case "failed":
          return reject(new Error(message.error));
      }
    });
    worker.on("error", reject);
    worker.on("exit", (code) => {
      reject(new Error(`the thread of the exhaustive search ended: code=${code}`));
    });
  }).finally(() => {
    signal.removeEventListener("abort", cancel);
    void worker.terminate();
  });
}
