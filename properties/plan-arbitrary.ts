// How plans are generated: attempts, faults, time steps and schedule, weighted towards trouble.
import fc from "fast-check";
import { oddStrings } from "./odd-strings.ts";
import type { CallStep, Plan, PlannedAttempt, PlanStep } from "./plan.ts";
import type { TargetCapabilities } from "./target.ts";

export interface PlanOptions extends Pick<TargetCapabilities, "crash" | "exactClock"> {
  /** Pending and committed records block equally long, as in a policy that knows one τ only. */
  readonly oneTime?: boolean;
}

/** Plans of 2–5 attempts on 1–4 keys; every choice is data, so that all of it shrinks together. */
export function planArbitrary(options: PlanOptions): fc.Arbitrary<Plan> {
  const { times, pauses, shortPauses } = options.exactClock ? exact : inexact;
  const common = {
    times: options.oneTime === true ? fc.constant(times[0]) : fc.constantFrom(...times),
    tokens: strings(5, { plain: 3, odd: 2 }),
    fingerprints: strings(2, { plain: 3, odd: 2 }),
    steps: fc.array(step(options.crash, 2, pauses), { minLength: 4, maxLength: 16 }),
    schedule: fc.array(fc.nat({ max: 11 }), { maxLength: 10 }),
  };
  const oneKey = { attempts: attempts(1), keys: strings(4, { plain: 4, odd: 1 }) };
  const twoKeys = { attempts: attempts(2), keys: strings(4, { plain: 1, odd: 4 }) };
  // Reservations at different times on different keys: their ends differ, alarms move on.
  const fourKeys = {
    attempts: attempts(4).map((seeds) => seeds.map((seed, key) => ({ ...seed, key: key % 4 }))),
    keys: strings(4, { plain: 2, odd: 2 }),
    steps: fc.array(step(options.crash, 8, shortPauses), { minLength: 8, maxLength: 16 }),
  };
  return fc
    .oneof(
      { weight: 5, arbitrary: fc.record({ ...common, ...oneKey }) },
      { weight: 3, arbitrary: fc.record({ ...common, ...twoKeys }) },
      { weight: 2, arbitrary: fc.record({ ...common, ...fourKeys }) },
    )
    .map(
      ({
        times: [pendingMs, retentionMs],
        attempts: seeds,
        keys,
        tokens,
        fingerprints,
        ...rest
      }) => ({
        pendingMs,
        retentionMs,
        keys,
        attempts: seeds.map(({ fingerprint, ...seed }, index): PlannedAttempt => ({
          ...seed,
          token: tokens[index] ?? "",
          fingerprint: fingerprints[fingerprint] ?? "",
        })),
        steps: startingWithReserve(rest.steps.map((planned) => onAttempt(planned, seeds.length))),
        schedule: rest.schedule,
      }),
    );
}

/** [pendingMs, retentionMs]: either may be the larger. */
const exact = {
  times: [
    [100, 100],
    [300, 100],
    [100, 300],
  ] as const,
  pauses: [0, 1, 50, 99, 100, 101, 200, 300],
  shortPauses: [1, 10, 30],
};

/** Where time passes by itself, blocking lasts long and no step ends near an edge. */
const inexact = {
  times: [
    [1000, 1000],
    [2000, 1000],
    [1000, 2000],
  ] as const,
  pauses: [0, 400, 2400],
  shortPauses: [200],
};

interface AttemptSeed extends Omit<PlannedAttempt, "token" | "fingerprint"> {
  readonly fingerprint: number;
}

function attempts(keys: number): fc.Arbitrary<AttemptSeed[]> {
  return fc.array(
    fc.record({
      key: fc.nat({ max: keys - 1 }),
      fingerprint: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.constant(1) },
      ),
      effect: fc.oneof(
        { weight: 5, arbitrary: fc.constant("success" as const) },
        { weight: 4, arbitrary: fc.constant("soft-fail" as const) },
        { weight: 1, arbitrary: fc.constant("definite-failure" as const) },
        { weight: 1, arbitrary: fc.constant("unknown" as const) },
      ),
      response: fc.constantFrom("200 ok", "201 made", "", "\u0000", "\ud800"),
    }),
    { minLength: Math.max(2, keys), maxLength: 5 },
  );
}

/** `count` different strings: plain ones mostly, else alike ones that a sloppy store confuses. */
function strings(
  count: number,
  weights: { readonly plain: number; readonly odd: number },
): fc.Arbitrary<readonly string[]> {
  const plain = Array.from({ length: count }, (_, index) => String.fromCharCode(97 + index));
  return fc.oneof(
    { weight: weights.plain, arbitrary: fc.constant(plain) },
    { weight: weights.odd, arbitrary: fc.constantFrom(...oddStrings) },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(codeUnits, { minLength: count, maxLength: count }),
    },
  );
}

/** Any UTF-16 code units, lone surrogates included, never empty. */
const codeUnits = fc
  .array(fc.nat({ max: 0xffff }), { minLength: 1, maxLength: 6 })
  .map((units) => String.fromCharCode(...units));

const attempt = fc.nat({ max: 59 });

function step(
  crash: boolean,
  pauseWeight: number,
  pauses: readonly number[],
): fc.Arbitrary<PlanStep> {
  return fc.oneof(
    { weight: 6, arbitrary: call("reserve") },
    { weight: 6, arbitrary: call("settle") },
    {
      weight: pauseWeight,
      arbitrary: fc.record({ kind: fc.constant("advance"), ms: fc.constantFrom(...pauses) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("advance-to-end"),
        attempt,
        offsetMs: fc.constantFrom(0, 1, -1),
      }),
    },
    { weight: crash ? 1 : 0, arbitrary: fc.record({ kind: fc.constant("crash") }) },
  );
}

function call<Kind extends "reserve" | "settle">(kind: Kind): fc.Arbitrary<CallStep<Kind>> {
  return fc.record({
    kind: fc.constant(kind),
    attempt,
    fault: fc.oneof(
      { weight: 8, arbitrary: fc.constant("none" as const) },
      { weight: 1, arbitrary: fc.constant("lost-before" as const) },
      { weight: 1, arbitrary: fc.constant("lost-after" as const) },
    ),
    overlaps: fc.oneof(
      { weight: 3, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  });
}

/** Attempts are drawn before their number is known; 60 is divisible by 2, 3, 4 and 5. */
function onAttempt(planned: PlanStep, count: number): PlanStep {
  return "attempt" in planned ? { ...planned, attempt: planned.attempt % count } : planned;
}

/** An attempt's first call is a reserve: a settlement before it would be passed over. */
function startingWithReserve(steps: readonly PlanStep[]): PlanStep[] {
  const started = new Set<number>();
  return steps.map((planned) => {
    if (planned.kind !== "reserve" && planned.kind !== "settle") return planned;
    if (started.has(planned.attempt)) return planned;
    started.add(planned.attempt);
    return { ...planned, kind: "reserve" };
  });
}
