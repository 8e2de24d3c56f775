// Decides how CI sees the verdicts: JUnit XML, one test case for each claim × policy × target.
import junit from "junit-report-builder";
import type { ClaimResult, Results, ViolationResult } from "../properties/results.ts";
import { differs, distinct, isUnbuilt } from "./claims-table.ts";
import { historiesText } from "./evidence-tables.ts";
import { visibleLine } from "./show-text.ts";

/** One suite for each policy × target; not built is skipped, a verdict that differs is a failure. */
export function junitXml(results: Results): string {
  const builder = junit.newBuilder();
  for (const name of distinct(results.claims.map(suiteName))) {
    const suite = builder.testSuite().name(xmlText(name));
    for (const row of results.claims.filter((claim) => suiteName(claim) === name)) {
      const testCase = suite
        .testCase()
        .className(xmlText(`latchkey.${row.policy}.${row.target}`))
        .name(xmlText(row.id));
      if (isUnbuilt(row)) testCase.skipped();
      else if (differs(row)) testCase.failure(failureText(row, results), "verdict");
      testCase.standardOutput(xmlText(outputText(row)));
    }
  }
  return `${builder.build().trimEnd()}\n`;
}

function suiteName({ policy, target }: ClaimResult): string {
  return `${policy} on ${target}`;
}

/** Also where it is as expected: what is inconclusive says why. */
function outputText({ verdict, expected, statement, reason }: ClaimResult): string {
  const why = reason === null ? "" : ` Reason: ${reason}.`;
  return `${verdict}, expected ${expected}: ${statement}${why}`;
}

function failureText(row: ClaimResult, { seed, violations }: Results): string {
  const violation = violations.find((found) => found.invariant === row.id);
  return xmlText(
    [
      `${row.id} under ${row.policy} on ${row.target} is ${row.verdict}, expected ${row.expected}.`,
      violation === undefined ? row.statement : explained(violation),
      row.reason === null ? "" : `Reason: ${row.reason}.`,
      row.counterexample === null ? "" : `Rerun: npx latchkey rerun ${row.counterexample}`,
      `Seed: ${seed}`,
    ]
      .filter((part) => part !== "")
      .join(" "),
  );
}

function explained({ explanation, foundAfter }: ViolationResult): string {
  return `${explanation} Found after ${historiesText(foundAfter)}.`;
}

/** A text that XML 1.0 can carry: no control character, no lone surrogate, no non-character. */
function xmlText(text: string): string {
  return visibleLine(text).replaceAll(/[\uFFFE\uFFFF]/gu, "\uFFFD");
}
