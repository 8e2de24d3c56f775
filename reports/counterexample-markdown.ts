// Decides how a counterexample reads as a page: what broke, a numbered story, the names, how to rerun.
import type { Counterexample, CounterexampleStep } from "../properties/results.ts";
import type { Plan, PlannedAttempt } from "../properties/plan.ts";
import type { SavedCounterexample } from "./counterexample-json.ts";
import { codeSpan, proseMarkdown } from "./show-text.ts";
import { attemptName } from "./story.ts";

/** The sentences that the counterexample breaks; empty ones are left out. */
export interface BrokenSentences {
  /** What the claim says, and where it is said. */
  readonly statement: string;
  readonly source: string;
  /** What the invariant demands of every history. */
  readonly invariant: string;
}

/** What a page says besides what every counterexample has. */
export interface PageParts {
  /** Where it was found, in a few words of Markdown, the target first. */
  readonly place: string;
  readonly sentences: BrokenSentences;
  /** The steps that are marked. */
  readonly evidence: readonly number[];
  /** What the mark means. */
  readonly mark: string;
  /** A paragraph about how it is known, or none. */
  readonly known?: string;
  /** What the times and the last column of the table are. */
  readonly legend: string;
  /** Tables of who takes part; none where the steps tell it. */
  readonly cast: readonly string[];
}

/** A page of a counterexample on any kind of plan. */
export function counterexamplePage(
  counterexample: Counterexample<unknown>,
  { place, sentences, evidence, mark, known, legend, cast }: PageParts,
): string {
  const { claim, invariant, policy, steps, explanation, minimal } = counterexample;
  return [
    `# ${proseMarkdown(claim)} is refuted`,
    `${judgedBy(policy)}, ${place}, ${steps.length} steps, ${minimality(minimal)}.`,
    ...quoted("Claim", claim, sentences.statement, sentences.source),
    ...quoted("Invariant", invariant, sentences.invariant, ""),
    `**What broke.** ${proseMarkdown(explanation)}`,
    ...(known === undefined ? [] : [known]),
    "## The story",
    steps.map((step) => storyLine(step, evidence.includes(step.step))).join("\n"),
    ...(evidence.length === 0 ? [] : [mark]),
    "## Step by step",
    stepTable(steps, evidence),
    legend,
    ...(cast.length === 0 ? [] : ["## Who is who", ...cast]),
    "## Run it again",
    `\`\`\`sh\n${fenced(counterexample.rerun)}\n\`\`\``,
    `Found with \`--seed ${counterexample.seed}\`, path ${codeSpan(counterexample.path)}. The exit status is 0 if it still reproduces, 1 if it no longer does.`,
    "",
  ].join("\n\n");
}

export function counterexampleMarkdown(
  counterexample: SavedCounterexample,
  sentences: BrokenSentences,
  evidence: readonly number[],
): string {
  const { claim, invariant, target, steps, plan } = counterexample;
  const used = usedAttempts(plan, steps);
  return counterexamplePage(counterexample, {
    place: `target **${proseMarkdown(target)}**`,
    sentences: invariant === claim ? { ...sentences, statement: "" } : sentences,
    evidence,
    mark: "⚡ marks the steps that contradict each other.",
    legend: `Times are milliseconds on the store's clock. *The store holds* is what its answers told: an unsettled reservation blocks for ${plan.pendingMs} ms, a committed record for ${plan.retentionMs} ms from its commit.`,
    cast: [attemptTable(plan, used), keyTable(plan, used)],
  });
}

function judgedBy(policy: string): string {
  return policy === "contract" ? "Contract of StoreTarget" : `Policy **${proseMarkdown(policy)}**`;
}

function minimality(minimal: boolean | null): string {
  if (minimal === true) return "minimal: no single element of its plan can go";
  return minimal === false ? "not surely minimal: the search was cut short" : "not shrunk";
}

export function quoted(
  kind: string,
  id: string,
  sentence: string,
  source: string,
): readonly string[] {
  if (sentence === "") return [];
  const origin = source === "" ? "" : ` (${proseMarkdown(source)})`;
  return [`> **${kind} ${proseMarkdown(id)}:** ${proseMarkdown(sentence)}${origin}`];
}

function storyLine({ step, at, actor, action, detail }: CounterexampleStep, marked: boolean) {
  const got = detail === "" ? "" : ` → ${proseMarkdown(detail)}`;
  return `${step}. At ${at} ms ${marked ? "⚡ " : ""}**${proseMarkdown(actorText(actor))}** ${proseMarkdown(action)}${got}.`;
}

function actorText(actor: string): string {
  return ["clock", "store", "probe", "queue"].includes(actor) ? `the ${actor}` : actor;
}

/** The steps as a table, with the evidence marked. */
export function stepTable(
  steps: readonly CounterexampleStep[],
  evidence: readonly number[],
): string {
  const rows = steps.map(({ step, at, actor, action, detail, state }) => [
    evidence.includes(step) ? `⚡ ${step}` : String(step),
    String(at),
    ...[actor, action, detail, state].map(proseMarkdown),
  ]);
  return table(["step", "at", "who", "does", "gets", "the store holds then"], rows);
}

function attemptTable(plan: Plan, used: readonly number[]): string {
  const rows = used.flatMap((index) => {
    const attempt = plan.attempts[index];
    return attempt === undefined ? [] : [attemptRow(index, attempt)];
  });
  return table(["attempt", "key", "token", "payload", "its effect", "response"], rows);
}

function attemptRow(index: number, attempt: PlannedAttempt): readonly string[] {
  const { key, token, fingerprint, effect, response } = attempt;
  const effectText = effect.replaceAll("-", " ");
  return [
    attemptName(index),
    `key ${key + 1}`,
    codeSpan(token),
    codeSpan(fingerprint),
    effectText,
    codeSpan(response),
  ];
}

function keyTable(plan: Plan, used: readonly number[]): string {
  const keys = [...new Set(used.flatMap((index) => plan.attempts[index]?.key ?? []))].sort(
    (one, other) => one - other,
  );
  return table(
    ["key", "text"],
    keys.map((key) => [`key ${key + 1}`, codeSpan(plan.keys[key] ?? "")]),
  );
}

/** The attempts that the steps tell of; all of the plan where no step names one. */
function usedAttempts(plan: Plan, steps: readonly CounterexampleStep[]): readonly number[] {
  const all = plan.attempts.map((_, index) => index);
  const told = new Set(steps.map(({ actor }) => actor));
  const used = all.filter((index) => told.has(`attempt ${attemptName(index)}`));
  return used.length === 0 ? all : used;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A command inside a fence: one line, without a fence of its own. */
export function fenced(command: string): string {
  return command.replaceAll(/\s+/gu, " ").replaceAll("```", "'''");
}
