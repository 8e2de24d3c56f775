import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { zombieFinding } from "../reports/fixtures/zombie-finding.ts";
import { claimRow, mixedResults } from "../reports/fixtures/results.ts";
import { pathFrom, prepareOutputPaths } from "./output-paths.ts";
import { writeReport } from "./write-report.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "latchkey-out-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const none = { jsonFile: null, junitFile: null };

describe("paths for results", () => {
  it("are made where they are missing, and no file is left behind", () => {
    const paths = prepareOutputPaths(
      { outDir: "a/b", jsonFile: "c/r.json", junitFile: null },
      folder,
    );
    expect(paths).toMatchObject({ kind: "writable", outDir: join(folder, "a/b") });
    expect(readdirSync(join(folder, "c"))).toEqual([]);
  });

  it("are refused before any work where they cannot be written", () => {
    writeFileSync(join(folder, "file"), "kept");
    const cases = [
      [{ outDir: "file", ...none }, "the folder is a file: --out=file"],
      [{ outDir: "file/below", ...none }, "--out=file/below"],
      [{ outDir: "/proc/nope", ...none }, "--out=/proc/nope"],
      [{ outDir: "o", jsonFile: ".", junitFile: null }, "the file is a folder: --json=."],
      [{ outDir: "o", jsonFile: null, junitFile: "file/x.xml" }, "--junit=file/x.xml"],
      [{ outDir: "o", jsonFile: "same", junitFile: "same" }, "two results would share one file"],
    ] as const;
    for (const [wanted, says] of cases) {
      const paths = prepareOutputPaths(wanted, folder);
      expect(paths).toMatchObject({ message: expect.stringContaining(says) as string });
      expect("message" in paths ? paths.message : "\n").not.toContain("\n");
    }
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("kept");
  });

  it("are shown as typed from the working folder, with forward slashes", () => {
    expect(pathFrom("/a/b", "/a/b/c/d.json")).toBe("c/d.json");
    expect(pathFrom("/a/b", "/a/x.json")).toBe("/a/x.json");
  });
});

describe("a report", () => {
  const write = () => {
    const paths = prepareOutputPaths(
      { outDir: "out", jsonFile: "r.json", junitFile: "r.xml" },
      folder,
    );
    if (paths.kind === "refused") throw new Error(paths.message);
    const target = "a/../b:c";
    const finding = { claim: "exclusion", policy: "published", target, finding: zombieFinding };
    const claims = [claimRow({ id: "exclusion", policy: "published", target })];
    return writeReport(
      {
        results: { ...mixedResults, claims },
        findings: [finding],
        gatewayFindings: [],
        rateLimitFindings: [],
        witnesses: [],
      },
      { paths, cwd: folder, targetPath: join(folder, "my target.ts") },
    );
  };

  it("is results, first page and two files for each counterexample", () => {
    const { results, index, refusal } = write();
    expect(refusal).toBeNull();
    expect(index).toBe("out/index.md");
    expect(results.claims[0]?.counterexample).toBe(
      "out/counterexamples/published-a-b-c-exclusion.json",
    );
    expect(readdirSync(join(folder, "out")).sort()).toEqual([
      "counterexamples",
      "index.md",
      "results.json",
    ]);
    expect(readdirSync(join(folder, "out/counterexamples")).sort()).toEqual([
      "published-a-b-c-exclusion.json",
      "published-a-b-c-exclusion.md",
    ]);
    expect(existsSync(join(folder, "r.json")) && existsSync(join(folder, "r.xml"))).toBe(true);
    const json = readFileSync(join(folder, "out/counterexamples/published-a-b-c-exclusion.json"));
    expect(JSON.parse(json.toString())).toMatchObject({ targetFile: "../../my target.ts" });
    const page = readFileSync(join(folder, "out/index.md"), "utf8");
    expect(page).toContain("(counterexamples/published-a-b-c-exclusion.md)");
  });

  it("takes away counterexamples of an earlier run and nothing else", () => {
    write();
    const counterexamples = join(folder, "out/counterexamples");
    const former = join(counterexamples, "published-a-b-c-exclusion.json");
    writeFileSync(join(counterexamples, "former.json"), readFileSync(former));
    writeFileSync(join(counterexamples, "former.md"), "former");
    writeFileSync(join(counterexamples, "mine.json"), "{}");
    write();
    expect(readdirSync(counterexamples).sort()).toEqual([
      "mine.json",
      "published-a-b-c-exclusion.json",
      "published-a-b-c-exclusion.md",
    ]);
  });
});
