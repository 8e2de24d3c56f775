// The rate limiter as the pure decisions of `impl/rate-limit.ts` over lists in memory.
import {
  type AdmissionReply,
  decideFixed,
  decideSliding,
  type RateLimit,
} from "../../impl/rate-limit.ts";
import { tenantCount } from "./rate-limit-plan.ts";
import type { PlanLimiter } from "./run-rate-limit-plan.ts";

/** Decides one request of a tenant whose log it may extend; the log is of admissions, oldest first. */
export type DecideRequest = (log: number[], limit: RateLimit, now: number) => AdmissionReply;

/**
 * What is stored is what a limiter that forgets nothing too early would keep: under `sliding-log`
 * a row for each admission in its window, under `fixed-window` one for the window.
 */
export function modelLimiter(decideRequest: DecideRequest = decide): PlanLimiter {
  const logs: number[][] = Array.from({ length: tenantCount }, () => []);
  let last: RateLimit | null = null;
  let now = 0;
  return {
    async ask(wave, limit) {
      last = limit;
      return wave.map(({ tenant }) => decideRequest(logOf(logs, tenant), limit, now));
    },
    async pass(ms) {
      now += ms;
      return logs.map((log) => (last === null ? 0 : rowsOf(log, last, now)));
    },
    oversleep(ms) {
      now += ms;
    },
    async crash() {},
  };
}

function decide(log: number[], limit: RateLimit, now: number): AdmissionReply {
  const reply =
    limit.algorithm === "sliding-log"
      ? decideSliding(limit, log.at(-limit.requests) ?? null, now)
      : decideFixed(limit, windowOf(log, limit.windowMs), now);
  if (reply.outcome === "admitted") log.push(now);
  return reply;
}

/** The newest of the windows, each of which starts at the first admission after the one before. */
function windowOf(log: readonly number[], windowMs: number) {
  let window: { startedAtMs: number; admitted: number } | null = null;
  for (const atMs of log) {
    if (window === null || window.startedAtMs + windowMs <= atMs) {
      window = { startedAtMs: atMs, admitted: 0 };
    }
    window.admitted += 1;
  }
  return window;
}

function rowsOf(log: readonly number[], { algorithm, windowMs }: RateLimit, now: number): number {
  if (algorithm === "sliding-log") return log.filter((atMs) => atMs + windowMs > now).length;
  const window = windowOf(log, windowMs);
  return window !== null && window.startedAtMs + windowMs > now ? 1 : 0;
}

function logOf(logs: readonly number[][], tenant: number): number[] {
  const log = logs[tenant];
  if (log === undefined) throw new Error(`no such tenant: tenant=${tenant}`);
  return log;
}
