// Starts a workerd process with the store's harness Worker in it.
import { type HarnessProcess, startHarness } from "../harness-process.ts";
import type { HarnessCalls } from "./protocol.ts";

export type Workerd = HarnessProcess<HarnessCalls>;

/** A fresh process with objects of its own. */
export function startWorkerd(): Promise<Workerd> {
  const STORE = { className: "HarnessStore", useSQLite: true, unsafePreventEviction: true };
  return startHarness(new URL("harness-worker.ts", import.meta.url), { durableObjects: { STORE } });
}
