// Decides how a witness of the exhaustive search is saved and reads: a shortest path, step by step.
import type { Counterexample, CounterexampleStep, WitnessPlan } from "../properties/results.ts";
import { type BrokenSentences, fenced, quoted, stepTable } from "./counterexample-markdown.ts";
import { proseMarkdown } from "./show-text.ts";

/** What a witness does not know of itself. */
export interface WitnessNames {
  readonly claim: string;
  readonly invariant: string;
  /** The sentence of the invariant. */
  readonly statement: string;
  readonly policy: string;
  readonly seed: number;
  readonly rerun: string;
}

export interface FoundWitness {
  readonly scenario: string;
  readonly steps: readonly CounterexampleStep[];
  readonly actions: readonly number[];
}

export function toWitnessCounterexample(
  { claim, invariant, statement, policy, seed, rerun }: WitnessNames,
  { scenario, steps, actions }: FoundWitness,
): Counterexample<WitnessPlan> {
  return {
    schema: "latchkey.counterexample/1",
    claim,
    invariant,
    policy,
    target: "model",
    seed,
    path: scenario,
    plan: { kind: "exhaustive", scenario, actions },
    steps,
    explanation: `After step ${steps.length} this no longer holds: ${statement}`,
    length: steps.length,
    minimal: true,
    rerun,
  };
}

export function witnessMarkdown(
  counterexample: Counterexample<WitnessPlan>,
  sentences: BrokenSentences,
): string {
  const { claim, invariant, policy, plan, steps, rerun } = counterexample;
  return [
    `# ${proseMarkdown(claim)} is refuted`,
    `Policy **${proseMarkdown(policy)}**, on the model, searched exhaustively (scenario **${proseMarkdown(plan.scenario)}**): ${steps.length} steps, and no shorter path breaks it.`,
    ...quoted("Claim", claim, sentences.statement, sentences.source),
    ...quoted("Invariant", invariant, sentences.invariant, ""),
    `**What broke.** The last step, ${steps.length}, breaks the invariant.`,
    "## The story",
    steps.map(storyLine).join("\n"),
    "## Step by step",
    stepTable(steps, [steps.length]),
    "Times are ticks of real time. *The store holds* is the model's own record of the key.",
    "## Run it again",
    `\`\`\`sh\n${fenced(rerun)}\n\`\`\``,
    "The exit status is 0 if the same steps still break the invariant, 1 if they no longer do.",
    "",
  ].join("\n\n");
}

function storyLine({ step, at, actor, action, detail }: CounterexampleStep): string {
  const got = detail === "" ? "" : ` → ${proseMarkdown(detail)}`;
  return `${step}. At tick ${at} **${proseMarkdown(actor)}** ${proseMarkdown(action)}${got}.`;
}
