// Decides how a test run is summed up: `N passed, N failed` from vitest's JSON report, zero tests being a failure.
import { existsSync, readFileSync } from "node:fs";

const [path = "", label] = process.argv.slice(2);
if (!existsSync(path)) {
  console.error(`the test runner wrote no report: file=${path}; look at its output above`);
  process.exit(1);
}
const report = JSON.parse(readFileSync(path, "utf8"));
const passed = report.numPassedTests;
const skipped = report.numPendingTests + report.numTodoTests;
// A file that does not load has no tests of its own: it counts as one failure.
const unloaded = report.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0,
).length;
const failed = report.numFailedTests + unloaded;
if (passed + failed === 0) {
  console.error("no test was run: passed=0, failed=0; look at vitest.config.ts");
}
const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
console.log(label === undefined ? line : `${label} ${line}`);
process.exitCode = passed > 0 && failed === 0 && report.success ? 0 : 1;
