// Each planted defect of the gateway or its consumer is refuted within 200 plans, by the judges of what it breaks.
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { GatewayInvariant } from "../../model/gateway-invariants.ts";
import { hardened } from "../../model/policy.ts";
import { type GatewayMutantName, gatewayMutants } from "./gateway-mutants.ts";
import { gatewayPlanArbitrary } from "./gateway-plan-arbitrary.ts";
import { gatewayRunner, startGatewayProcesses } from "./gateway-runner.ts";
import type { GatewayWorkerd } from "./plan-workerd.ts";

const refutedBy: Readonly<Record<GatewayMutantName, readonly GatewayInvariant[]>> = {
  "attempt commits before it dispatches": ["nothing-lost"],
  "consumer commits before it executes": ["nothing-lost"],
  "consumer never commits": ["nothing-lost"],
  "consumer never releases": ["soft-fail-releases"],
  "attempt never commits": ["nothing-lost"],
  "attempt never releases": ["soft-fail-releases"],
  "mismatch is told as unavailable": ["fail-closed", "mismatch"],
  "mismatch is told as a replay": ["nothing-lost", "mismatch", "replay"],
  "in flight is told as a duplicate": ["truthful-refusal"],
  "each token has a client order id": ["execution", "fail-closed"],
  "all keys have one client order id": ["execution", "fail-closed"],
};

const plans = fc.sample(gatewayPlanArbitrary(), { seed: 1, numRuns: 200 });
/** Which no policy keeps: a release can be lost. */
const brokenByAll: GatewayInvariant = "failed-may-retry";

let processes: readonly GatewayWorkerd[] = [];

beforeAll(async () => {
  processes = await startGatewayProcesses(1);
});

afterAll(() => Promise.all(processes.map((workerd) => workerd.close())));

async function brokenBy(mutant: GatewayMutantName | null): Promise<readonly string[]> {
  const verdicts = await gatewayRunner(processes, { policy: hardened, mutant }).judgePlans(plans);
  const broken = new Set(
    verdicts.flatMap(({ violations }) => violations.map(({ invariant }) => invariant)),
  );
  broken.delete(brokenByAll);
  return [...broken];
}

it("refutes nothing where no defect is planted", async () => {
  expect(await brokenBy(null)).toEqual([]);
}, 60_000);

it.each(Object.keys(gatewayMutants) as GatewayMutantName[])(
  "refutes: %s",
  async (mutant) => {
    expect(await brokenBy(mutant)).toEqual(expect.arrayContaining([...refutedBy[mutant]]));
  },
  60_000,
);
