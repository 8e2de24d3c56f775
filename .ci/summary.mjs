// Decides how a test run is summed up: each failure by name, then `N passed, N failed`, from vitest's JSON report; zero tests are a failure.
import { existsSync, readFileSync } from "node:fs";

const [path = ""] = process.argv.slice(2);
if (!existsSync(path)) {
  console.error(`the test runner wrote no report: file=${path}; look at its output above`);
  process.exit(1);
}
const report = JSON.parse(readFileSync(path, "utf8"));
const passed = report.numPassedTests;
const skipped = report.numPendingTests + report.numTodoTests;
// A file that does not load has no tests of its own: it counts as one failure.
const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) =>
  status === "failed" && assertionResults.length === 0
    ? [`${name}: ${message}`]
    : assertionResults
        .filter((test) => test.status === "failed")
        .map(({ fullName }) => `${name}: ${fullName}`),
);
const failed = failures.length;
for (const each of failures) console.log(`failed: ${each.split("\n")[0]}`);
if (passed + failed === 0) {
  console.error("no test was run: passed=0, failed=0; look at vitest.config.ts");
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
if (failed === 0 && !report.success) console.error("the run failed beside its tests: see above");
process.exitCode = passed > 0 && failed === 0 && report.success ? 0 : 1;
