// What the process of the exhaustive search does: it judges one policy and tells how far it is.
import {
  judgeExhaustively,
  type ExhaustiveOptions,
  type ExhaustiveVerdict,
  type ScenarioProgress,
} from "../properties/exhaustive/judge-exhaustively.ts";
import { describeError } from "./refusal.ts";

/** What can be sent to a process of the options. */
export type ExhaustiveJob = Omit<ExhaustiveOptions, "signal" | "onProgress">;

export type JobMessage =
  | { readonly kind: "progress"; readonly progress: ScenarioProgress }
  | { readonly kind: "judged"; readonly verdicts: readonly ExhaustiveVerdict[] }
  | { readonly kind: "failed"; readonly error: string };

/** The first message is the job, any other cancels; the end of the parent ends it too. */
export async function runJobOf(parent: NodeJS.Process): Promise<void> {
  // A terminal interrupts both processes, and it is for the parent to cancel: what was found is reported.
  for (const signal of ["SIGINT", "SIGTERM"] as const) parent.on(signal, () => {});
  parent.once("disconnect", () => parent.exit());
  const job = await new Promise<ExhaustiveJob>((resolve) => parent.once("message", resolve));
  const controller = new AbortController();
  parent.once("message", () => controller.abort());
  const tell = (message: JobMessage) => parent.send?.(message);
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
