// What the thread of the exhaustive search does: it judges one policy and tells how far it is.
import type { MessagePort } from "node:worker_threads";
import {
  judgeExhaustively,
  type ExhaustiveOptions,
  type ExhaustiveVerdict,
  type ScenarioProgress,
} from "../properties/exhaustive/judge-exhaustively.ts";
import { describeError } from "./refusal.ts";

/** What can be sent to a thread of the options. */
export type ExhaustiveJob = Omit<ExhaustiveOptions, "signal" | "onProgress">;

export type JobMessage =
  | { readonly kind: "progress"; readonly progress: ScenarioProgress }
  | { readonly kind: "judged"; readonly verdicts: readonly ExhaustiveVerdict[] }
  | { readonly kind: "failed"; readonly error: string };

/** Any message from the other side cancels. */
export async function runJob(job: ExhaustiveJob, port: MessagePort): Promise<void> {
  const controller = new AbortController();
  port.once("message", () => controller.abort());
  port.unref();
  const tell = (message: JobMessage) => port.postMessage(message);
  try {
    const verdicts = await judgeExhaustively({
      ...job,
      signal: controller.signal,
      onProgress: (progress) => tell({ kind: "progress", progress }),
    });
    tell({ kind: "judged", verdicts });
  } catch (error) {
    tell({ kind: "failed", error: describeError(error) });
  }
}
