// Against which specification a history is judged: a policy's own machine, or the contract.
import type { Policy } from "../model/policy.ts";
import type { History } from "./history.ts";
import { judge, type Judgement } from "./judge.ts";
import { machineSpec } from "./machine-spec.ts";

/**
 * Judges a history of a store under a policy: its answers have to be exactly those of the key
 * lifecycle machine under that policy. A store of somebody else's (null) answers to the contract.
 */
export function judgeUnder(policy: Policy | null, history: History): Judgement {
  return judge(history, policy === null ? {} : { spec: machineSpec(policy, history) });
}
