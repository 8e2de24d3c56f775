// Wires the exhaustive search into a process of its own, so that it runs beside the campaigns and in large pages.
import { fork } from "node:child_process";
import type {
  ExhaustiveVerdict,
  ScenarioProgress,
} from "../properties/exhaustive/judge-exhaustively.ts";
import type { ExhaustiveJob, JobMessage } from "./exhaustive-job.ts";
import { withLargePages } from "./large-pages.ts";

/** Judges one policy in a process; a cancelled search comes back with what it has. */
export function judgeInProcess(
  job: ExhaustiveJob,
  signal: AbortSignal,
  onProgress: (progress: ScenarioProgress) => void,
): Promise<readonly ExhaustiveVerdict[]> {
  const child = fork(new URL("./exhaustive-worker.mjs", import.meta.url), {
    env: withLargePages(process.env),
    execArgv: [],
    serialization: "advanced",
  });
  const cancel = () => child.connected && child.send("cancel");
  return new Promise<readonly ExhaustiveVerdict[]>((resolve, reject) => {
    child.on("message", (message: JobMessage) => {
      switch (message.kind) {
        case "progress":
          return onProgress(message.progress);
        case "judged":
          return resolve(message.verdicts);
        case "failed":
          return reject(new Error(message.error));
      }
    });
    child.on("error", reject);
    child.on("exit", (code, by) => {
      reject(
        new Error(
          `the process of the exhaustive search ended: code=${code} signal=${by}; give it less memory by --max-memory`,
        ),
      );
    });
    child.send(job);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
  }).finally(() => {
    signal.removeEventListener("abort", cancel);
    if (child.connected) child.disconnect();
  });
}
