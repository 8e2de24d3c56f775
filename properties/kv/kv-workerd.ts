// Starts a workerd process with the harness Worker over Workers KV in it.
import { type HarnessProcess, startHarness } from "../harness-process.ts";
import type { KvHarnessCalls } from "./kv-protocol.ts";

export type KvWorkerd = HarnessProcess<KvHarnessCalls>;

/** A fresh process with a KV namespace of its own. */
export function startKvWorkerd(): Promise<KvWorkerd> {
  const entry = new URL("harness-worker.ts", import.meta.url);
  return startHarness(entry, { kvNamespaces: ["RECORDS"] });
}
