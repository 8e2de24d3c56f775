// What a judgement comes to: the types of the results that the reports show and CI reads.
import type { KnownWay } from "../model/gateway-invariants.ts";
import type { History } from "./history.ts";
import type { Plan } from "./plan.ts";

export type Verdict = "holds" | "refuted" | "inconclusive";

/** The whole of a run, as `--json` writes it: schema `latchkey.results/1`. */
export interface Results {
  readonly schema: "latchkey.results/1";
  readonly seed: number;
  readonly durationMs: number;
  /** One row a claim × policy × target. */
  readonly claims: readonly ClaimResult[];
  /** What `check` found against the contract; empty for `verify`. */
  readonly violations: readonly ViolationResult[];
}

export interface ClaimResult {
  readonly id: string;
  readonly statement: string;
  readonly source: string;
  readonly policy: string;
  readonly target: string;
  readonly verdict: Verdict;
  readonly expected: Verdict;
  /** Why a verdict is inconclusive, or how methods disagree, in one line; null otherwise. */
  readonly reason: string | null;
  readonly methods: readonly MethodResult[];
  /** Path of the counterexample file, or null. */
  readonly counterexample: string | null;
}

/** `check`: an invariant of the contract that the target broke. */
export interface ViolationResult {
  readonly invariant: string;
  readonly statement: string;
  readonly target: string;
  /** One sentence: what broke, in the minimal history. */
  readonly explanation: string;
  /** How many histories had run when it was first seen. */
  readonly foundAfter: number;
  readonly counterexample: string | null;
}

export interface MethodResult {
  /** What this method alone says; *holds* and *refuted* side by side are a failure of the suite. */
  readonly verdict: Verdict;
  /** Why this method alone is inconclusive, in one line; null otherwise. */
  readonly reason: string | null;
  readonly kind: "exhaustive" | "conformance" | "random" | "ablation";
  readonly bounds: Readonly<Record<string, number | string>>;
  readonly evidence: MethodEvidence;
}

export interface MethodEvidence {
  readonly histories?: number;
  readonly operations?: number;
  /** In how many histories the claim's situation occurred; zero makes it inconclusive. */
  readonly exercised?: number;
  readonly states?: number;
  readonly edges?: number;
  readonly depth?: number;
  /** How often each interesting situation occurred, by name. */
  readonly sometimes?: Readonly<Record<string, number>>;
}

/** A counterexample file: schema `latchkey.counterexample/1`. */
export interface Counterexample<CounterexamplePlan = Plan> {
  readonly schema: "latchkey.counterexample/1";
  readonly claim: string;
  readonly invariant: string;
  readonly policy: string;
  readonly target: string;
  readonly seed: number;
  /** fast-check's path to the plan that failed first. */
  readonly path: string;
  readonly plan: CounterexamplePlan;
  readonly steps: readonly CounterexampleStep[];
  /** Which sentence of which claim broke, and by what. */
  readonly explanation: string;
  /** Which of the known ways to break the layer this is, where it is one. */
  readonly witness?: KnownWay;
  /** The number of steps. */
  readonly length: number;
  /** True: no single element of the plan can go. False: the search for that was cut short. */
  readonly minimal: boolean | null;
  /** The command that runs it again. */
  readonly rerun: string;
}

/** A path through the exhaustively searched system, from its initial state. */
export interface WitnessPlan {
  readonly kind: "exhaustive";
  /** The configuration that was searched, by its id. */
  readonly scenario: string;
  /** The action taken in each state, by its number in the compiled system. */
  readonly actions: readonly number[];
}

export interface CounterexampleStep {
  readonly step: number;
  readonly at: number;
  /** `attempt A`, `clock`, `store`, `downstream`. */
  readonly actor: string;
  readonly action: string;
  readonly detail: string;
  /** What the store holds of the keys after this step, as far as the history tells. */
  readonly state: string;
}

/** A property that a history broke. */
export interface Violation {
  readonly invariant: string;
  /** One sentence that names the operations that contradict each other. */
  readonly explanation: string;
  /** Indices into the history's events: the evidence, earliest first. */
  readonly events: readonly number[];
  /** Which of the known ways this is (`knownWays`), where it is one. */
  readonly way?: KnownWay;
}

/** A plan that breaks an invariant on a target, shrunk. */
export interface Finding<SomePlan = Plan, SomeHistory = History> {
  readonly invariant: string;
  readonly seed: number;
  readonly path: string;
  readonly plan: SomePlan;
  readonly history: SomeHistory;
  readonly violation: Violation;
  readonly minimal: boolean;
  /** How many histories had run when it was first seen, from 1. */
  readonly foundAfter: number;
}

/** What a campaign of random plans on one target saw. */
export interface CampaignResult<SomePlan = Plan, SomeHistory = History> {
  readonly target: string;
  readonly seed: number;
  readonly histories: number;
  readonly operations: number;
  /** How many histories each interesting situation occurred in, by name; zeroes included. */
  readonly sometimes: Readonly<Record<string, number>>;
  /** For each invariant, in how many histories it was exercised; zeroes included. */
  readonly exercised: Readonly<Record<string, number>>;
  /** One finding for each invariant that broke. */
  readonly findings: readonly Finding<SomePlan, SomeHistory>[];
  /** Histories that a bound cut short, judged by no verdict of linearizability. */
  readonly undecided: number;
  /** Why the campaign ended before all its runs, or null. */
  readonly stopped: "budget" | "cancelled" | null;
}
