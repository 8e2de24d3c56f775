// Decides what is said beneath the table: what differs, what is missing, what to do next.
import colors from "picocolors";
import type { ClaimResult, Results } from "../properties/results.ts";
import { differs, distinct, isCheck, isUnbuilt, type TableOptions } from "./claims-table.ts";
import { historiesText, methodsTable, sometimesTable, totalHistories } from "./evidence-tables.ts";
import { visibleLine } from "./show-text.ts";

export interface NextSteps {
  /** Path of the report's first page. */
  readonly report: string;
}

type Paint = ReturnType<typeof colors.createColors>;

const mostListed = 12;

export function verdictSummary(results: Results, next: NextSteps, options: TableOptions): string {
  const paint = colors.createColors(options.color);
  return [
    legend(results, paint),
    methodsTable(results, options),
    sometimesTable(results, options),
    unbuiltText(results, options, paint),
    inconclusiveText(results, paint),
    isCheck(results) ? violationsText(results, paint) : unexpectedText(results, paint),
    counterexamplesText(results, paint),
    closingText(results, next, paint),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function legend(results: Results, paint: Paint): string {
  const judge = isCheck(results) ? "the contract demands" : "the claim register expects";
  return `${paint.green("✓")} as ${judge}   ${paint.red("✗")} not so   · not decided\n`;
}

function unbuiltText(results: Results, options: TableOptions, paint: Paint): string {
  const ids = distinct(results.claims.filter(isUnbuilt).map(({ id }) => visibleLine(id)));
  if (ids.length === 0) return "";
  const title = `Inconclusive, not built yet (${ids.length} ${ids.length === 1 ? "claim" : "claims"})`;
  return `${paint.bold(title)}\n${wrapped(ids, Math.max(60, options.columns))}\n`;
}

/** One line a reason, with all that it leaves undecided. */
function inconclusiveText(results: Results, paint: Paint): string {
  const rows = results.claims.filter((row) => row.verdict === "inconclusive" && !isUnbuilt(row));
  const lines = distinct(rows.map(({ reason }) => reason)).map((reason) => {
    const places = rows.filter((row) => row.reason === reason).map((row) => placeOf(row, results));
    return visibleLine(`${reason ?? "no reason was given"}: ${distinct(places).join(", ")}`);
  });
  return list(paint.bold("Inconclusive"), lines);
}

function unexpectedText(results: Results, paint: Paint): string {
  const lines = results.claims.filter(differs).map((row) => {
    const reason = row.reason ?? missedReason(row);
    const why = reason === null ? "" : `: ${reason}`;
    return visibleLine(
      `${placeOf(row, results)} on ${row.target} is ${row.verdict}, expected ${row.expected}${why}`,
    );
  });
  return list(paint.red(paint.bold("Not as expected")), lines);
}

/** A random search that broke nothing may have been too short: the run says how long it was. */
function missedReason({ verdict, expected, methods }: ClaimResult): string | null {
  const random = methods.find(({ kind }) => kind === "random");
  if (verdict !== "holds" || expected !== "refuted" || random === undefined) return null;
  return `none of ${historiesText(random.evidence.histories ?? 0)} broke it; more of them (--runs) may`;
}

function violationsText({ violations }: Results, paint: Paint): string {
  const lines = violations.map(({ invariant, explanation, foundAfter }) => {
    return visibleLine(`${invariant} (after ${historiesText(foundAfter)}): ${explanation}`);
  });
  return list(paint.red(paint.bold("Violations, shortest counterexample first")), lines);
}

/** The first target's of each claim under each policy; the report's first page has them all. */
function counterexamplesText(results: Results, paint: Paint): string {
  const [shortest] = results.violations.flatMap(({ counterexample }) => counterexample ?? []);
  if (shortest !== undefined) {
    return `Start with: npx latchkey rerun ${visibleLine(shortest)}\n`;
  }
  const rows = results.claims.filter(({ counterexample }) => counterexample !== null);
  const first = distinct(rows.map((row) => placeOf(row, results))).flatMap(
    (place) => rows.find((row) => placeOf(row, results) === place) ?? [],
  );
  const lines = first.map((row) =>
    visibleLine(`${placeOf(row, results)}: npx latchkey rerun ${row.counterexample ?? ""}`),
  );
  return list(paint.bold("Counterexamples"), lines);
}

function placeOf({ id, policy }: ClaimResult, results: Results): string {
  return isCheck(results) ? id : `${id} under ${policy}`;
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const more = lines.length > mostListed ? [`… and ${lines.length - mostListed} more`] : [];
  const shownLines = [...lines.slice(0, mostListed), ...more].map((line) => `  ${line}`);
  return `${title} (${lines.length})\n${shownLines.join("\n")}\n`;
}

function closingText(results: Results, { report }: NextSteps, paint: Paint): string {
  const seconds = (results.durationMs / 1000).toFixed(1);
  const facts = `seed ${results.seed} · ${seconds} s · ${historiesText(totalHistories(results))}`;
  return `${facts} · ${outcomeText(results, paint)}\nread ${visibleLine(report)} · run it again with --seed ${results.seed}\n`;
}

function outcomeText(results: Results, paint: Paint): string {
  const judged = results.claims.filter((claim) => !isUnbuilt(claim));
  const unexpected = judged.filter(differs).length;
  if (isCheck(results)) {
    const { length } = results.violations;
    if (length > 0) return paint.red(`${length} ${length === 1 ? "violation" : "violations"}`);
    return paint.green("no violation");
  }
  return unexpected === 0
    ? paint.green(`all ${judged.length} verdicts as expected`)
    : paint.red(`${unexpected} of ${judged.length} verdicts not as expected`);
}

function wrapped(words: readonly string[], columns: number): string {
  const lines = [""];
  for (const word of words) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length + 5 > columns) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} · ${word}`;
  }
  return lines.map((line) => `  ${line}`).join("\n");
}
