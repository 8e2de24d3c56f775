import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { planArbitrary } from "../properties/plan-arbitrary.ts";
import { zombieFinding } from "../reports/fixtures/zombie-finding.ts";
import { unknownOutcomeFinding } from "../reports/fixtures/unknown-outcome-finding.ts";
import { counterexampleJson, toCounterexample } from "../reports/counterexample-json.ts";
import { fixedWindowFinding } from "../reports/fixtures/fixed-window-finding.ts";
import { toGatewayCounterexample } from "../reports/gateway-counterexample.ts";
import { toRateLimitCounterexample } from "../reports/rate-limit-counterexample.ts";
import { readCounterexample } from "./read-counterexample.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-read-"));
afterAll(() => rmSync(folder, { recursive: true }));

const good = toCounterexample(zombieFinding, {
  claim: "exclusion",
  policy: "published",
  target: "model",
  rerun: "npx latchkey rerun x.json",
  targetFile: null,
});

function reading(text: string) {
  const file = join(folder, "x.json");
  writeFileSync(file, text);
  return readCounterexample(file, "/");
}

it("reads back what was written, the plan to the unit", () => {
  const read = reading(counterexampleJson(good));
  expect(read).toMatchObject({ kind: "read", seed: 42, targetFile: null, policy: "published" });
  expect("plan" in read ? read.plan : null).toEqual(zombieFinding.plan);
});

it("reads back whatever plan is drawn", () => {
  const plans = planArbitrary({ crash: true, exactClock: true });
  for (const plan of fc.sample(plans, { seed: 1, numRuns: 200 })) {
    const read = reading(JSON.stringify({ ...good, plan }));
    expect("plan" in read ? read.plan : read).toEqual(plan);
  }
});

it("reads calls beyond the course, and the session beside", () => {
  const call = { attempt: 0, fault: "none", overlaps: false } as const;
  const plan = {
    ...zombieFinding.plan,
    beside: true,
    steps: [
      { kind: "reserve", ...call, otherPayload: true },
      { kind: "settle", ...call, otherResponse: true },
      { kind: "release", ...call },
    ],
  };
  const read = reading(JSON.stringify({ ...good, plan }));
  expect("plan" in read ? read.plan : null).toEqual(plan);
});

describe("a file that cannot be run again", () => {
  const { plan } = good;
  const [step] = plan.steps;
  const changed: readonly (readonly [string, unknown, string])[] = [
    ["a list", [], "schema="],
    ["null", null, "(the whole)=null"],
    ["another schema", { ...good, schema: "latchkey.results/1" }, "schema="],
    ["no plan", { ...good, plan: undefined }, "plan="],
    ["no keys", { ...good, plan: { ...plan, keys: [] } }, "plan.keys="],
    ["65 keys", { ...good, plan: { ...plan, keys: Array(65).fill("k") } }, "plan.keys="],
    ["a key of 65537 units", { ...good, plan: { ...plan, keys: ["k".repeat(65_537)] } }, "keys.0="],
    ["a time of zero", { ...good, plan: { ...plan, pendingMs: 0 } }, "plan.pendingMs=0"],
    ["a time of half", { ...good, plan: { ...plan, retentionMs: 0.5 } }, "plan.retentionMs=0.5"],
    ["a time past reason", { ...good, plan: { ...plan, pendingMs: 1e15 } }, "plan.pendingMs="],
    [
      "an attempt on no key",
      { ...good, plan: { ...plan, attempts: [{ ...plan.attempts[0], key: 7 }] } },
      "each attempt names one of its keys",
    ],
    [
      "a step of no attempt",
      { ...good, plan: { ...plan, steps: [{ ...step, attempt: 9 }] } },
      "each step names one of its attempts",
    ],
    [
      "a step of no kind",
      { ...good, plan: { ...plan, steps: [{ kind: "wait" }] } },
      "plan.steps.0",
    ],
    [
      "10001 steps",
      {
        ...good,
        plan: { ...plan, steps: Array.from({ length: 10_001 }, () => ({ kind: "crash" })) },
      },
      "plan.steps=",
    ],
    ["a choice below zero", { ...good, plan: { ...plan, schedule: [-1] } }, "plan.schedule.0=-1"],
    ["a seed of 64 bits", { ...good, seed: 2 ** 40 }, "seed="],
  ];
  it.each(changed)("is refused in one line that names the place: %s", (_, value, says) => {
    const read = reading(JSON.stringify(value));
    expect(read).toMatchObject({ kind: "refused" });
    const message = "message" in read ? read.message : "";
    expect(message).toContain(says);
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThan(500);
  });

  it.each([
    ["", "is no JSON"],
    ["{", "is no JSON"],
    ["\u0000\u0001", "is no JSON"],
  ])("is refused in one line: %j", (text, says) => {
    expect(reading(text)).toMatchObject({ message: expect.stringContaining(says) as string });
  });

  it.each([
    ["nope.json", "does not exist"],
    [".", "is no file"],
    ["/dev/zero", "is no file"],
  ])("is refused in one line: %s", (file, says) => {
    const read = readCounterexample(file, folder);
    expect(read).toMatchObject({ message: expect.stringContaining(says) as string });
  });
});

describe("a counterexample of the gateway", () => {
  const saved = toGatewayCounterexample(unknownOutcomeFinding, {
    claim: "execution",
    policy: "published",
    target: "gateway",
    rerun: "npx latchkey rerun x.json",
  });
  const { plan } = saved;
  const withStep = (step: unknown) => ({ ...saved, plan: { ...plan, steps: [step] } });
  const pass = plan.steps[1];

  it("is read back as it was written", () => {
    expect(reading(counterexampleJson(saved))).toMatchObject({ kind: "read", plan });
  });

  it.each([
    [
      "another kind",
      { ...saved, plan: { ...plan, kind: "door" } },
      'plan.kind="door" where exhaustive, gateway or rate-limit belongs',
    ],
    ["no mode", { ...saved, plan: { ...plan, mode: "qeue" } }, 'plan.mode="qeue"'],
    ["a clock past reason", { ...saved, plan: { ...plan, gatewayAheadMs: 1e12 } }, "AheadMs="],
    ["a field too many", { ...saved, plan: { ...plan, keys: [] } }, "plan.keys="],
    ["a key of its own", { ...saved, plan: { ...plan, requests: [{ clientKey: "k" }] } }, "bearer"],
    ["a step of no kind", withStep({ kind: "wait" }), "plan.steps.0"],
    ["a fault that is none", withStep({ ...pass, fault: "lost" }), 'plan.steps.0.fault="lost"'],
    ["a caller that is nobody", withStep({ ...pass, caller: { who: "me", index: 0 } }), "caller"],
    ["an attempt without a request", withStep({ kind: "start", attempt: 2 }), "its requests"],
    [
      "a caller without a request",
      withStep({ ...pass, caller: { who: "attempt", index: 2 } }),
      "its requests",
    ],
    [
      "1001 steps",
      { ...saved, plan: { ...plan, steps: Array.from({ length: 1001 }, () => pass) } },
      "plan.steps=",
    ],
  ])("with %s is refused in one line that names the place", (_, value, says) => {
    const read = reading(JSON.stringify(value));
    const message = "message" in read ? read.message : "";
    expect(message).toContain(says);
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThan(500);
  });
});

describe("a counterexample of the rate limiter", () => {
  const saved = toRateLimitCounterexample(fixedWindowFinding, {
    claim: "rate-limits-are-atomic",
    policy: "published",
    target: "rate-limiter",
    rerun: "npx latchkey rerun x.json",
  });
  const { plan } = saved;
  const [ask] = plan.steps;
  const withPlan = (given: object) => JSON.stringify({ ...saved, plan: { ...plan, ...given } });

  it("is read back as it was written", () => {
    expect(reading(counterexampleJson(saved))).toMatchObject({ kind: "read", plan });
  });

  it.each([
    ["no place at all", { limit: 0 }, "plan.limit=0"],
    ["a window past reason", { windowMs: 1e12 }, "plan.windowMs="],
    ["a field too many", { keys: [] }, "plan.keys="],
    ["a step of no kind", { steps: [{ kind: "wait" }] }, "plan.steps.0"],
    ["a tenant that is none", { steps: [{ ...ask, tenant: 2 }] }, "plan.steps.0.tenant=2"],
    ["an isolate that is none", { steps: [{ ...ask, isolate: 3 }] }, "plan.steps.0.isolate=3"],
    ["half a millisecond", { steps: [{ kind: "advance", ms: 0.5 }] }, "plan.steps.0.ms=0.5"],
    ["1001 steps", { steps: Array.from({ length: 1001 }, () => ask) }, "plan.steps="],
  ])("with %s is refused in one line that names the place", (_, given, says) => {
    const read = reading(withPlan(given));
    const message = "message" in read ? read.message : "";
    expect(message).toContain(says);
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThan(500);
  });
});
