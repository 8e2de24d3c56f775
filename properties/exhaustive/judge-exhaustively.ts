// Judges a policy's claims by exhaustive search: one verdict an invariant, with counts, bounds and the shortest witness.
import type { PolicyName } from "../../model/policy.ts";
import type { CounterexampleStep, MethodEvidence, Verdict } from "../results.ts";
import { checkModel } from "./check.ts";
import type { CheckResult, PropertyResult, Witness } from "./check-result.ts";
import type { SearchProgress } from "./check-options.ts";
import { compileSystem } from "./compile-system.ts";
import {
  watchedInvariants,
  type LatchkeyOptions,
  type WatchedInvariant,
} from "./latchkey-options.ts";
import { latchkeySystem } from "./latchkey-system.ts";
import type { PackedModel } from "./model.ts";
import { differsFromPinned } from "./scenario-counts.ts";
import { scenarios, type Scenario } from "./scenarios.ts";

export interface ExhaustiveOptions {
  readonly policy: PolicyName;
  /** `deep` adds the scenarios of half an hour; `quick` are those of `verify`'s minute. */
  readonly level: "quick" | "deep";
  /** Only these scenarios; absent: all of the level. */
  readonly scenarioIds?: readonly string[];
  /** For all scenarios together. */
  readonly maxSeconds: number;
  /** For each scenario. Absent: the engine's own bounds. */
  readonly maxStates?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ScenarioProgress) => void;
}

export interface ScenarioProgress extends SearchProgress {
  readonly scenario: string;
}

export interface ExhaustiveVerdict {
  readonly invariant: WatchedInvariant;
  readonly statement: string;
  readonly policy: PolicyName;
  readonly verdict: Verdict;
  /** Why it is inconclusive, in one line; null otherwise. */
  readonly reason: string | null;
  readonly searches: readonly ScenarioEvidence[];
  /** The shortest over all scenarios; null unless refuted. */
  readonly witness: ExhaustiveWitness | null;
}

/** What one scenario says of one invariant; inconclusive, too, where another system was searched than the pinned one. */
export interface ScenarioEvidence {
  readonly scenario: string;
  readonly verdict: Verdict;
  readonly because: string;
  readonly bounds: Readonly<Record<string, number | string>>;
  readonly evidence: MethodEvidence;
  readonly elapsedMs: number;
}

export interface ExhaustiveWitness {
  readonly scenario: string;
  readonly length: number;
  readonly steps: readonly CounterexampleStep[];
  /** The action taken in each state, by its number in the compiled system. */
  readonly actions: readonly number[];
}

/** Throws a RangeError of one line for a scenario that the policy does not have. */
export async function judgeExhaustively(
  options: ExhaustiveOptions,
): Promise<readonly ExhaustiveVerdict[]> {
  const endsAtMs = performance.now() + options.maxSeconds * 1000;
  const judged: JudgedScenario[] = [];
  for (const scenario of chosenScenarios(options)) {
    const left = (endsAtMs - performance.now()) / 1000;
    // A search needs some time to say how far it came.
    judged.push(await judgeScenario(scenario, options, Math.max(left, 0.001)));
  }
  return verdictsOf(options.policy, judged);
}

/** What the searches of a policy's scenarios say together: one verdict for each invariant that they watch. */
export function verdictsOf(
  policy: PolicyName,
  judged: readonly JudgedScenario[],
): readonly ExhaustiveVerdict[] {
  return (Object.keys(watchedInvariants) as WatchedInvariant[]).flatMap((invariant) => {
    const rows = judged.flatMap((each) => rowOf(each, invariant));
    return rows.length === 0 ? [] : [verdictOf(invariant, policy, rows)];
  });
}

/** The scenarios of a policy and a level, in the order in which they are judged. */
export function chosenScenarios({
  policy,
  level,
  scenarioIds,
}: Pick<ExhaustiveOptions, "policy" | "level" | "scenarioIds">): readonly Scenario[] {
  const own = scenarios.filter((each) => each.options.policy.name === policy);
  const unknown = scenarioIds?.find((id) => !own.some((each) => each.id === id));
  if (unknown !== undefined) {
    const known = own.map(({ id }) => id).join(", ");
    throw new RangeError(
      `unknown scenario: scenario=${unknown} policy=${policy}; take one of ${known}`,
    );
  }
  if (scenarioIds) return own.filter(({ id }) => scenarioIds.includes(id));
  return level === "deep" ? own : own.filter((each) => each.level === "quick");
}

export interface JudgedScenario {
  readonly scenario: Scenario;
  readonly model: PackedModel;
  readonly result: CheckResult;
}

/** Searches one scenario. Symmetric states count once unless it says otherwise: the invariants do not tell attempts apart. */
export async function judgeScenario(
  scenario: Scenario,
  options: Pick<ExhaustiveOptions, "maxStates" | "maxBytes" | "signal" | "onProgress">,
  maxSeconds: number,
): Promise<JudgedScenario> {
  const symmetry = scenario.tellsAttemptsApart !== true;
  const model = compileSystem(latchkeySystem(scenario.options), { symmetry });
  const { maxStates, maxBytes, signal, onProgress } = options;
  const result = await checkModel(model, {
    // A single attempt has nobody to change places with.
    symmetry: model.canonicalise !== undefined,
    // One invariant alone is decided by its first witness; several are all wanted.
    stopWhen: scenario.options.watched.length === 1 ? "refuted" : "exhausted",
    bounds: {
      maxSeconds,
      ...(maxStates === undefined ? {} : { maxStates }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    },
    ...(signal ? { signal } : {}),
    ...(onProgress
      ? { onProgress: (progress) => onProgress({ ...progress, scenario: scenario.id }) }
      : {}),
  });
  return { scenario, model, result };
}

/** A witness as the steps of a counterexample; `at` counts the ticks of real time. */
export function stepsOf(model: PackedModel, witness: Witness): readonly CounterexampleStep[] {
  let at = 0;
  return witness.actions.map((action, place) => {
    const before = witness.states[place];
    const after = witness.states[place + 1];
    if (!before || !after) throw new Error(`a witness lacks a state: step=${place + 1}`);
    const told = model.describeAction(action, before, after);
    if (told.actor === "clock" && told.action === "tick") at += 1;
    return { step: place + 1, at, ...told, state: storeState(model, after) };
  });
}

const storeFields = /^(record|holder|endsIn|claimedBy|bucket|broken)/;

/** What the store holds, and what broke; the rest of a state is the witness itself. */
function storeState(model: PackedModel, state: Uint32Array): string {
  return Object.entries(model.describeState(state))
    .filter(([field, value]) => storeFields.test(field) && value !== "nothing")
    .map(([field, value]) => `${field}=${value}`)
    .join(" ");
}

interface Row {
  readonly search: ScenarioEvidence;
  /** Why the search decides nothing whatever it found, in one line; null where it does. */
  readonly open: string | null;
  readonly witness: ExhaustiveWitness | null;
}

function rowOf({ scenario, model, result }: JudgedScenario, invariant: WatchedInvariant): Row[] {
  const property = result.properties.find(({ id }) => id === invariant);
  if (!property || !scenario.options.watched.includes(invariant)) return [];
  const { states, edges, depth, elapsedMs } = result;
  const steps = witnessSteps(model, property);
  const open = whyOpen(scenario, result, property);
  const isOpen = open !== null && property.verdict !== "refuted";
  return [
    {
      search: {
        scenario: scenario.id,
        verdict: isOpen ? "inconclusive" : property.verdict,
        because: isOpen ? open : property.because,
        bounds: boundsOf(scenario.options),
        evidence: { states, edges, depth },
        elapsedMs,
      },
      open,
      witness: steps && {
        scenario: scenario.id,
        length: steps.length,
        steps,
        actions: property.witness?.actions ?? [],
      },
    },
  ];
}

/** Asked of the property, not of the search: a sweep that met a bound decides nothing of what needs no sweep. */
function whyOpen(scenario: Scenario, result: CheckResult, { because, stoppedBy }: PropertyResult) {
  if (stoppedBy !== null) return because;
  if (result.deadlocks > 0) return stopsShort(result);
  return differsFromPinned(scenario.id, result);
}

/** What is waited for for ever, no history ends with: a model that stops short hides what would have followed. */
function stopsShort({ deadlocks }: CheckResult): string {
  return `the model stops where somebody waits or something is under way: states=${deadlocks}; look at the rules for what is missing`;
}

function witnessSteps(model: PackedModel, { verdict, witness }: PropertyResult) {
  return verdict === "refuted" && witness ? stepsOf(model, witness) : null;
}

/** The bounds of a search, for a report: what was counted, and how far. */
function boundsOf(options: LatchkeyOptions): Readonly<Record<string, number | string>> {
  const { attempts, mode, times, budgets, keys } = options;
  return { attempts, mode, keys, ...times, ...budgets };
}

/**
 * Refuted by one scenario is refuted. It holds where every scenario that watches it was searched to
 * the end and one of them exercised it; a bound that was passed makes it inconclusive, and so does a
 * count of states that is not the pinned one: then another system was searched than the one that is claimed.
 */
function verdictOf(
  invariant: WatchedInvariant,
  policy: PolicyName,
  rows: readonly Row[],
): ExhaustiveVerdict {
  const searches = rows.map(({ search }) => search);
  const witnesses = rows.flatMap(({ witness }) => witness ?? []);
  const [first, ...others] = witnesses;
  const shortest = first
    ? others.reduce((best, each) => (each.length < best.length ? each : best), first)
    : null;
  const openRow = rows.find(({ open }) => open !== null);
  const exercised = searches.some(({ verdict }) => verdict === "holds");
  const open = openRow ?? (exercised ? null : rows[0]) ?? null;
  return {
    invariant,
    statement: watchedInvariants[invariant],
    policy,
    verdict: shortest ? "refuted" : open ? "inconclusive" : "holds",
    reason:
      shortest || !open ? null : `${open.search.scenario}: ${open.open ?? open.search.because}`,
    searches,
    witness: shortest,
  };
}
