// How a deployed gateway is set: policy, mode, times, limit and waits, from its environment.
import * as v from "valibot";
import type { GatewayMode } from "../model/gateway-attempt.ts";
import { blockingTimes, policies, type Policy } from "../model/policy.ts";
import type { BlockingTimes } from "../model/vocabulary.ts";
import { readApiKeys, type ApiKey } from "./api-keys.ts";
import { limitBounds, type RateLimit } from "./rate-limit.ts";
import { storeLimits } from "./store-limits.ts";

export interface GatewaySettings {
  readonly policy: Policy;
  readonly mode: GatewayMode;
  /** Whether a committed key answers with the stored response, or with 409 as published. */
  readonly replays: boolean;
  /** Of keys that clients chose: they block for τ. */
  readonly clientTimes: BlockingTimes;
  /** Of keys made of the request: they block for W. */
  readonly windowTimes: BlockingTimes;
  readonly limit: RateLimit;
  readonly apiKeys: readonly ApiKey[];
  readonly waits: Waits;
}

/** How long the gateway waits for each kind of answer, in milliseconds. */
export interface Waits {
  readonly bodyMs: number;
  readonly configMs: number;
  readonly limiterMs: number;
  readonly storeMs: number;
  readonly downstreamMs: number;
  readonly queueMs: number;
}

/** The plain values of a Worker's environment: `vars`, and the secret `API_KEYS`. */
export interface GatewayVars {
  readonly LATCHKEY_POLICY?: string;
  readonly LATCHKEY_MODE?: string;
  readonly LATCHKEY_REPLAY?: string;
  readonly RETENTION_MS?: string;
  readonly WINDOW_MS?: string;
  readonly DEADLINE_MS?: string;
  readonly LAG_MS?: string;
  readonly JUMP_MS?: string;
  readonly RATE_LIMIT?: string;
  readonly RATE_WINDOW_MS?: string;
  readonly BODY_WAIT_MS?: string;
  readonly CONFIG_WAIT_MS?: string;
  readonly LIMITER_WAIT_MS?: string;
  readonly STORE_WAIT_MS?: string;
  readonly DOWNSTREAM_WAIT_MS?: string;
  readonly QUEUE_WAIT_MS?: string;
  readonly API_KEYS?: string;
}

export type SettingsReading =
  | {
      readonly outcome: "settings";
      readonly settings: GatewaySettings;
      /** What the operator should know although the gateway can start; no secret is in it. */
      readonly fault: string | null;
    }
  | { readonly outcome: "refused"; readonly detail: string };

/** The last delivery comes 510 s after the first; D has to cover it, and the execution after it. */
const queueDeadlineMs = "720000";

/** A value that cannot be read refuses all of it: to fall back in silence would be worse. */
export function gatewaySettingsOf(vars: GatewayVars): SettingsReading {
  const reading = v.safeParse(varsSchema, vars, { abortEarly: true });
  if (!reading.success) {
    const [issue] = reading.issues;
    const detail = `the gateway is not configured: ${v.getDotPath(issue) ?? "env"} ${issue.message}`;
    return { outcome: "refused", detail };
  }
  const set = reading.output;
  const policy = policies[set.LATCHKEY_POLICY];
  const deadlineMs =
    set.DEADLINE_MS ?? Number(set.LATCHKEY_MODE === "direct" ? "30000" : queueDeadlineMs);
  const timesFor = (retentionMs: number) => {
    const parameters = { retentionMs, deadlineMs, lagMs: set.LAG_MS, jumpMs: set.JUMP_MS };
    const times = blockingTimes(policy, parameters);
    // As published a reservation may end before its deadline, which nobody honours; the store refuses that.
    return { ...times, deadlineMs: Math.min(times.deadlineMs, times.pendingMs) };
  };
  const { apiKeys, fault } = readApiKeys(vars.API_KEYS);
  return {
    outcome: "settings",
    fault,
    settings: {
      policy,
      mode: set.LATCHKEY_MODE,
      replays: policy.replay && set.LATCHKEY_REPLAY === "on",
      clientTimes: timesFor(set.RETENTION_MS),
      windowTimes: timesFor(set.WINDOW_MS),
      limit: {
        algorithm: policy.rateLimit,
        requests: set.RATE_LIMIT,
        windowMs: set.RATE_WINDOW_MS,
      },
      apiKeys,
      waits: {
        bodyMs: set.BODY_WAIT_MS,
        configMs: set.CONFIG_WAIT_MS,
        limiterMs: set.LIMITER_WAIT_MS,
        storeMs: set.STORE_WAIT_MS,
        downstreamMs: set.DOWNSTREAM_WAIT_MS,
        queueMs: set.QUEUE_WAIT_MS,
      },
    },
  };
}

const whole = v.pipe(
  v.string("must be a string of digits"),
  v.regex(/^[0-9]{1,12}$/, "must be a whole number of 1 to 12 digits"),
  v.transform(Number),
);

function from(least: number, most: number) {
  const range = `must be from ${least} to ${most}`;
  return v.pipe(whole, v.minValue(least, range), v.maxValue(most, range));
}

/** What store, limiter and timers take: past it every request would be refused, or no wait would wait. */
const settingBounds = {
  /** A quarter of the longest time that the store takes, since the pending time is a sum of four. */
  timeMs: storeLimits.transaction.timeMs / 4,
  requests: limitBounds.requests,
  windowMs: limitBounds.windowMs,
  /** A timer that is set for longer ends at once. */
  waitMs: 2 ** 31 - 1,
} as const;

const time = from(1, settingBounds.timeMs);
const margin = from(0, settingBounds.timeMs);
const wait = from(1, settingBounds.waitMs);

const varsSchema = v.object({
  LATCHKEY_POLICY: v.optional(
    v.picklist(["paper", "published", "hardened"], "must be paper, published or hardened"),
    "hardened",
  ),
  LATCHKEY_MODE: v.optional(
    v.picklist(
      ["direct", "queue-everywhere", "queue-failover"],
      "must be direct, queue-everywhere or queue-failover",
    ),
    "direct",
  ),
  LATCHKEY_REPLAY: v.optional(v.picklist(["on", "off"], "must be on or off"), "on"),
  RETENTION_MS: v.optional(time, "300000"),
  WINDOW_MS: v.optional(time, "60000"),
  DEADLINE_MS: v.optional(time),
  LAG_MS: v.optional(margin, "5000"),
  JUMP_MS: v.optional(margin, "5000"),
  RATE_LIMIT: v.optional(from(1, settingBounds.requests), "10"),
  RATE_WINDOW_MS: v.optional(from(1, settingBounds.windowMs), "60000"),
  BODY_WAIT_MS: v.optional(wait, "10000"),
  CONFIG_WAIT_MS: v.optional(wait, "2000"),
  LIMITER_WAIT_MS: v.optional(wait, "2000"),
  STORE_WAIT_MS: v.optional(wait, "5000"),
  DOWNSTREAM_WAIT_MS: v.optional(wait, "30000"),
  QUEUE_WAIT_MS: v.optional(wait, "5000"),
});
