// Starts a workerd process with the rate limiter's harness Worker in it, and the isolates that ask beside it.
import { harnessName, type HarnessProcess, startHarness } from "../harness-process.ts";
import type { LimiterHarnessCalls } from "./limiter-protocol.ts";
import { isolateCount } from "./rate-limit-plan.ts";

export type LimiterWorkerd = HarnessProcess<LimiterHarnessCalls>;

/** A fresh process with objects of its own; each isolate is a Worker that shares no memory. */
export function startLimiterWorkerd(): Promise<LimiterWorkerd> {
  const object = { className: "HarnessLimiter", useSQLite: true, unsafePreventEviction: true };
  const isolates = Array.from({ length: isolateCount }, (_, index) => ({
    name: `isolate-${index}`,
    entry: new URL("isolate-worker.ts", import.meta.url),
    bindings: { durableObjects: { LIMITER: { ...object, scriptName: harnessName } } },
  }));
  const serviceBindings = Object.fromEntries(
    isolates.map(({ name }, index) => [`ISOLATE_${index}`, name]),
  );
  return startHarness(
    new URL("harness-worker.ts", import.meta.url),
    { durableObjects: { LIMITER: object }, serviceBindings },
    isolates,
  );
}
