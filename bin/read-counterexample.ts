// Decides whether a file is a counterexample that can be run again: its schema, and a plan within bounds.
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import type { Plan } from "../properties/plan.ts";
import type { WitnessPlan } from "../properties/results.ts";
import type { SavedGatewayPlan } from "../reports/gateway-counterexample.ts";
import type { SavedRateLimitPlan } from "../reports/rate-limit-counterexample.ts";
import { gatewayPlanSchema } from "./gateway-plan-schema.ts";
import { shown } from "./option-values.ts";
import { list, text, within } from "./plan-bounds.ts";
import { rateLimitPlanSchema } from "./rate-limit-plan-schema.ts";
import { describeError, refuse, type Refusal } from "./refusal.ts";

/** What a rerun needs of a counterexample file. */
export interface SavedCounterexample {
  readonly kind: "read";
  readonly claim: string;
  readonly invariant: string;
  readonly policy: string;
  readonly target: string;
  readonly seed: number;
  readonly path: string;
  readonly plan: Plan | WitnessPlan | SavedGatewayPlan | SavedRateLimitPlan;
  /** The module of a target of one's own, relative to the file's folder; null for built-in ones. */
  readonly targetFile: string | null;
  /** Absolute path of the file itself. */
  readonly file: string;
}

const mostFileBytes = 64 * 1024 * 1024;
const mostKeys = 64;
const mostAttempts = 256;
const mostSteps = 10_000;
const mostChoices = 100_000;
const mostMs = 10 ** 12;
const mostKeyUnits = 64 * 1024;
const mostTextUnits = 1024 * 1024;

export function readCounterexample(file: string, cwd: string): SavedCounterexample | Refusal {
  const field = `FILE=${shown(file)}`;
  const path = resolve(cwd, file);
  let content: string;
  try {
    if (!existsSync(path)) {
      return refuse(`the counterexample does not exist: ${field}; name a .json that verify wrote`);
    }
    const status = statSync(path);
    // A device or a pipe may never end.
    if (!status.isFile()) {
      return refuse(`the counterexample is no file: ${field}; name a .json that verify wrote`);
    }
    const { size } = status;
    if (size > mostFileBytes) {
      return refuse(
        `the counterexample is larger than ${mostFileBytes} bytes: ${field}, size=${size}; name a .json that verify wrote`,
      );
    }
    content = readFileSync(path, "utf8");
  } catch (error) {
    return refuse(
      `the counterexample cannot be read: ${field}, error=${describeError(error)}; name a .json that verify wrote`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    return refuse(
      `the counterexample is no JSON: ${field}, error=${describeError(error)}; name a .json that verify wrote`,
    );
  }
  const parsed = v.safeParse(counterexampleSchema, value, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const place = v.getDotPath(issue) ?? "(the whole)";
    return refuse(
      `the counterexample cannot be run: ${field}, ${place}=${shown(issue.received)} where ${issue.message}; write it anew with verify or check`,
    );
  }
  const { targetFile = null, ...saved } = parsed.output;
  return { kind: "read", file: path, targetFile, ...saved };
}

const callStep = v.strictObject({
  kind: v.picklist(["reserve", "settle", "release"], "reserve, settle or release belongs"),
  attempt: within(0, mostAttempts),
  fault: v.picklist(["none", "lost-before", "lost-after"], "a fault of the plan belongs"),
  overlaps: v.boolean("true or false belongs"),
});

const planStep = v.variant(
  "kind",
  [
    v.strictObject({
      ...callStep.entries,
      kind: v.literal("reserve"),
      otherPayload: v.exactOptional(v.literal(true, "true or nothing belongs")),
    }),
    v.strictObject({
      ...callStep.entries,
      kind: v.literal("settle"),
      otherResponse: v.exactOptional(v.literal(true, "true or nothing belongs")),
    }),
    v.strictObject({ ...callStep.entries, kind: v.literal("release") }),
    v.strictObject({ kind: v.literal("advance"), ms: within(0, mostMs) }),
    v.strictObject({
      kind: v.literal("advance-to-end"),
      attempt: within(0, mostAttempts),
      offsetMs: within(-1, 1),
    }),
    v.strictObject({ kind: v.literal("crash") }),
  ],
  "a step that the plan knows belongs",
);

const plan = v.pipe(
  v.strictObject({
    pendingMs: within(1, mostMs),
    retentionMs: within(1, mostMs),
    keys: list(text(mostKeyUnits), 1, mostKeys),
    attempts: list(
      v.strictObject({
        key: within(0, mostKeys),
        token: text(mostTextUnits),
        fingerprint: text(mostTextUnits),
        effect: v.picklist(
          ["success", "soft-fail", "definite-failure", "unknown"],
          "an outcome of an effect belongs",
        ),
        response: text(mostTextUnits),
      }),
      1,
      mostAttempts,
    ),
    steps: list(planStep, 0, mostSteps),
    schedule: list(within(0, Number.MAX_SAFE_INTEGER), 0, mostChoices),
    beside: v.exactOptional(v.literal(true, "true or nothing belongs")),
  }),
  v.check(
    ({ keys, attempts }) => attempts.every(({ key }) => key < keys.length),
    "each attempt names one of its keys",
  ),
  v.check(
    ({ attempts, steps }) =>
      steps.every((step) => !("attempt" in step) || step.attempt < attempts.length),
    "each step names one of its attempts",
  ),
);

const witnessPlan = v.strictObject({
  kind: v.literal("exhaustive", "exhaustive, gateway or rate-limit belongs"),
  scenario: text(200),
  actions: list(within(0, 2 ** 32 - 1), 0, mostSteps),
});

const counterexampleSchema = v.object({
  schema: v.literal("latchkey.counterexample/1", "latchkey.counterexample/1 belongs"),
  claim: text(200),
  invariant: text(200),
  policy: text(200),
  target: text(1000),
  seed: within(-(2 ** 31), 2 ** 31 - 1),
  path: text(10_000),
  plan: v.lazy((input) => {
    if (typeof input !== "object" || input === null || !("kind" in input)) return plan;
    if (input.kind === "gateway") return gatewayPlanSchema;
    return input.kind === "rate-limit" ? rateLimitPlanSchema : witnessPlan;
  }),
  targetFile: v.optional(text(10_000)),
});
