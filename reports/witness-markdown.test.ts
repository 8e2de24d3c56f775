import { describe, expect, it } from "vitest";
import { toWitnessCounterexample, witnessMarkdown } from "./witness-markdown.ts";

const step = (number: number, action: string) => ({
  step: number,
  at: number,
  actor: "attempt A",
  action,
  detail: "got | an answer",
  state: "record=pending",
});

const counterexample = toWitnessCounterexample(
  {
    claim: "execution",
    invariant: "execution",
    statement: "No two executions.",
    policy: "published",
    seed: 7,
    rerun: "npx latchkey rerun x.json",
  },
  {
    scenario: "published-execution",
    steps: [step(1, "start"), step(2, "`execute`")],
    actions: [3, 1],
  },
);

describe("a witness of the exhaustive search", () => {
  it("is a counterexample that names its search and its actions", () => {
    expect(counterexample).toMatchObject({
      schema: "latchkey.counterexample/1",
      target: "model",
      plan: { kind: "exhaustive", scenario: "published-execution", actions: [3, 1] },
      length: 2,
      minimal: true,
      explanation: "After step 2 this no longer holds: No two executions.",
    });
  });

  it("reads as a numbered story that ends where the invariant breaks, and says how to rerun it", () => {
    const text = witnessMarkdown(counterexample, {
      statement: "The claim.",
      source: "seed",
      invariant: "No two executions.",
    });
    expect(text).toContain("2 steps, and no shorter path breaks it");
    expect(text).toContain("1. At tick 1 **attempt A** start");
    expect(text).toContain("| ⚡ 2 | 2 |");
    expect(text).toContain("npx latchkey rerun x.json");
    // A pipe or a backtick of the system's text must not end a cell or open a code span.
    expect(text).not.toMatch(/got \| an/u);
  });
});
