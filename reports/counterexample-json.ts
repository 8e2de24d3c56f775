// Decides what a counterexample file says: schema `latchkey.counterexample/1`, one finding with its story.
import type { GatewayPlan } from "../properties/gateway/gateway-plan.ts";
import type {
  Counterexample,
  CounterexampleStep,
  Finding,
  WitnessPlan,
} from "../properties/results.ts";
import { tellStory } from "./story.ts";

/** What a finding does not know of itself. */
export interface CounterexampleNames {
  readonly claim: string;
  readonly policy: string;
  readonly target: string;
  /** The command that runs the file again. */
  readonly rerun: string;
  /** The module of a target of one's own, relative to the file's folder; null for built-in ones. */
  readonly targetFile: string | null;
}

/** A counterexample as it is saved; `targetFile` is left out for built-in targets. */
export type SavedCounterexample = Counterexample & { readonly targetFile?: string };

export function toCounterexample(
  finding: Finding,
  { claim, policy, target, rerun, targetFile }: CounterexampleNames,
): SavedCounterexample {
  const steps = stepsUpToViolation(finding);
  return {
    schema: "latchkey.counterexample/1",
    claim,
    invariant: finding.invariant,
    policy,
    target,
    ...(targetFile === null ? {} : { targetFile }),
    seed: finding.seed,
    path: finding.path,
    plan: finding.plan,
    steps,
    explanation: finding.violation.explanation,
    length: steps.length,
    minimal: finding.minimal,
    rerun,
  };
}

/** What comes after the last evidence (the suite's own probes, mostly) is no part of the story. */
function stepsUpToViolation(finding: Finding): readonly CounterexampleStep[] {
  const { steps } = tellStory(finding.history, finding.plan);
  const last = evidenceSteps(finding).at(-1);
  return last === undefined ? steps : steps.slice(0, last);
}

/** The steps at which the evidence of a finding lies, in order. */
export function evidenceSteps(finding: Finding): readonly number[] {
  const { stepOfEvent } = tellStory(finding.history, finding.plan);
  const steps = finding.violation.events.flatMap((event) => stepOfEvent[event] ?? []);
  return [...new Set(steps)].sort((one, other) => one - other);
}

/** The text of the file; lone surrogates are written as escapes, so that it is valid UTF-8. */
export function counterexampleJson(
  counterexample: SavedCounterexample | Counterexample<WitnessPlan> | Counterexample<GatewayPlan>,
): string {
  return `${JSON.stringify(counterexample, null, 2)}\n`;
}
