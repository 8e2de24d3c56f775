// What is written for another checker: a scenario's very system, under a head that says policy, bounds, faults, counts and verdicts.
import { checkModel } from "./check.ts";
import type { CheckResult, PropertyResult } from "./check-result.ts";
import { compileSystem } from "./compile-system.ts";
import { exportDot } from "./export-dot.ts";
import { exportMurphi } from "./export-murphi.ts";
import { exportPromela, type GraphCounts } from "./export-promela.ts";
import { latchkeySystem } from "./latchkey-system.ts";
import type { Scenario } from "./scenarios.ts";
import { SystemTooLarge } from "./system-values.ts";
import type { System } from "./system-language.ts";

export type ExportFormat = "promela" | "murphi" | "dot";

export type ScenarioExport =
  | { readonly kind: "exported"; readonly text: string }
  /** More states than anybody can read as a drawing. */
  | { readonly kind: "too large"; readonly mostStates: number }
  /** Past what the search itself can hold, so that no count would stand beside it: which bound, with both numbers. */
  | { readonly kind: "past a bound"; readonly bound: string };

/** Up to so many states a system is counted when it is written, which takes a second or two. */
const mostCounted = 500_000;
const mostDrawn = 600;

/** Counts by states alone, never by time, so that the same scenario always gives the same text. */
export async function exportScenario(
  scenario: Scenario,
  format: ExportFormat,
): Promise<ScenarioExport> {
  try {
    return await written(scenario, format);
  } catch (error) {
    if (error instanceof SystemTooLarge) return { kind: "past a bound", bound: error.bound };
    throw error;
  }
}

async function written(scenario: Scenario, format: ExportFormat): Promise<ScenarioExport> {
  const system = latchkeySystem(scenario.options);
  switch (format) {
    case "promela": {
      const { lines, expected } = await counted(system);
      const about = [...aboutScenario(scenario), ...lines, ...leftOut(system)];
      return { kind: "exported", text: exportPromela(system, { about, ...expected }) };
    }
    case "murphi": {
      const { lines, expected } = await counted(system);
      const about = [...aboutScenario(scenario), ...lines, ...(await symmetricLines(system))];
      return { kind: "exported", text: exportMurphi(system, { about, ...expected }) };
    }
    case "dot": {
      // Counted before it is drawn: the drawing tries every permutation of the attempts on every state.
      const { isWhole, properties } = await search(system, true, mostDrawn);
      if (!isWhole) return { kind: "too large", mostStates: mostDrawn };
      const lines = wrapped(verdictLines(properties));
      const about = [...aboutScenario(scenario), ...lines, oneOfEachClass];
      const drawn = exportDot(system, { symmetry: true, mostStates: mostDrawn, about });
      return drawn.kind === "drawn"
        ? { kind: "exported", text: drawn.text }
        : { kind: "too large", mostStates: mostDrawn };
    }
  }
}

const oneOfEachClass = "States that differ by a permutation of the attempts are drawn once.";

function aboutScenario({ title, options }: Scenario): readonly string[] {
  const { policy, attempts, mode, keys, times, budgets } = options;
  const { retention, deadline, lag, jump } = times;
  const faults = Object.entries(budgets).map(([fault, budget]) => `${fault}=${budget}`);
  return wrapped([
    `Policy ${policy.name}: ${title}.`,
    `Bounds: attempts=${attempts} mode=${mode} keys=${keys}; in ticks τ=${retention} D=${deadline} ε=${lag} S=${jump}.`,
    `Faults, how often in one history ("any" keeps no count): ${faults.join(" ")}.`,
    "A history ends where an invariant breaks: `broken` names the one that did.",
  ]);
}

interface Counted {
  readonly lines: readonly string[];
  readonly expected: { readonly expected?: GraphCounts };
}

async function counted(system: System): Promise<Counted> {
  const result = await search(system, false, mostCounted);
  if (!result.isWhole) {
    const line = `Not counted here: it has more than ${mostCounted} states.`;
    return { lines: [line], expected: {} };
  }
  const { states, edges, ends, properties } = result;
  return {
    lines: wrapped(verdictLines(properties)),
    expected: { expected: { states, edges, ends } },
  };
}

/** One line for each verdict that there is. */
function verdictLines(properties: readonly PropertyResult[]): readonly string[] {
  const claims = properties.filter(({ kind }) => kind !== "sometimes");
  return (["holds", "refuted", "inconclusive"] as const).flatMap((verdict) => {
    const told = claims
      .filter((each) => each.verdict === verdict)
      .map(({ id, witness }) =>
        verdict === "refuted" && witness ? `${id} (in ${witness.actions.length} steps)` : id,
      );
    return told.length === 0 ? [] : [`Latchkey says ${verdict}: ${told.join(", ")}.`];
  });
}

async function symmetricLines(system: System): Promise<readonly string[]> {
  const { isWhole, states, edges, properties } = await search(system, true, mostCounted);
  if (!isWhole) return [];
  const isRefuted = properties.some(({ verdict }) => verdict === "refuted");
  return wrapped([
    `With --symmetry-reduction exhaustive Latchkey counts ${states} states, ${edges} rules fired.`,
    // Rumur does not keep a state in which an invariant fails.
    ...(isRefuted
      ? ["Rumur ends at the first error: its counts are ours once the invariants are taken out."]
      : []),
  ]);
}

function search(system: System, symmetry: boolean, maxStates: number): Promise<CheckResult> {
  const model = compileSystem(system, { symmetry });
  return checkModel(model, {
    symmetry: symmetry && model.canonicalise !== undefined,
    bounds: { maxStates, maxSeconds: Infinity },
  });
}

/** SPIN's safety model has no place for what `reachable` says. */
function leftOut(system: System): readonly string[] {
  const ids = system.properties.filter(({ kind }) => kind === "reachable").map(({ id }) => id);
  return ids.length === 0
    ? []
    : [`Not an assertion, so not in this model: ${ids.join(", ")}; the Murphi export has it.`];
}

const widest = 110;

/** Lines of a head, broken between words; a line that goes on is indented. */
function wrapped(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const parts: string[] = [];
    let part = "";
    for (const word of line.split(" ")) {
      if (part !== "" && part.length + 1 + word.length > widest) {
        parts.push(part);
        part = `  ${word}`;
      } else part = part === "" ? word : `${part} ${word}`;
    }
    return [...parts, part];
  });
}
