// Decides what a pull request shows on GitHub: one error line for each verdict that differs.
import type { Results } from "../properties/results.ts";
import { differs } from "./claims-table.ts";
import { visibleLine } from "./show-text.ts";

/** Workflow commands, one a line; `file` is what was judged, where it is a file. */
export function githubAnnotations(results: Results, file: string | null): string {
  return results.claims
    .filter(differs)
    .map((row) => {
      const violation = results.violations.find(({ invariant }) => invariant === row.id);
      const title = `${row.id} is ${row.verdict}, expected ${row.expected}`;
      const body = [
        violation?.explanation ?? `Under ${row.policy} on ${row.target}: ${row.statement}`,
        row.reason ?? "",
        row.counterexample === null ? "" : `npx latchkey rerun ${row.counterexample}`,
      ].filter((part) => part !== "");
      const place = file === null ? [] : [`file=${property(file)}`];
      const properties = [...place, `title=${property(title)}`].join(",");
      return `::error ${properties}::${data(visibleLine(body.join(" · ")))}\n`;
    })
    .join("");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(visibleLine(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
