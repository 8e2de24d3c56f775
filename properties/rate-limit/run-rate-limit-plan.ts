// Carries a rate-limit plan out on a limiter, step by step, and writes its history.
import type { AdmissionReply, RateLimit } from "../../impl/rate-limit.ts";
import type { RateLimitEvent, RateLimitHistory } from "./rate-limit-history.ts";
import type { AskStep, RateLimitPlan } from "./rate-limit-plan.ts";

/** The limiters of all tenants, fresh and empty, on a clock that moves by `pass` and `oversleep` alone. */
export interface PlanLimiter {
  /** Sends all of them before any is answered; the replies come in their order. */
  ask(wave: readonly AskStep[], limit: RateLimit): Promise<readonly AdmissionReply[]>;
  /** Rings every alarm due on the way; gives the rows then stored by tenant. */
  pass(ms: number): Promise<readonly number[]>;
  /** Moves the clock on without a ring. */
  oversleep(ms: number): void;
  crash(): Promise<void>;
}

export async function runRateLimitPlan(
  plan: RateLimitPlan,
  algorithm: RateLimit["algorithm"],
  limiter: PlanLimiter,
): Promise<RateLimitHistory> {
  const { limit, windowMs } = plan;
  const rateLimit = { algorithm, requests: limit, windowMs };
  const events: RateLimitEvent[] = [];
  let atMs = 0;
  let wave: AskStep[] = [];
  let waves = 0;
  const answerWave = async (): Promise<void> => {
    if (wave.length === 0) return;
    const replies = await limiter.ask(wave, rateLimit);
    for (const [index, { tenant, isolate }] of wave.entries()) {
      const reply = replies[index];
      if (reply === undefined) throw new Error(`no reply: request=${index} of ${wave.length}`);
      events.push({ kind: "ask", atMs, wave: waves, tenant, isolate, reply });
    }
    waves += 1;
    wave = [];
  };
  const advance = async (ms: number, isProbe: boolean): Promise<void> => {
    const stored = await limiter.pass(ms);
    events.push({ kind: "advance", atMs, ms, stored, isProbe });
    atMs += ms;
  };
  for (const step of plan.steps) {
    if (step.kind === "ask") {
      wave.push(step);
      if (!step.overlaps) await answerWave();
      continue;
    }
    await answerWave();
    if (step.kind === "advance") await advance(step.ms, false);
    if (step.kind === "crash") {
      await limiter.crash();
      events.push({ kind: "crash", atMs });
    }
    if (step.kind === "late-alarm") {
      limiter.oversleep(step.ms);
      events.push({ kind: "late-alarm", atMs, ms: step.ms });
      atMs += step.ms;
    }
  }
  await answerWave();
  await advance(windowMs, true);
  return { limit, windowMs, events };
}
