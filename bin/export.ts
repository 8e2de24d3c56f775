// Wires `export`: a scenario of the exhaustive search, written for another checker.
import { resolve } from "node:path";
import { exportScenario } from "../properties/exhaustive/export-scenario.ts";
import { scenarios, type Scenario } from "../properties/exhaustive/scenarios.ts";
import type { ExportInvocation } from "./export-command.ts";
import { refused } from "./judging.ts";
import { shown } from "./option-values.ts";
import { tryFile, writeText } from "./output-paths.ts";
import { refuse, type Refusal } from "./refusal.ts";
import { tell, type Terminal } from "./terminal.ts";

export async function exportSystem(
  invocation: ExportInvocation,
  terminal: Terminal,
): Promise<number> {
  const { outFile } = invocation;
  const path = outFile === null ? null : resolve(terminal.cwd, outFile);
  const unwritable = path === null ? null : tryFile("--out", outFile ?? "", path);
  if (unwritable !== null) return refused(terminal, unwritable);
  const text = await exportedText(invocation);
  if (typeof text !== "string") return refused(terminal, text);
  if (path === null) {
    terminal.stdout.write(text);
    return 0;
  }
  const unwritten = writeText(path, text);
  if (unwritten !== null) return refused(terminal, unwritten);
  tell(terminal, `wrote ${outFile}`);
  return 0;
}

/** The whole text of an export, or why there is none. */
export async function exportedText({
  format,
  policy,
  scenarioId,
  attempts,
}: Omit<ExportInvocation, "kind" | "outFile">): Promise<string | Refusal> {
  const own = scenarios.filter(({ options }) => options.policy.name === policy);
  const scenario = scenarioId === null ? own[0] : own.find(({ id }) => id === scenarioId);
  if (scenario === undefined) {
    const known = own.map(({ id }) => id).join(", ");
    return refuse(
      `no such scenario: --scenario=${shown(scenarioId ?? "")} --policy=${policy}; take one of ${known}`,
    );
  }
  const bounded = attempts === null ? scenario : withAttempts(scenario, attempts);
  const exported = await exportScenario(bounded, format);
  const asked = `--scenario=${scenario.id} attempts=${bounded.options.attempts}`;
  switch (exported.kind) {
    case "exported":
      return exported.text;
    case "too large":
      return refuse(
        `more than states=${exported.mostStates}, which nobody can read as a drawing: ${asked}; lower --attempts, or take another scenario or format`,
      );
    case "past a bound":
      return refuse(
        `past a bound of the search, ${exported.bound}: ${asked}; lower --attempts, or take another scenario`,
      );
  }
}

function withAttempts({ title, ...scenario }: Scenario, attempts: number): Scenario {
  const own = scenario.options.attempts;
  return {
    ...scenario,
    title: attempts === own ? title : `${title} (here attempts=${attempts} instead of ${own})`,
    options: { ...scenario.options, attempts },
  };
}
