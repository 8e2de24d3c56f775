// How plans are generated: attempts, faults, time steps and schedule, weighted towards trouble.
import fc from "fast-check";
import { longestStrings, longResponses, oddStrings } from "./odd-strings.ts";
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
    tokens: strings(5, { plain: 300, odd: 200, longest: 1 }),
    fingerprints: strings(2, { plain: 300, odd: 200, longest: 1 }),
    steps: fc.array(step(options.crash, 2, pauses), { minLength: 4, maxLength: 18 }),
    schedule: fc.array(fc.nat({ max: 11 }), { maxLength: 10 }),
    beside: flag("beside", 24),
  };
  const oneKey = { attempts: attempts(1), keys: strings(4, { plain: 400, odd: 100, longest: 0 }) };
  const twoKeys = { attempts: attempts(2), keys: strings(4, { plain: 100, odd: 400, longest: 8 }) };
  // Reservations at different times on different keys: their ends differ, alarms move on.
  const fourKeys = {
    attempts: attempts(4).map((seeds) => seeds.map((seed, key) => ({ ...seed, key: key % 4 }))),
    keys: strings(4, { plain: 200, odd: 200, longest: 4 }),
    steps: fc.array(step(options.crash, 8, shortPauses), { minLength: 8, maxLength: 18 }),
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
        steps: startingWithReserve(
          rest.steps.flat().map((planned) => onAttempt(planned, seeds.length)),
        ),
        schedule: rest.schedule,
        ...rest.beside,
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
  pauses: [0, 1, 50, 50, 99, 99, 100, 101, 200, 300],
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
        { weight: 7, arbitrary: fc.constant("success" as const) },
        { weight: 4, arbitrary: fc.constant("soft-fail" as const) },
        { weight: 1, arbitrary: fc.constant("definite-failure" as const) },
        { weight: 1, arbitrary: fc.constant("unknown" as const) },
      ),
      response: responses,
    }),
    { minLength: Math.max(2, keys), maxLength: 5 },
  );
}

const responses = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("200 ok", "201 made", "", "\u0000", "\ud800") },
  { weight: 9, arbitrary: fc.constantFrom(...oddStrings.flat()) },
  { weight: 1, arbitrary: fc.constantFrom(...longResponses) },
);

/** A flag that is there once, and `weight` times left out. */
function flag<Name extends string>(
  name: Name,
  weight: number,
): fc.Arbitrary<{ readonly [Key in Name]?: true }> {
  return fc.oneof(
    { weight, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ [name]: true } as { readonly [Key in Name]: true }) },
  );
}

/**
 * `count` different strings: plain ones mostly, else alike ones that a sloppy store confuses. The
 * longest are in less than one plan of a hundred, for such a plan takes as long as some others.
 */
function strings(
  count: number,
  weights: { readonly plain: number; readonly odd: number; readonly longest: number },
): fc.Arbitrary<readonly string[]> {
  const plain = Array.from({ length: count }, (_, index) => String.fromCharCode(97 + index));
  return fc.oneof(
    { weight: weights.plain, arbitrary: fc.constant(plain) },
    { weight: weights.odd, arbitrary: fc.constantFrom(...oddStrings) },
    { weight: weights.longest, arbitrary: fc.constant(longestStrings) },
    {
      weight: 100,
      arbitrary: fc.uniqueArray(codeUnits, { minLength: count, maxLength: count }),
    },
  );
}

/** Any UTF-16 code units, lone surrogates included, never empty. */
const codeUnits = fc
  .array(fc.nat({ max: 0xffff }), { minLength: 1, maxLength: 6 })
  .map((units) => String.fromCharCode(...units));

const attempt = fc.nat({ max: 59 });

/** One step, or a whole attempt: a reserve and its settlement, taken back perhaps. */
function step(
  crash: boolean,
  pauseWeight: number,
  pauses: readonly number[],
): fc.Arbitrary<readonly PlanStep[]> {
  const single = (weight: number, arbitrary: fc.Arbitrary<PlanStep>) => ({
    weight,
    arbitrary: arbitrary.map((planned) => [planned]),
  });
  return fc.oneof(
    single(6, flagged(call("reserve"), "otherPayload", 8)),
    single(5, flagged(call("settle"), "otherResponse", 4)),
    single(1, call("release")),
    {
      weight: 4,
      arbitrary: fc
        .record({
          place: attempt,
          pauseMs: fc.constantFrom(0, 0, 0, ...pauses),
          takesBack: fc.constantFrom(false, false, false, false, true),
        })
        .map(({ place, pauseMs, takesBack }) => wholeAttempt(place, pauseMs, takesBack)),
    },
    single(
      pauseWeight,
      fc.record({ kind: fc.constant("advance"), ms: fc.constantFrom(...pauses) }),
    ),
    single(
      3,
      fc.record({
        kind: fc.constant("advance-to-end"),
        attempt,
        offsetMs: fc.constantFrom(0, 1, -1),
      }),
    ),
    single(crash ? 1 : 0, fc.record({ kind: fc.constant("crash") })),
  );
}

function wholeAttempt(place: number, pauseMs: number, takesBack: boolean): readonly PlanStep[] {
  const plain = { attempt: place, fault: "none", overlaps: false } as const;
  return [
    { kind: "reserve", ...plain },
    ...(pauseMs === 0 ? [] : [{ kind: "advance", ms: pauseMs } as const]),
    { kind: "settle", ...plain },
    ...(takesBack ? [{ kind: "release", ...plain } as const] : []),
  ];
}

function flagged<Step, Name extends string>(
  steps: fc.Arbitrary<Step>,
  name: Name,
  weight: number,
): fc.Arbitrary<Step & { readonly [Key in Name]?: true }> {
  return fc.tuple(steps, flag(name, weight)).map(([plain, more]) => ({ ...plain, ...more }));
}

function call<Kind extends "reserve" | "settle" | "release">(
  kind: Kind,
): fc.Arbitrary<CallStep<Kind>> {
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
    if (!("fault" in planned)) return planned;
    if (started.has(planned.attempt)) return planned;
    started.add(planned.attempt);
    const { attempt: place, fault, overlaps } = planned;
    return { kind: "reserve", attempt: place, fault, overlaps };
  });
}
