import { describe, expect, it } from "vitest";
import { codeSpan, proseMarkdown, showText, visibleLine } from "./show-text.ts";

const hostile = [
  "`code`",
  "a | b",
  "line\nbreak\r\n",
  "\uD800",
  "\u202Eright to left",
  "\u0000\u001B[31m",
  "<script>alert(1)</script>",
  "![x](javascript:alert(1))",
  "**bold** _it_ ~~no~~",
  "```\nfence\n```",
  '"quoted" \\ back',
  "\u2028\u2029\u0085",
  "&lt;b&gt;",
];

describe("showText", () => {
  it.each(hostile)("shows %j as printable ASCII on one line", (text) => {
    expect(showText(text)).toMatch(/^"[ -~]*"$/u);
  });

  it("tells texts apart that differ only in Unicode normal form, case or spaces", () => {
    const shown = ["é", "e\u0301", "E", "e", "e ", " e"].map(showText);
    expect(new Set(shown).size).toBe(6);
  });

  it("abbreviates a long text and says how long it is", () => {
    const shown = showText(`${"a".repeat(70_000)}z`);
    expect(shown).toContain("(70001 units)");
    expect(shown.length).toBeLessThan(80);
  });
});

describe("codeSpan", () => {
  it.each(hostile)("leaves nothing in %j that ends the span or a table's cell", (text) => {
    const span = codeSpan(text);
    expect(span.slice(1, -1)).not.toMatch(/[`|\n\r]/u);
    expect(span.startsWith("`") && span.endsWith("`")).toBe(true);
  });
});

describe("proseMarkdown", () => {
  it.each(hostile)("leaves no markup in %j", (text) => {
    const prose = proseMarkdown(text);
    expect(prose).not.toMatch(/[<>\n\r]/u);
    expect(prose).not.toMatch(/(?<!\\)[`*_[\]|~]/u);
    expect(prose).not.toMatch(/&(?!amp;|lt;|gt;)/u);
  });

  it.each(["- item", "= title", "1. item", "2) item"])("does not begin a block with %j", (text) => {
    expect(proseMarkdown(text)).not.toMatch(/^(?:[-=]|\d+[.)])/u);
  });

  it.each(["# title", "+ item", "> quote"])("does not begin a block with %j either", (text) => {
    expect(proseMarkdown(text)).not.toMatch(/^[#+>]/u);
  });

  it("leaves an ordinary sentence as it is", () => {
    const sentence = "C was accepted at 10 ms, although B (accepted at 0 ms) held it: 100% so.";
    expect(proseMarkdown(sentence)).toBe(sentence);
  });
});

describe("visibleLine", () => {
  it("keeps one line, with control characters escaped", () => {
    expect(visibleLine(" a\n\tb \u001B[31m\uDC00 ")).toBe(String.raw`a b \u001b[31m\udc00`);
  });
});
