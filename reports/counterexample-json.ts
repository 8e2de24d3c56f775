// Decides what a counterexample file says: schema `latchkey.counterexample/1`, one finding with its story.
import type { Counterexample, Finding, Violation } from "../properties/results.ts";
import { type Story, tellStory } from "./story.ts";

/** What a finding does not know of itself. */
export interface FindingNames {
  readonly claim: string;
  readonly policy: string;
  readonly target: string;
  /** The command that runs the file again. */
  readonly rerun: string;
}

export interface CounterexampleNames extends FindingNames {
  /** The module of a target of one's own, relative to the file's folder; null for built-in ones. */
  readonly targetFile: string | null;
}

/** A counterexample as it is saved; `targetFile` is left out for built-in targets. */
export type SavedCounterexample = Counterexample & { readonly targetFile?: string };

export function toCounterexample(
  finding: Finding,
  { targetFile, ...names }: CounterexampleNames,
): SavedCounterexample {
  const story = tellStory(finding.history, finding.plan);
  const { schema, claim, invariant, policy, target, ...rest } = counterexampleOf(
    finding,
    names,
    finding.plan,
    story,
  );
  const ofItsOwn = targetFile === null ? {} : { targetFile };
  return { schema, claim, invariant, policy, target, ...ofItsOwn, ...rest };
}

/** A finding on any kind of plan; `plan` is how its plan is saved, and `story` tells its history. */
export function counterexampleOf<SavedPlan>(
  { invariant, seed, path, violation, minimal }: Omit<Finding<unknown, unknown>, "plan">,
  { claim, policy, target, rerun }: FindingNames,
  plan: SavedPlan,
  story: Story,
): Counterexample<SavedPlan> {
  // What comes after the last evidence (the suite's own probes, mostly) is no part of the story.
  const steps = story.steps.slice(0, stepsOfEvidence(violation, story).at(-1));
  return {
    schema: "latchkey.counterexample/1",
    claim,
    invariant,
    policy,
    target,
    seed,
    path,
    plan,
    steps,
    explanation: violation.explanation,
    ...(violation.way === undefined ? {} : { witness: violation.way }),
    length: steps.length,
    minimal,
    rerun,
  };
}

/** The steps at which the evidence of a violation lies, in order. */
export function stepsOfEvidence(
  { events }: Pick<Violation, "events">,
  { stepOfEvent }: Pick<Story, "stepOfEvent">,
): readonly number[] {
  const steps = events.flatMap((event) => stepOfEvent[event] ?? []);
  return [...new Set(steps)].toSorted((one, other) => one - other);
}

/** The same of a finding on a store. */
export function evidenceSteps({ history, plan, violation }: Finding): readonly number[] {
  return stepsOfEvidence(violation, tellStory(history, plan));
}

/** The text of the file; lone surrogates are written as escapes, so that it is valid UTF-8. */
export function counterexampleJson(counterexample: Counterexample<unknown>): string {
  return `${JSON.stringify(counterexample, null, 2)}\n`;
}
