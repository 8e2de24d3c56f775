// Decides the first page of a report: the claims with their verdicts, and a link to each counterexample.
import type { ClaimResult, Results } from "../properties/results.ts";
import { differs, distinct, isUnbuilt } from "./claims-table.ts";
import { historiesText, totalHistories } from "./evidence-tables.ts";
import { proseMarkdown } from "./show-text.ts";

/** `linkTo` turns a counterexample's path into a link from this page to its story. */
export function indexMarkdown(
  results: Results,
  linkTo: (counterexample: string) => string,
): string {
  const { seed, durationMs } = results;
  const seconds = (durationMs / 1000).toFixed(1);
  return [
    "# Latchkey report",
    `Seed ${seed}, ${seconds} s, ${historiesText(totalHistories(results))}. Run it again with \`--seed ${seed}\`. Everything in numbers: [results.json](results.json).`,
    "✓ the verdict is the expected one, ✗ it differs. *Refuted* links to the story of its counterexample.",
    ...violationParts(results, linkTo),
    "## Claims",
    claimTable(results, linkTo),
    ...unbuiltPart(results),
    "",
  ].join("\n\n");
}

function violationParts(
  { violations }: Results,
  linkTo: (counterexample: string) => string,
): readonly string[] {
  if (violations.length === 0) return [];
  const lines = violations.map(({ invariant, explanation, counterexample }) => {
    const name = proseMarkdown(invariant);
    const title = counterexample === null ? `**${name}**` : `[${name}](${linkTo(counterexample)})`;
    return `- ${title}: ${proseMarkdown(explanation)}`;
  });
  return ["## Violations", lines.join("\n")];
}

function claimTable(results: Results, linkTo: (counterexample: string) => string): string {
  const judged = results.claims.filter((claim) => !isUnbuilt(claim));
  const policies = distinct(judged.map(({ policy }) => policy));
  const rows = distinct(judged.map(({ id }) => id)).map((id) => {
    const ofClaim = judged.filter((row) => row.id === id);
    const { statement = "", source = "" } = ofClaim[0] ?? {};
    const cells = policies.map((policy) =>
      ofClaim
        .filter((row) => row.policy === policy)
        .map((row) => verdictText(row, linkTo))
        .join("<br>"),
    );
    const claim = `**${proseMarkdown(id)}**<br>${proseMarkdown(statement)}<br>*${proseMarkdown(source)}*`;
    return [claim, ...cells];
  });
  return [["claim", ...policies.map(proseMarkdown)], ["---", ...policies.map(() => "---")], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function verdictText(row: ClaimResult, linkTo: (counterexample: string) => string): string {
  const { verdict, expected, target, reason, counterexample } = row;
  const linked = counterexample === null ? verdict : `[${verdict}](${linkTo(counterexample)})`;
  const unexpected = differs(row) ? `, expected ${expected}` : "";
  const why = reason === null ? "" : ` (${proseMarkdown(reason)})`;
  return `${differs(row) ? "✗" : "✓"} ${proseMarkdown(target)}: ${linked}${unexpected}${why}`;
}

function unbuiltPart({ claims }: Results): readonly string[] {
  const lines = claims
    .filter(isUnbuilt)
    .map(({ id, statement, source }) =>
      [
        `- **${proseMarkdown(id)}**: ${proseMarkdown(statement)}`,
        `*${proseMarkdown(source)}*`,
      ].join(" "),
    );
  return lines.length === 0 ? [] : ["## Inconclusive: not built yet", lines.join("\n")];
}
