// Makes a failing gateway plan minimal: no single step or request of it can go without the failure going too.
import type { GatewayPlan } from "./gateway-plan.ts";
import { simpler, withoutChunks, withoutOne } from "./gateway-plan-shapes.ts";

export interface MinimisedGatewayPlan {
  readonly plan: GatewayPlan;
  /** True: every plan with one element less was tried and does not fail. */
  readonly minimal: boolean;
  /** How many plans were run for it. */
  readonly tried: number;
}

/** Runs plans and tells the index of the first that still fails in the same way, or −1. */
export type FirstFailing = (plans: readonly GatewayPlan[]) => Promise<number>;

/**
 * The rounds of `minimise`, over gateway plans: halves of the steps first, then one element less,
 * then simpler values, until nothing fails any more. It stops before more than `mostTried` plans
 * have run; then `minimal` is false.
 */
export async function minimiseGatewayPlan(
  failing: GatewayPlan,
  firstFailing: FirstFailing,
  mostTried = 5_000,
): Promise<MinimisedGatewayPlan> {
  let plan = failing;
  let tried = 0;
  let minimal = true;
  const improves = async (candidates: readonly GatewayPlan[]): Promise<boolean> => {
    if (candidates.length === 0) return false;
    if (tried + candidates.length > mostTried) {
      minimal = false;
      return false;
    }
    tried += candidates.length;
    const better = candidates[await firstFailing(candidates)];
    if (better === undefined) return false;
    plan = better;
    return true;
  };
  while (
    minimal &&
    ((await improves(withoutChunks(plan))) ||
      (await improves(withoutOne(plan))) ||
      (await improves(simpler(plan))))
  );
  return { plan, minimal, tried };
}
