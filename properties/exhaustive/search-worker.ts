// Decides what the second of two searching threads does: it makes the model, waits for its share, and searches.
import { parentPort, workerData } from "node:worker_threads";
import { awaitHandover, becomeReady, stop } from "./exchange.ts";
import type { ModelModule, ModelReference } from "./model.ts";
import { Searcher, type SearcherReport, type SearcherTask } from "./searcher.ts";

export interface WorkerTask extends SearcherTask {
  readonly reference: ModelReference;
}

/** Null: the first thread finished alone. */
export type WorkerAnswer =
  SearcherReport | { readonly kind: "idle" } | { readonly kind: "fault"; readonly message: string };

async function main(task: WorkerTask): Promise<WorkerAnswer> {
  const { control } = task.memory;
  try {
    const module = (await import(task.reference.module)) as ModelModule;
    const searcher = new Searcher(task, module.createModel(task.reference.options));
    becomeReady(control);
    const handover = awaitHandover(control);
    return handover === null ? { kind: "idle" } : await searcher.takeOver(handover, () => null);
  } catch (error) {
    stop(control, "fault");
    return { kind: "fault", message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(await main(workerData as WorkerTask));
