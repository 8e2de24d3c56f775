// Starts a workerd process with the gateway's harness Worker in it.
import { type HarnessProcess, startHarness } from "../harness-process.ts";
import type { GatewayHarnessCalls } from "./plan-protocol.ts";

export type GatewayWorkerd = HarnessProcess<GatewayHarnessCalls>;

/** A fresh process with objects of its own. */
export function startGatewayWorkerd(): Promise<GatewayWorkerd> {
  const STORE = { className: "HarnessStore", useSQLite: true, unsafePreventEviction: true };
  return startHarness(new URL("plan-driver.ts", import.meta.url), { durableObjects: { STORE } });
}
