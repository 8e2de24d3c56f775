import { describe, expect, it } from "vitest";
import { claimRow, mixedResults, violatedResults } from "./fixtures/results.ts";
import { githubAnnotations } from "./github-annotations.ts";
import { indexMarkdown } from "./index-markdown.ts";
import { junitXml } from "./junit.ts";
import { resultsJson } from "./results-json.ts";

const hostile = "]]><x a='1'>&amp;\u0000\u001B\uD800\uFFFF\"\n";

describe("the results as JSON", () => {
  it("have the members of latchkey.results/1", () => {
    const read = JSON.parse(resultsJson(mixedResults)) as typeof mixedResults;
    expect(read).toEqual(mixedResults);
    expect(Object.keys(read)).toEqual(["schema", "seed", "durationMs", "claims", "violations"]);
    expect(Object.keys(read.claims[0] ?? {})).toEqual([
      "id",
      "statement",
      "source",
      "policy",
      "target",
      "verdict",
      "expected",
      "reason",
      "methods",
      "counterexample",
    ]);
  });
});

describe("the results as JUnit", () => {
  it("have one case for each claim × policy × target, failures where a verdict differs", () => {
    const xml = junitXml(mixedResults);
    expect(xml.match(/<testcase /gu)).toHaveLength(mixedResults.claims.length);
    expect(xml.match(/<failure /gu)).toHaveLength(1);
    expect(xml.match(/<skipped\/>/gu)).toHaveLength(1);
    expect(xml).toContain('<testsuites tests="20" failures="1" errors="0" skipped="1">');
  });

  it("say why a verdict is inconclusive, also where that is expected", () => {
    expect(junitXml(mixedResults)).toContain("Reason: never exercised in 3000 histories.");
  });

  it.each([
    ["ordinary", mixedResults],
    ["of check", violatedResults],
    [
      "hostile",
      {
        ...mixedResults,
        claims: [
          claimRow({ id: hostile, statement: hostile, target: hostile, verdict: "refuted" }),
        ],
      },
    ],
  ] as const)("are well-formed XML: %s", (_, results) => {
    expect(problemOfXml(junitXml(results))).toBeNull();
  });
});

describe("the results as annotations", () => {
  it("are one line for each verdict that differs, with file and title", () => {
    expect(githubAnnotations(mixedResults, null)).toMatch(/^::error title=soft-fail[^\n]*\n$/u);
    const [line, rest] = githubAnnotations(violatedResults, "a,b:c.ts").split("\n");
    expect(line).toContain("::error file=a%2Cb%3Ac.ts,title=ownership is refuted%2C");
    expect(rest).toBe("");
  });
});

describe("the first page", () => {
  it("links each refuted verdict to its story and escapes what others wrote", () => {
    const text = indexMarkdown(violatedResults, () => "counterexamples/x.md");
    expect(text).toContain("- [ownership](counterexamples/x.md): A's release");
    expect(text).not.toContain("<b>");
    expect(text).toContain(String.raw`my \| store`);
  });
});

/** What is wrong with an XML document: strict on characters, nesting, attributes and references. */
function problemOfXml(xml: string): string | null {
  // eslint-disable-next-line no-control-regex -- these are the characters that XML forbids
  if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/u.test(xml)) {
    return "a character that XML forbids";
  }
  const open: string[] = [];
  let rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/u, "");
  while (rest !== "") {
    const token =
      /^<!\[CDATA\[[\s\S]*?\]\]>|^<\/([\w-]+)>|^<([\w-]+)((?: [\w-]+="(?:[^<&"]|&(?:amp|lt|gt|quot|apos|#\d+|#x[\dA-Fa-f]+);)*")*)(\/?)>|^(?:[^<&\]]|&(?:amp|lt|gt|quot|apos);|\](?!\]>))+/u.exec(
        rest,
      );
    if (token === null) return `at: ${rest.slice(0, 60)}`;
    const [whole, closing, opening, , selfClosing] = token;
    if (closing !== undefined && open.pop() !== closing) return `closes ${closing} wrongly`;
    if (opening !== undefined && selfClosing === "") open.push(opening);
    rest = rest.slice(whole.length);
  }
  return open.length === 0 ? null : `left open: ${open.join(", ")}`;
}
