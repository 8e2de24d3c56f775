// The Durable Object on real workerd as a target: plans in batches, or one operation at a time.
import type { Policy } from "../../model/policy.ts";
import type { MutantName } from "../durable-object/mutants.ts";
import type { SessionAnswer, SessionCall, StoreChoice } from "../durable-object/protocol.ts";
import { startWorkerd } from "../durable-object/workerd.ts";
import type { Workerd } from "../durable-object/workerd.ts";
import type { Plan } from "../plan.ts";
import type { PlanRunner, PlanVerdict } from "../plan-runner.ts";
import { capabilitiesOf } from "../policy-answers.ts";
import type { ReserveAnswer, SettlementAnswer, StoreSession, StoreTarget } from "../target.ts";

export interface DurableObjectOptions {
  readonly policy: Policy;
  /** A planted defect in place of what ships. */
  readonly mutant?: MutantName;
}

/** Starts `processes` workerd processes, each with objects of its own. */
export async function startProcesses(processes: number): Promise<readonly Workerd[]> {
  const started = await Promise.allSettled(Array.from({ length: processes }, startWorkerd));
  const running = started.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const failed = started.find((start) => start.status === "rejected");
  if (failed === undefined) return running;
  await Promise.all(running.map((workerd) => workerd.close()));
  throw failed.reason;
}

/**
 * A runner whose plans run and are judged beside the objects, split over the processes. The
 * processes stay the caller's: `close` leaves them running for other policies.
 */
export function durableObjectRunner(
  processes: readonly Workerd[],
  options: DurableObjectOptions,
): PlanRunner {
  const store = storeOf(options);
  return {
    name: "durable-object",
    judgePlans: (plans) => judgeInChunks(processes, store, plans),
    runPlan: (plan) => first(processes).post("/run", { store, plan }),
    close: async () => {},
  };
}

/** The same objects behind the contract of `StoreTarget`, one HTTP request an operation. */
export function durableObjectTarget(workerd: Workerd, options: DurableObjectOptions): StoreTarget {
  const store = storeOf(options);
  return {
    name: "durable-object",
    capabilities: capabilitiesOf(options.policy),
    open: async (sessionOptions) => {
      const { session } = await workerd.post("/open", { store, options: sessionOptions });
      return sessionOver((call) => workerd.post("/session", { session, call }));
    },
  };
}

/**
 * Each process takes the next chunk when it has finished one; the order of plans is kept. Where a
 * fault of the target ended a chunk early, the verdicts end there.
 */
async function judgeInChunks(
  processes: readonly Workerd[],
  store: StoreChoice,
  plans: readonly Plan[],
): Promise<readonly PlanVerdict[]> {
  const size = Math.min(mostPlansPerRequest, Math.ceil(plans.length / processes.length));
  const chunks: { readonly plans: readonly Plan[]; verdicts: readonly PlanVerdict[] }[] = [];
  for (let start = 0; start < plans.length; start += size) {
    chunks.push({ plans: plans.slice(start, start + size), verdicts: [] });
  }
  const waiting = [...chunks];
  const work = async (workerd: Workerd): Promise<void> => {
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      chunk.verdicts = await workerd.post("/judge", { store, plans: chunk.plans });
    }
  };
  await Promise.all(processes.map(work));
  const cut = chunks.findIndex((chunk) => chunk.verdicts.length < chunk.plans.length);
  return chunks.slice(0, cut < 0 ? chunks.length : cut + 1).flatMap(({ verdicts }) => verdicts);
}

const mostPlansPerRequest = 125;

function storeOf({ policy, mutant }: DurableObjectOptions): StoreChoice {
  return { policy, mutant: mutant ?? null };
}

function first(processes: readonly Workerd[]): Workerd {
  const [workerd] = processes;
  if (workerd === undefined) throw new Error("no workerd process: start one at least");
  return workerd;
}

function sessionOver(send: (call: SessionCall) => Promise<SessionAnswer>): StoreSession {
  const ask = async (call: SessionCall): Promise<unknown> => {
    const answer = await send(call);
    if ("answered" in answer) return answer.answered;
    const { name, message } = answer.rejected;
    throw name === "RangeError" ? new RangeError(message) : new Error(message);
  };
  const tell = async (call: SessionCall): Promise<void> => void (await ask(call));
  let isOpen = true;
  return {
    reserve: async (key, attempt) =>
      (await ask({ call: "reserve", key, ...attempt })) as ReserveAnswer,
    commit: async (key, attempt) =>
      (await ask({ call: "commit", key, ...attempt })) as SettlementAnswer,
    release: async (key, attempt) =>
      (await ask({ call: "release", key, ...attempt })) as SettlementAnswer,
    advance: (ms) => tell({ call: "advance", ms }),
    crash: () => tell({ call: "crash" }),
    size: async () => (await ask({ call: "size" })) as number,
    close: async () => {
      if (isOpen) await tell({ call: "close" });
      isOpen = false;
    },
  };
}
