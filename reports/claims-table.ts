// Decides how verdicts are shown on a terminal: claims by policies, expected and unexpected told apart.
import Table from "cli-table3";
import colors from "picocolors";
import type { ClaimResult, Results, Verdict } from "../properties/results.ts";
import { visibleLine } from "./show-text.ts";

export interface TableOptions {
  /** Width of the terminal; below 60 the table is as if at 60. */
  readonly columns: number;
  readonly color: boolean;
}

/** The table of claims: one row a claim, one column a policy, targets told apart where they differ. */
export function claimsTable(results: Results, options: TableOptions): string {
  const paint = colors.createColors(options.color);
  const judged = results.claims.filter((claim) => !isUnbuilt(claim));
  const policies = distinct(judged.map(({ policy }) => policy));
  const widths = columnWidths(Math.max(60, options.columns), policies.length);
  const table = new Table({
    head: ["claim", ...policies].map((head) => paint.bold(head)),
    colWidths: widths,
    wordWrap: true,
    style: { head: [], border: [], compact: isCheck(results) },
  });
  for (const id of distinct(judged.map((claim) => claim.id))) {
    const rows = judged.filter((claim) => claim.id === id);
    const isNamedOnly = isCheck(results) && !rows.some(differs);
    const statement = isNamedOnly ? "" : `\n${visibleLine(rows[0]?.statement ?? "")}`;
    const cells = policies.map((policy) =>
      verdictCell(
        rows.filter((row) => row.policy === policy),
        paint,
      ),
    );
    table.push([`${paint.bold(visibleLine(id))}${statement}`, ...cells]);
  }
  return judged.length === 0 ? "" : `${table.toString()}\n`;
}

/** Whether these are the results of `check`, which knows no policy but the contract. */
export function isCheck({ claims }: Results): boolean {
  return claims.length > 0 && claims.every(({ policy }) => policy === "contract");
}

/** Whether a verdict differs from what the claim register expects, or one method from another. */
export function differs(row: ClaimResult): boolean {
  return row.verdict !== row.expected || methodsDisagree(row);
}

/** Where methods disagree the suite has failed, whatever the register expects. */
function methodsDisagree({ methods }: Pick<ClaimResult, "methods">): boolean {
  const kinds = (wanted: Verdict) =>
    new Set(methods.filter(({ verdict }) => verdict === wanted).map(({ kind }) => kind));
  const [refuting, holding] = [kinds("refuted"), kinds("holds")];
  return [...refuting].some((kind) => [...holding].some((other) => other !== kind));
}

/** A claim that needs a part of a later issue. */
export function isUnbuilt({ verdict, reason }: ClaimResult): boolean {
  return verdict === "inconclusive" && reason !== null && reason.startsWith("not built");
}

export function distinct<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Set(items)];
}

type Paint = ReturnType<typeof colors.createColors>;

function verdictCell(rows: readonly ClaimResult[], paint: Paint): string {
  if (rows.length === 0) return paint.dim("–");
  const texts = rows.map((row) => ({ target: row.target, text: verdictText(row, paint) }));
  const groups = distinct(texts.map(({ text }) => text));
  if (groups.length === 1) return groups[0] ?? "";
  return groups
    .map((text) => {
      const targets = texts.filter((entry) => entry.text === text).map(({ target }) => target);
      return `${text}\n${paint.dim(visibleLine(targets.join(", ")))}`;
    })
    .join("\n");
}

function verdictText(row: ClaimResult, paint: Paint): string {
  if (differs(row)) {
    const why = row.verdict === row.expected ? "methods disagree" : `expected ${row.expected}`;
    return paint.red(paint.bold(`✗ ${row.verdict}`)) + paint.red(`\n${why}`);
  }
  switch (row.verdict) {
    case "holds":
      return paint.green("✓ holds");
    case "refuted":
      return paint.yellow("✓ refuted");
    case "inconclusive":
      return paint.dim("· inconclusive");
  }
}

/** The claim takes what the policies leave; a verdict column needs about 17. */
function columnWidths(columns: number, policies: number): number[] {
  const borders = policies + 2;
  const verdict = columns < 90 ? 16 : 18;
  const claim = Math.max(20, columns - borders - policies * verdict);
  return [Math.min(claim, 100), ...Array.from({ length: policies }, () => verdict)];
}
