// Decides what an export was asked for: format, policy, scenario, attempts, file.
import type { Command } from "commander";
import {
  exportFormats,
  type KnownFormat,
  type KnownPolicy,
  mostAttempts,
  parseAttempts,
  policyNames,
  shown,
} from "./option-values.ts";
import { refuse, type Refusal } from "./refusal.ts";

export interface ExportInvocation {
  readonly kind: "export";
  readonly format: KnownFormat;
  readonly policy: KnownPolicy;
  /** Null: the policy's first. */
  readonly scenarioId: string | null;
  /** Null: as many as the scenario has. */
  readonly attempts: number | null;
  /** Null: stdout. */
  readonly outFile: string | null;
}

interface RawExport {
  readonly format: string;
  readonly policy: string;
  readonly scenario?: string;
  readonly attempts?: string;
  readonly out?: string;
}

export function addExport(
  program: Command,
  found: (invocation: ExportInvocation | Refusal) => void,
): Command {
  return program
    .command("export")
    .description("write the system that is searched, for another checker")
    .requiredOption(
      "--format <NAME>",
      `${exportFormats.join(", ")}: for SPIN, for Rumur, a drawing for Graphviz`,
    )
    .requiredOption("--policy <NAME>", policyNames.join(", "))
    .option("--scenario <ID>", "default: the policy's first (an unknown one lists all)")
    .option("--attempts <N>", `other than the scenario has, 1 to ${mostAttempts}`)
    .option("--out <FILE>", "where to write it; default: stdout")
    .action((raw: RawExport) => found(exportInvocation(raw)));
}

function exportInvocation(raw: RawExport): ExportInvocation | Refusal {
  const format = exportFormats.find((name) => name === raw.format);
  if (format === undefined) {
    return refuse(
      `no such format: --format=${shown(raw.format)}; take one of ${exportFormats.join(", ")}`,
    );
  }
  const policy = policyNames.find((name) => name === raw.policy);
  if (policy === undefined) {
    return refuse(
      `no such policy: --policy=${shown(raw.policy)}; take one of ${policyNames.join(", ")}`,
    );
  }
  const attempts = raw.attempts === undefined ? null : parseAttempts(raw.attempts);
  if (typeof attempts === "object" && attempts !== null) return attempts;
  if (raw.out === "") return refuse('the path is empty: --out=""; name a path');
  const { scenario: scenarioId = null, out: outFile = null } = raw;
  return { kind: "export", format, policy, scenarioId, attempts, outFile };
}
