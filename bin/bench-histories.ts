// Measures how many recorded ten-step histories a second the real runtime gives, beside its raw rate.
import { availableParallelism } from "node:os";
import fc from "fast-check";
import { hardened } from "../model/policy.ts";
import type { RateCall } from "../properties/durable-object/protocol.ts";
import type { Workerd } from "../properties/durable-object/workerd.ts";
import type { Plan } from "../properties/plan.ts";
import { planArbitrary } from "../properties/plan-arbitrary.ts";
import {
  durableObjectRunner,
  startProcesses,
} from "../properties/targets/durable-object-target.ts";

/** Rates of one run, each the median of the rounds, per second. */
export interface HistoryRates {
  readonly noOpCalls: number;
  readonly reserveCalls: number;
  /** One plan a request, judged one after another: what the batches are compared with. */
  readonly naive: number;
  readonly oneProcess: number;
  readonly twoProcesses: number;
  /** As `verify` runs them: half a crash a history. */
  readonly twoProcessesWithCrashes: number;
  /** Calls of the store in one history, on the average: those of its steps and the closing probes. */
  readonly callsPerHistory: number;
}

/** Measures and prints; takes about a minute on two cores. */
export async function benchHistories(
  print: (line: string) => void = console.log,
): Promise<HistoryRates> {
  const processes = await startProcesses(2);
  try {
    const rates = await measure(processes);
    for (const line of linesOf(rates)) print(line);
    return rates;
  } finally {
    await Promise.all(processes.map((workerd) => workerd.close()));
  }
}

const seed = 1;
const rounds = 5;
const steps = 10;

async function measure(processes: readonly Workerd[]): Promise<HistoryRates> {
  const one = processes.slice(0, 1);
  const calm = tenStepPlans(2_000, false);
  const crashing = tenStepPlans(2_000, true);
  const first = durableObjectRunner(one, { policy: hardened });
  const both = durableObjectRunner(processes, { policy: hardened });
  // Not measured: the compiler of a new process is busy for its first thousands of histories.
  for (let round = 0; round < 2; round++) await both.judgePlans(calm);
  // Rounds go over all measurements in turn, so that a noisy minute hits none of them alone.
  const measured: Omit<HistoryRates, "callsPerHistory">[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push({
      noOpCalls: await rawRate(one, "no-op"),
      reserveCalls: await rawRate(one, "reserve"),
      naive: await rateOf(calm.slice(0, 200), async (plans) => {
        for (const plan of plans) await first.runPlan(plan);
      }),
      oneProcess: await rateOf(calm, (plans) => first.judgePlans(plans)),
      twoProcesses: await rateOf(calm, (plans) => both.judgePlans(plans)),
      twoProcessesWithCrashes: await rateOf(crashing, (plans) => both.judgePlans(plans)),
    });
  }
  const medianOf = (name: keyof (typeof measured)[number]): number =>
    median(measured.map((all) => all[name]));
  const verdicts = await first.judgePlans(calm);
  const calls = verdicts.reduce((sum, { operations }) => sum + operations, 0);
  return {
    noOpCalls: medianOf("noOpCalls"),
    reserveCalls: medianOf("reserveCalls"),
    naive: medianOf("naive"),
    oneProcess: medianOf("oneProcess"),
    twoProcesses: medianOf("twoProcesses"),
    twoProcessesWithCrashes: medianOf("twoProcessesWithCrashes"),
    callsPerHistory: calls / verdicts.length,
  };
}

function linesOf(rates: HistoryRates): string[] {
  const row = (label: string, rate: number, beside = ""): string =>
    `  ${label.padEnd(44)}${Math.round(rate).toLocaleString("en").padStart(8)} /s  ${beside}`.trimEnd();
  const times = (rate: number, base: number): string => `${(rate / base).toFixed(1)} times`;
  return [
    `histories on workerd (${availableParallelism()} cores, median of ${rounds} rounds)`,
    row("raw calls, no-op, one process", rates.noOpCalls),
    row("raw calls, reserve, one process", rates.reserveCalls),
    row(`${steps}-step histories, one plan a request`, rates.naive),
    row(
      `${steps}-step histories, batches, one process`,
      rates.oneProcess,
      `${times(rates.oneProcess, rates.naive)} one plan a request`,
    ),
    row(
      `${steps}-step histories, batches, two processes`,
      rates.twoProcesses,
      `${times(rates.twoProcesses, rates.oneProcess)} one process`,
    ),
    row(
      `the same with crashes`,
      rates.twoProcessesWithCrashes,
      `${times(rates.twoProcessesWithCrashes, rates.twoProcesses)} without`,
    ),
    `  A history, recorded and judged: the object emptied, ${rates.callsPerHistory.toFixed(1)} calls of the store (a probe of each ` +
      "key among them), the steps of time, a last sweep of the alarms, two counts.",
  ];
}

/** Plans as the campaigns draw them, cut to ten steps. */
function tenStepPlans(count: number, crash: boolean): Plan[] {
  const plans = planArbitrary({ crash, exactClock: true })
    .filter((plan) => plan.steps.length >= steps)
    .map((plan) => ({ ...plan, steps: plan.steps.slice(0, steps) }));
  return fc.sample(plans, { seed, numRuns: count });
}

async function rawRate(processes: readonly Workerd[], call: RateCall): Promise<number> {
  const store = { policy: hardened, mutant: null };
  const rates = processes.map((workerd) => workerd.post("/rate", { store, call, calls: 3_000 }));
  return (await Promise.all(rates)).reduce((sum, { callsPerSecond }) => sum + callsPerSecond, 0);
}

async function rateOf(
  plans: readonly Plan[],
  run: (plans: readonly Plan[]) => Promise<unknown>,
): Promise<number> {
  const startMs = performance.now();
  await run(plans);
  return plans.length / ((performance.now() - startMs) / 1_000);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
