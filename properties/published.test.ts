// What refutes a claim under `published` is the mechanism that the claim's page blames, and no other.
import { describe, expect, it } from "vitest";
import { type Policy, published } from "../model/policy.ts";
import { runCampaign } from "./campaign.ts";
import { inProcessRunner } from "./in-process-runner.ts";
import { planArbitrary } from "./plan-arbitrary.ts";
import { modelTarget } from "./targets/model-target.ts";

const invariants = new Set(["committed-blocks"]);
const plans = planArbitrary({ crash: true, exactClock: true, oneTime: true });

async function findingsUnder(policy: Policy) {
  const runner = inProcessRunner(modelTarget(policy), { policy });
  return (await runCampaign(runner, { seed: 1, runs: 1000, plans, invariants })).findings;
}

describe("committed blocks under `published`", () => {
  it("is refuted by a record that ends τ after its reserve, which its commit had found", async () => {
    const [finding] = await findingsUnder(published);
    const done = finding?.history.events.flatMap((event) =>
      event.kind === "completion" ? [{ outcome: event.answer.outcome, atMs: event.atMs }] : [],
    );
    const [first, commit, second] = done ?? [];
    expect([first, commit, second].map((each) => each?.outcome)).toEqual([
      "proceed",
      "done",
      "proceed",
    ]);
    const reservedAtMs = first?.atMs ?? Number.NaN;
    expect(commit?.atMs).toBeLessThan(reservedAtMs + 100);
    expect(second?.atMs).toBeGreaterThanOrEqual(reservedAtMs + 100);
  });

  it("holds once the retention counts from the commit", async () => {
    const name = "published, retention from the commit";
    expect(await findingsUnder({ ...published, name, retentionFrom: "commit" })).toEqual([]);
  });
});
