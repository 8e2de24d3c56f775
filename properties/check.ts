// Judges a store of the user's own against the StoreTarget contract.
import { storeInvariants, type StoreInvariant } from "../model/invariants.ts";
import { runCampaign } from "./campaign.ts";
import { crashNeedingRunner } from "./crash-needing-runner.ts";
import { inProcessRunner } from "./in-process-runner.ts";
import { weight } from "./minimise.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import type { CampaignResult, ClaimResult, Finding, Results, Verdict } from "./results.ts";
import type { StoreTarget } from "./target.ts";

export interface CheckOptions {
  /** Null: every invariant of the contract. `target-fault` is judged whatever it says. */
  readonly invariants: readonly string[] | null;
  readonly runs: number;
  readonly seed: number;
  readonly budgetMs: number | null;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number, label: string) => void;
}

export interface CheckOutcome {
  /** Without the paths of counterexample files: these are the caller's to write. */
  readonly results: Results;
  /** Shortest counterexample first. */
  readonly findings: readonly Finding[];
  readonly campaign: CampaignResult;
}

export const defaultCheckRuns = 5000;

/** How long an operation may take while a hanging target's counterexample is shrunk. */
const shrinkAnswerBoundMs = 300;

export async function checkTarget(
  target: StoreTarget,
  options: CheckOptions,
): Promise<CheckOutcome> {
  const startedAtMs = performance.now();
  const judged = contractInvariants.filter((name) => isAsked(name, options.invariants));
  const runner = crashNeedingRunner(inProcessRunner(target), symptoms);
  const shrinkRunner = inProcessRunner(target, { answerBoundMs: shrinkAnswerBoundMs });
  const campaign = await runCampaign(runner, {
    seed: options.seed,
    runs: options.runs,
    plans: planArbitrary(target.capabilities),
    signal: options.signal,
    invariants: new Set(judged),
    shrinkRunner: crashNeedingRunner(shrinkRunner, symptoms),
    ...(options.budgetMs === null ? {} : { endsAtMs: startedAtMs + options.budgetMs }),
    onProgress: (done) => options.onProgress(done, options.runs, target.name),
  });
  const findings = campaign.findings.toSorted(byPlainness);
  const seen: Seen = { ...campaign, setAside: runner.setAside() };
  return {
    results: {
      schema: "latchkey.results/1",
      seed: options.seed,
      durationMs: Math.round(performance.now() - startedAtMs),
      claims: judged.map((invariant) => rowOf(invariant, target, seen, options)),
      violations: findings.map(({ invariant, violation, foundAfter }) => ({
        invariant,
        statement: storeInvariants[invariant as StoreInvariant],
        target: target.name,
        explanation: violation.explanation,
        foundAfter,
        counterexample: null,
      })),
    },
    findings,
    campaign,
  };
}

/** `fail-closed` binds the attempt, which is the suite's own here; the rest binds the store. */
const contractInvariants = (Object.keys(storeInvariants) as StoreInvariant[]).filter(
  (name) => name !== "fail-closed",
);

/** A target that keeps to no contract says nothing of any other invariant, so that one goes along. */
function isAsked(name: StoreInvariant, asked: CheckOptions["invariants"]): boolean {
  return name === "target-fault" || (asked?.includes(name) ?? true);
}

/**
 * The shortest first, then the plainest: the one that names what is broken most directly. What
 * breaks together with almost anything else comes after the rest.
 */
function byPlainness(one: Finding, other: Finding): number {
  return (
    Number(symptoms.has(one.invariant)) - Number(symptoms.has(other.invariant)) ||
    one.plan.steps.length - other.plan.steps.length ||
    one.plan.attempts.length - other.plan.attempts.length ||
    weight(one.plan) - weight(other.plan) ||
    registerPlace(one.invariant) - registerPlace(other.invariant)
  );
}

const symptoms: ReadonlySet<string> = new Set<StoreInvariant>([
  "collides-within-retention",
  "reclaim",
  "linearizability",
]);

function registerPlace(invariant: string): number {
  return contractInvariants.findIndex((name) => name === invariant);
}

interface Seen extends CampaignResult {
  /** How many plans broke durability and, without their crashes, something all the same. */
  readonly setAside: number;
}

function rowOf(
  invariant: StoreInvariant,
  target: StoreTarget,
  seen: Seen,
  { runs, seed }: CheckOptions,
): ClaimResult {
  const { histories, operations, sometimes } = seen;
  const exercised = seen.exercised[invariant] ?? 0;
  const broken = seen.findings.some((finding) => finding.invariant === invariant);
  const reason = broken ? null : whyInconclusive(invariant, target, seen, runs);
  const verdict: Verdict = broken ? "refuted" : reason === null ? "holds" : "inconclusive";
  return {
    id: invariant,
    statement: storeInvariants[invariant],
    source: "design, contracts: StoreTarget",
    policy: "contract",
    target: target.name,
    verdict,
    expected: "holds",
    reason,
    methods: [
      {
        verdict,
        reason,
        kind: "random",
        bounds: { runs, seed },
        evidence: { histories, operations, exercised, sometimes },
      },
    ],
    counterexample: null,
  };
}

function whyInconclusive(
  invariant: StoreInvariant,
  { capabilities }: StoreTarget,
  { histories, stopped, exercised, undecided, setAside }: Seen,
  runs: number,
): string | null {
  const needs = needed[invariant];
  if (needs !== undefined && !capabilities[needs]) return `skipped: the target has no ${needs}`;
  if (stopped === "cancelled") return `cancelled after ${histories} of ${runs} histories`;
  if (stopped === "budget") return `the budget ended after ${histories} of ${runs} histories`;
  if (histories < runs) return `a fault of the target ended it after ${histories} histories`;
  if ((exercised[invariant] ?? 0) === 0) return `never exercised in ${histories} histories`;
  if (invariant === "durability" && setAside > 0) {
    return `broken in ${setAside} histories, each of which breaks something without its crashes too: mend that first`;
  }
  if (invariant === "linearizability" && undecided > 0) {
    return `${undecided} histories passed the bound of the linearizability check`;
  }
  return null;
}

const needed: Partial<Record<StoreInvariant, keyof StoreTarget["capabilities"]>> = {
  durability: "crash",
  mismatch: "fingerprints",
  replay: "replay",
  "lost-replies-heal": "ownerTokens",
};
