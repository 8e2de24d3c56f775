import { describe, expect, it } from "vitest";
import type { Finding } from "../properties/results.ts";
import { counterexampleJson, evidenceSteps, toCounterexample } from "./counterexample-json.ts";
import { counterexampleMarkdown } from "./counterexample-markdown.ts";
import { zombieFinding } from "./fixtures/zombie-finding.ts";

const names = {
  claim: "at-most-once-acceptance",
  policy: "published",
  target: "durable-object",
  rerun: "npx latchkey rerun out/counterexamples/zombie.json",
  targetFile: null,
};
const sentences = {
  statement: "A key is accepted again only after …",
  source: "seed 000, thesis",
  invariant: "When a key is accepted a second time, …",
};

describe("the counterexample file", () => {
  it("has the members of latchkey.counterexample/1, in the contract's order", () => {
    expect(Object.keys(toCounterexample(zombieFinding, names))).toEqual([
      "schema",
      "claim",
      "invariant",
      "policy",
      "target",
      "seed",
      "path",
      "plan",
      "steps",
      "explanation",
      "length",
      "minimal",
      "rerun",
    ]);
  });

  it("counts its steps and ends with the last evidence", () => {
    const { history } = zombieFinding;
    const probed: Finding = {
      ...zombieFinding,
      history: {
        ...history,
        events: [...history.events, { kind: "size", atMs: 10, size: 1 }],
      },
    };
    const { steps, length } = toCounterexample(probed, names);
    expect(length).toBe(6);
    expect(steps.at(-1)).toMatchObject({ step: 6, at: 10, actor: "attempt C" });
    expect(evidenceSteps(probed)).toEqual([3, 6]);
  });

  it("keeps lone surrogates through a write and a read", () => {
    const odd = "\uD800\u0000__proto__";
    const finding = { ...zombieFinding, plan: { ...zombieFinding.plan, keys: [odd] } };
    const text = counterexampleJson(toCounterexample(finding, names));
    const bytes = new TextEncoder().encode(text);
    const read = JSON.parse(new TextDecoder().decode(bytes)) as { plan: { keys: string[] } };
    expect(read.plan.keys).toEqual([odd]);
  });

  it("says where the module of a target of one's own is", () => {
    const own = { ...names, targetFile: "../../my-target.ts" };
    expect(toCounterexample(zombieFinding, own).targetFile).toBe("../../my-target.ts");
  });
});

describe("the counterexample page", () => {
  const page = (finding: Finding, change: Partial<typeof names> = {}) =>
    counterexampleMarkdown(
      toCounterexample(finding, { ...names, ...change }),
      sentences,
      evidenceSteps(finding),
    );

  it("says who did what, which sentences broke, by what, and how to run it again", () => {
    const text = page(zombieFinding);
    expect(text).toContain("# at-most-once-acceptance is refuted");
    expect(text).toContain("> **Claim at-most-once-acceptance:** A key is accepted again");
    expect(text).toContain("> **Invariant acceptance:** When a key is accepted");
    expect(text).toContain("**What broke.** C was accepted");
    expect(text).toContain("5. At 10 ms **attempt A** releases key 1 → done, although B holds it.");
    expect(text).toContain("6. At 10 ms ⚡ **attempt C** reserves key 1 → proceed.");
    expect(text).toContain("```sh\nnpx latchkey rerun out/counterexamples/zombie.json\n```");
    expect(text).toContain("minimal: no single element of its plan can go");
  });

  it("lets no key, token, payload, target or explanation become markup", () => {
    const evil = "`|<img src=x onerror=alert(1)>\n# title\n[a](b)\uD800\u202E";
    const { plan, history, violation } = zombieFinding;
    const finding: Finding = {
      ...zombieFinding,
      plan: {
        ...plan,
        keys: [evil],
        attempts: plan.attempts.map((attempt) => ({ ...attempt, token: evil, fingerprint: evil })),
      },
      history: {
        ...history,
        events: history.events.map((event) => ("key" in event ? { ...event, key: evil } : event)),
      },
      violation: { ...violation, explanation: `It broke: ${evil}` },
    };
    const text = page(finding, { target: evil, policy: evil });
    const columns = text
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.replaceAll(String.raw`\|`, "").split("|").length);
    expect(new Set(columns)).toEqual(new Set([8, 4]));
    expect(text.replaceAll(/`[^`\n]*`/gu, "")).not.toMatch(
      /<img|\n# title|(?<!\\)\[a(?<!\\)\]\(b\)|\u202E/u,
    );
    expect(text.isWellFormed()).toBe(true);
    expect(text.split("\n").filter((line) => line.startsWith("# "))).toHaveLength(1);
  });
});
