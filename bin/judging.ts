// Decides what verify and check have in common: seed, progress, cancelling, the report, the exit status.
import { randomInt } from "node:crypto";
import type { Results } from "../properties/results.ts";
import { claimsTable, differs, isCheck } from "../reports/claims-table.ts";
import { githubAnnotations } from "../reports/github-annotations.ts";
import { verdictSummary } from "../reports/verdict-summary.ts";
import { cancelOnSignals } from "./cancellation.ts";
import { prepareOutputPaths } from "./output-paths.ts";
import type { JudgingOptions } from "./command-line.ts";
import { createProgress } from "./progress.ts";
import type { Refusal } from "./refusal.ts";
import { tableOptions, tell, type Terminal } from "./terminal.ts";
import { type Reported, writeReport } from "./write-report.ts";

export interface JudgingContext {
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number, label: string) => void;
}

export interface Judged extends Reported {
  readonly kind: "judged";
}

/** The module of a target of one's own. */
export interface TargetModule {
  /** Absolute. */
  readonly path: string;
  /** As it was given. */
  readonly given: string;
}

/** Judges, reports, and gives the exit status. */
export async function judgeAndReport(
  options: JudgingOptions,
  module: TargetModule | null,
  terminal: Terminal,
  judge: (context: JudgingContext) => Promise<Judged | Refusal>,
): Promise<number> {
  const paths = prepareOutputPaths(options, terminal.cwd);
  if (paths.kind === "refused") return refused(terminal, paths);
  const seed = options.seed ?? randomInt(2 ** 31);
  const progress = createProgress(terminal.stderr, terminal.env);
  const cancellation = cancelOnSignals((line) => {
    progress.stop();
    tell(terminal, line);
  });
  tell(terminal, `seed ${seed}`);
  try {
    const judged = await judge({
      seed,
      signal: cancellation.signal,
      onProgress: (done, total, label) => {
        if (!cancellation.signal.aborted) progress.update(done, total, label);
      },
    });
    progress.stop();
    if (judged.kind === "refused") return refused(terminal, judged);
    const place = { paths, cwd: terminal.cwd, targetPath: module?.path ?? null };
    const { results, index, refusal } = writeReport(judged, place);
    show(results, index, module, terminal);
    if (refusal !== null) return refused(terminal, refusal);
    return cancellation.exitStatus() ?? (isUnexpected(results) ? 1 : 0);
  } finally {
    progress.stop();
    cancellation.release();
  }
}

/** Says why in one line; the exit status. */
export function refused(terminal: Terminal, { message }: Refusal): number {
  tell(terminal, `latchkey: ${message}`);
  return 2;
}

function show(
  results: Results,
  report: string,
  module: TargetModule | null,
  terminal: Terminal,
): void {
  const options = tableOptions(terminal);
  terminal.stdout.write(claimsTable(results, options));
  terminal.stdout.write(verdictSummary(results, { report }, options));
  if (terminal.env["GITHUB_ACTIONS"] === "true") {
    terminal.stdout.write(githubAnnotations(results, module?.given ?? null));
  }
}

/** For `check` a violation counts; what its capabilities leave undecided does not. */
function isUnexpected(results: Results): boolean {
  return isCheck(results) ? results.violations.length > 0 : results.claims.some(differs);
}
