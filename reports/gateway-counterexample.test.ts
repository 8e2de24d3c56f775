import { describe, expect, it } from "vitest";
import { unknownOutcomeFinding } from "./fixtures/unknown-outcome-finding.ts";
import {
  gatewayCounterexampleMarkdown,
  gatewayEvidence,
  toGatewayCounterexample,
} from "./gateway-counterexample.ts";
import { tellGatewayStory } from "./gateway-story.ts";

const { history, plan } = unknownOutcomeFinding;
const names = {
  claim: "unknown-outcome-executes-once",
  policy: "published",
  target: "gateway",
  rerun: "npx latchkey rerun x.json",
};
const counterexample = toGatewayCounterexample(unknownOutcomeFinding, names);

describe("the story of a gateway history", () => {
  const lines = tellGatewayStory(history, plan).steps.map(
    ({ at, actor, action, detail }) => `${at} ${actor} ${action} → ${detail}`,
  );

  it("says who sent what, what became of it, which fault there was, and what each was told", () => {
    expect(lines).toEqual([
      '0 attempt A sends: buy 0.1 BTC/USDT (live, key "key-1") → the gateway gives it key 1, "key-1:live"',
      "0 attempt A reserves key 1 → proceed",
      "0 downstream executes the trade of attempt A → success, but the reply is lost",
      "0 queue takes message 1, of attempt A → accepted",
      "0 attempt A is answered → 202",
      "1000 clock moves on by 1000 ms → ",
      "1000 queue gives message 1 to delivery 1 → ",
      "1000 delivery 1 looks for a mark → no mark: it may execute",
      "1000 downstream (a late copy) executes the trade of delivery 1, of attempt A → success",
      "1000 delivery 1 dies where it is → ",
    ]);
  });

  it("tells what the store holds, on the clock of the story", () => {
    const { steps } = tellGatewayStory(history, plan);
    expect(steps.map(({ state }) => state).slice(0, 3)).toEqual([
      "nothing",
      "key 1: pending by A until 300000",
      "key 1: pending by A until 300000",
    ]);
  });
});

describe("a gateway counterexample", () => {
  it("ends where it breaks, names the known way, and keeps the plan to run it again", () => {
    expect(counterexample).toMatchObject({
      schema: "latchkey.counterexample/1",
      invariant: "execution/unknown-outcome",
      witness: "unknown outcome",
      plan: { kind: "gateway", mode: "queue-failover", steps: plan.steps },
      length: 9,
      minimal: true,
    });
    expect(gatewayEvidence(unknownOutcomeFinding)).toEqual([3, 9]);
  });

  it("names no way where it is none that is known", () => {
    const { way: _, ...violation } = unknownOutcomeFinding.violation;
    const unnamed = toGatewayCounterexample({ ...unknownOutcomeFinding, violation }, names);
    expect("witness" in unnamed).toBe(false);
  });

  it("reads as a page with the claim, the story, the requests, the clocks and the command", () => {
    const text = gatewayCounterexampleMarkdown(
      counterexample,
      { statement: "The claim.", source: "seed", invariant: "The invariant.", way: "The way." },
      [3, 9],
    );
    expect(text).toContain("> **Claim unknown-outcome-executes-once:** The claim. (seed)");
    expect(text).toContain("> **Invariant execution/unknown-outcome:** The invariant.");
    expect(text).toContain("**Known as unknown outcome.** The way.");
    expect(text).toContain("3. At 0 ms ⚡ **downstream** executes the trade of attempt A");
    expect(text).toContain("4. At 0 ms **the queue** takes message 1");
    expect(text).toContain("The gateway's clock is 5000 ms ahead.");
    expect(text).toContain(
      "| attempt B | buy 0.2 BTC/USDT (test mode, a key of 257 letters a, spelled differently) |",
    );
    expect(text).toContain("npx latchkey rerun x.json");
  });
});
