import { describe, expect, it } from "vitest";
import type { ExportInvocation } from "./export-command.ts";
import { exportedText } from "./export.ts";

const exported = async (options: Partial<ExportInvocation>) => {
  const text = await exportedText({
    format: "promela",
    policy: "published",
    scenarioId: null,
    attempts: null,
    ...options,
  });
  return typeof text === "string" ? { text, message: "" } : { text: "", message: text.message };
};

describe("what is exported", () => {
  it("is for SPIN, under a head with policy, bounds, verdicts, how to run it and the counts", async () => {
    const { text } = await exported({ scenarioId: "published-execution" });
    expect(text.slice(0, text.indexOf("\n\n"))).toMatchInlineSnapshot(`
      "// published-execution, exported from Latchkey for SPIN.
      // Policy published: two attempts, any faults.
      // Bounds: attempts=2 mode=direct keys=client; in ticks τ=2 D=1 ε=0 S=0.
      // Faults, how often in one history ("any" keeps no count): lostCall=any lostReply=any delay=any
      //   storeUnavailable=any notConnected=any softFail=any unclear=any stop=any forged=any duplicate=1.
      // A history ends where an invariant breaks: \`broken\` names the one that did.
      // Latchkey says refuted: execution (in 5 steps).
      // Run: spin -o1 -o2 -a FILE && gcc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000 -c0
      // -c0 counts on past the first error; errors: 0 means that every assertion holds.
      // -o1 and -o2 keep SPIN from dropping variables that no guard reads: they are part of our states.
      // Latchkey counts 14090 states, 52596 edges, 1509 ends;
      // SPIN must count 14090 states, stored, and 54106 transitions."
    `);
    expect(text).toMatch(/assert\(.*broken_execution/u);
  });

  it("is for Rumur, with the attempts as a scalarset and both counts", async () => {
    const { text } = await exported({ format: "murphi", scenarioId: "published-isolation" });
    expect(text.slice(0, text.indexOf("\n\n"))).toMatchInlineSnapshot(`
      "-- published-isolation, exported from Latchkey for Rumur.
      -- Policy published: client keys that are not valid.
      -- Bounds: attempts=2 mode=direct keys=invalid-client; in ticks τ=2 D=1 ε=0 S=0.
      -- Faults, how often in one history ("any" keeps no count): otherPayload=1.
      -- A history ends where an invariant breaks: \`broken\` names the one that did.
      -- Latchkey says refuted: isolation (in 2 steps).
      -- With --symmetry-reduction exhaustive Latchkey counts 87 states, 153 rules fired.
      -- Rumur ends at the first error: its counts are ours once the invariants are taken out.
      -- Run: rumur --symmetry-reduction off --deadlock-detection off --value-type int32_t --output model.c FILE
      --      gcc -O3 -march=native -mcx16 -o model model.c -lpthread && ./model
      -- With --symmetry-reduction exhaustive states that differ by a permutation of the attempts count as one.
      -- Latchkey counts, and Rumur must: 169 states, 296 rules fired."
    `);
    expect(text).toContain("attempt: scalarset(2);");
    expect(text).toContain('invariant "isolation"');
  });

  it("is a drawing, where it is small enough", async () => {
    const { text } = await exported({ format: "dot", scenarioId: "published-isolation" });
    expect(text).toContain("// Latchkey says refuted: isolation (in 2 steps).");
    expect(text).toContain('digraph "published-isolation" {');
    expect(text.match(/^ {2}s\d+ \[/gm)).toHaveLength(87);
  });

  it("is the policy's first scenario, with other attempts where they are asked for", async () => {
    const { text } = await exported({ format: "dot", policy: "hardened", attempts: 1 });
    expect(text).toContain("hardened-three, exported from Latchkey for Graphviz.");
    expect(text).toContain("Bounds: attempts=1 ");
    expect(text.match(/^ {2}s\d+ \[/gm)).toHaveLength(410);
  });

  it("is not counted beyond half a million states, and says so", async () => {
    const { text } = await exported({ policy: "hardened", scenarioId: "hardened-three" });
    expect(text).toContain("// Not counted here: it has more than 500000 states.");
    expect(text).not.toContain("SPIN must count");
    expect(text).toContain("no-stuck-key; the Murphi export has it");
  });
});

describe("what is not exported", () => {
  it.each([["nope"], [""], ["__proto__"], ["hardened-three"]])(
    "is a scenario that the policy does not have, %j: those that it has are listed",
    async (scenarioId) => {
      const { message } = await exported({ scenarioId });
      expect(message).toMatch(
        /^no such scenario: --scenario=\S+ --policy=published; take one of published-acceptance, published-execution, /u,
      );
    },
  );

  it.each(["promela", "murphi", "dot"] as const)(
    "is a system whose states are wider than those that are searched, as %s",
    async (format) => {
      const scenarioId = "hardened-queue-copies";
      const { message } = await exported({ format, policy: "hardened", scenarioId, attempts: 8 });
      expect(message).toBe(
        "past a bound of the search, words=9 of a state are more than 8: --scenario=hardened-queue-copies attempts=8; lower --attempts, or take another scenario",
      );
    },
  );

  it("is a drawing that nobody can read", async () => {
    const { message } = await exported({ format: "dot", scenarioId: "published-execution" });
    expect(message).toBe(
      "more than states=600, which nobody can read as a drawing: --scenario=published-execution attempts=2; lower --attempts, or take another scenario or format",
    );
  });
});
