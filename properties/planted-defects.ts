// How tests plant a defect in the correct store, and hunt for it.
import { hardened } from "../model/policy.ts";
import { boundSession } from "./bound-session.ts";
import { runCampaign } from "./campaign.ts";
import { endingRunner } from "./ending-runner.ts";
import { inProcessRunner } from "./in-process-runner.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import type { CampaignResult } from "./results.ts";
import type { StoreSession, StoreTarget } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";

/** A defect, the invariant that it breaks, and the store that has it. */
export type PlantedDefect = readonly [defect: string, invariant: string, target: StoreTarget];

export type Change = (
  session: StoreSession,
  options: { pendingMs: number },
) => Partial<StoreSession>;

/** Within 300 histories unless told; of one invariant, where it is named, until it is broken. */
export async function campaign(
  target: StoreTarget,
  seed: number,
  invariant?: string,
  runs = 300,
): Promise<CampaignResult> {
  const runner = inProcessRunner(target);
  const options = { seed, runs, plans: planArbitrary(target.capabilities) };
  if (invariant === undefined) return runCampaign(runner, options);
  const invariants = new Set([invariant]);
  return runCampaign(endingRunner(runner, invariant), { ...options, invariants });
}

/** The correct store with something in front of it. */
export function mutant(change: Change): StoreTarget {
  const target = memoryTarget(hardened);
  return {
    ...target,
    open: async (options) => {
      const plain = boundSession(await target.open(options));
      return { ...plain, ...change(plain, options) };
    },
  };
}
