// Runs a plan on a target, step by step as its schedule says, and records the history.
import { hardened } from "../model/policy.ts";
import {
  type AttemptKnowledge,
  type AttemptRules,
  initialKnowledge,
  mayReserve,
  nextMove,
} from "./attempt-rules.ts";
import { checkedSize, TargetFault } from "./checked-answers.ts";
import type { History, HistoryEvent, StoreCall } from "./history.ts";
import type { CallFault, CallStep, Plan, PlannedAttempt, PlanStep } from "./plan.ts";
import { installSchedulePoints, type SchedulePoints } from "./schedule-points.ts";
import { openSession } from "./open-session.ts";
import { OperationsUnderWay } from "./operations-under-way.ts";
import { knowledgeAfter, knowledgeOnceAnswered, strayCall, type StrayStep } from "./stray-calls.ts";
import type { StoreSession, StoreTarget } from "./target.ts";

export interface RunOptions {
  /** How attempts behave; `hardened` unless told. */
  readonly rules?: AttemptRules;
  /** How long an operation may take in real time before that is a fault of the target. */
  readonly answerBoundMs?: number;
  /** Replaces the timers that the target sees; by default those of `globalThis`. */
  readonly installSchedulePoints?: () => SchedulePoints;
}

/** A run of one plan: never rejects for what the target does; that is recorded instead. */
export async function runPlan(
  target: StoreTarget,
  plan: Plan,
  options: RunOptions = {},
): Promise<History> {
  const run = new PlanRun(target, plan, options);
  await run.whole();
  return {
    pendingMs: plan.pendingMs,
    retentionMs: plan.retentionMs,
    capabilities: target.capabilities,
    events: run.events,
    plannedEvents: run.plannedEvents ?? run.events.length,
  };
}

/** The default of `answerBoundMs`, real milliseconds. */
const defaultAnswerBoundMs = 5_000;

class PlanRun {
  readonly events: HistoryEvent[] = [];
  /** Null where the run did not come to the end of its plan. */
  plannedEvents: number | null = null;
  readonly #target: StoreTarget;
  readonly #plan: Plan;
  readonly #rules: AttemptRules;
  readonly #knowledge: AttemptKnowledge[];
  readonly #blockedUntilMs = new Map<string, number>();
  readonly #underWay: OperationsUnderWay;
  readonly #points: SchedulePoints;
  #nowMs = 0;
  #operations = 0;
  #choices = 0;

  constructor(target: StoreTarget, plan: Plan, options: RunOptions) {
    this.#target = target;
    this.#plan = plan;
    this.#rules = options.rules ?? hardened;
    this.#knowledge = plan.attempts.map(() => initialKnowledge);
    this.#points = (options.installSchedulePoints ?? installSchedulePoints)();
    this.#underWay = new OperationsUnderWay(
      this.#points,
      options.answerBoundMs ?? defaultAnswerBoundMs,
      () => this.#choose(),
    );
  }

  async whole(): Promise<void> {
    let session: StoreSession | null = null;
    try {
      const opened = await this.#underWay.whole("open", () =>
        openSession(this.#target, this.#plan),
      );
      session = opened;
      for (const step of this.#plan.steps) {
        const waiting = this.#step(opened, step);
        // An await of nothing would cost a microtask, in which a short gap closes.
        if (waiting !== null) await waiting;
      }
      await this.#epilogue(opened);
    } catch (error) {
      if (!(error instanceof TargetFault)) throw error;
      this.#record({
        kind: "target-fault",
        atMs: this.#nowMs,
        operation: error.operation,
        problem: error.problem,
        detail: error.detail,
      });
    } finally {
      this.#points.uninstall();
      await this.#close(session);
    }
  }

  /** Null where the next step follows in the same synchronous turn. */
  #step(session: StoreSession, step: PlanStep): Promise<void> | null {
    switch (step.kind) {
      case "reserve":
        return step.otherPayload ? this.#stray(session, step) : this.#reserve(session, step);
      case "settle":
        return step.otherResponse ? this.#stray(session, step) : this.#settle(session, step);
      case "release":
        return this.#stray(session, step);
      case "advance":
        return this.#advance(session, step.ms);
      case "advance-to-end":
        return this.#advanceToEnd(session, step.attempt, step.offsetMs);
      case "crash":
        return this.#crash(session);
    }
  }

  #reserve(session: StoreSession, step: CallStep<"reserve">): Promise<void> | null {
    const attempt = this.#plan.attempts[step.attempt];
    const knowledge = this.#knowledge[step.attempt];
    if (attempt === undefined || knowledge === undefined) return null;
    if (!mayReserve(this.#rules, knowledge)) return null;
    this.#learn(step.attempt, { reserve: knowledge.accepted ? knowledge.reserve : "waiting" });
    const key = this.#keyOf(attempt);
    const { token, fingerprint } = attempt;
    const call: StoreCall = { call: "reserve", attempt: step.attempt, key, token, fingerprint };
    return this.#call(session, call, step.fault, step.overlaps);
  }

  #settle(session: StoreSession, step: CallStep<"settle">): Promise<void> | null {
    const attempt = this.#plan.attempts[step.attempt];
    const knowledge = this.#knowledge[step.attempt];
    if (attempt === undefined || knowledge === undefined) return null;
    const move = nextMove(this.#rules, knowledge, attempt.effect);
    if (move.kind === "nothing") return null;
    const key = this.#keyOf(attempt);
    if (move.kind === "act-only" || move.acts) {
      this.#learn(step.attempt, { acted: true });
      this.#record({
        kind: "effect",
        atMs: this.#nowMs,
        attempt: step.attempt,
        key,
        outcome: attempt.effect,
        executed: attempt.effect === "success" || attempt.effect === "unknown",
      });
    }
    if (move.kind === "act-only") return null;
    this.#learn(step.attempt, { settlement: move.call });
    const { token, fingerprint, response } = attempt;
    const call: StoreCall =
      move.call === "commit"
        ? { call: "commit", attempt: step.attempt, key, token, fingerprint, response }
        : { call: "release", attempt: step.attempt, key, token };
    return this.#call(session, call, step.fault, step.overlaps);
  }

  #call(
    session: StoreSession,
    call: StoreCall,
    fault: CallFault,
    overlaps: boolean,
  ): Promise<void> | null {
    if (fault === "lost-before") {
      this.#record({ kind: "lost-call", atMs: this.#nowMs, ...call });
      if (call.call === "reserve") this.#learnNoAnswer(call.attempt);
      return null;
    }
    const operation = this.#operations++;
    const atMs = this.#nowMs;
    this.#record({ kind: "invocation", atMs, operation, ...call });
    const delivered = fault === "none";
    const started = this.#underWay.start(session, call, (answer) => {
      this.#record({ kind: "completion", atMs: this.#nowMs, operation, answer, delivered });
      this.#follow(call, answer.outcome, delivered);
    });
    if (!overlaps) return this.#underWay.until(started);
    const pauseTicks = this.#choose() % longestPauseTicks;
    return pauseTicks === 0 ? null : this.#underWay.tick(pauseTicks);
  }

  /** A call beyond the attempt's course; where it makes none, the step is a plain one. */
  #stray(session: StoreSession, step: StrayStep): Promise<void> | null {
    const attempt = this.#plan.attempts[step.attempt];
    const knowledge = this.#knowledge[step.attempt];
    if (attempt === undefined || knowledge === undefined) return null;
    const call = strayCall(this.#rules, knowledge, step, attempt, this.#keyOf(attempt));
    if (call === null) return this.#plain(session, step);
    if (call.call === "reserve") return this.#askOtherwise(session, step, call);
    this.#learn(step.attempt, knowledgeAfter(knowledge, step));
    return this.#call(session, call, step.fault, step.overlaps);
  }

  /** Beside a commit that is under way, another payload would make that commit's payload another. */
  async #askOtherwise(session: StoreSession, step: StrayStep, call: StoreCall): Promise<void> {
    await this.#underWay.untilNone();
    const knowledge = this.#knowledge[step.attempt];
    if (knowledge !== undefined) this.#learn(step.attempt, knowledgeAfter(knowledge, step));
    await this.#call(session, call, step.fault, step.overlaps);
  }

  #plain(session: StoreSession, step: StrayStep): Promise<void> | null {
    if (step.kind === "reserve") return this.#reserve(session, step);
    return step.kind === "settle" ? this.#settle(session, step) : null;
  }

  /** What an answer tells the attempt, and the run's own idea of when the key's blocking ends. */
  #follow(call: StoreCall, outcome: string, delivered: boolean): void {
    const { pendingMs, retentionMs } = this.#plan;
    if (outcome === "done") {
      if (call.call === "commit") this.#blockedUntilMs.set(call.key, this.#nowMs + retentionMs);
      else this.#blockedUntilMs.delete(call.key);
    }
    if (call.call !== "reserve") return;
    const known = this.#knowledge[call.attempt];
    if (outcome === "proceed" && !(known?.accepted ?? false)) {
      this.#blockedUntilMs.set(call.key, this.#nowMs + pendingMs);
    }
    if (
      known !== undefined &&
      call.fingerprint !== this.#plan.attempts[call.attempt]?.fingerprint
    ) {
      return this.#learn(call.attempt, knowledgeOnceAnswered(known, outcome));
    }
    if (!delivered || outcome === "indeterminate" || outcome === "unavailable") {
      this.#learnNoAnswer(call.attempt);
    } else if (outcome === "proceed") {
      this.#learn(call.attempt, { reserve: "proceed", accepted: true });
    } else {
      this.#learn(call.attempt, { reserve: "refused" });
    }
  }

  #learnNoAnswer(attempt: number): void {
    if (this.#knowledge[attempt]?.accepted !== true) this.#learn(attempt, { reserve: "no-answer" });
  }

  async #advanceToEnd(session: StoreSession, attempt: number, offsetMs: number): Promise<void> {
    await this.#underWay.untilNone();
    const planned = this.#plan.attempts[attempt];
    const endMs =
      planned === undefined ? undefined : this.#blockedUntilMs.get(this.#keyOf(planned));
    if (endMs === undefined) return;
    const marginMs = this.#target.capabilities.exactClock ? 1 : inexactMarginMs;
    const offset =
      offsetMs === 0 && !this.#target.capabilities.exactClock ? marginMs : offsetMs * marginMs;
    const ms = endMs + offset - this.#nowMs;
    if (ms > 0) await this.#advance(session, ms);
  }

  async #advance(session: StoreSession, ms: number): Promise<void> {
    await this.#underWay.untilNone();
    await this.#underWay.whole("advance", () => session.advance(ms));
    this.#record({ kind: "advance", atMs: this.#nowMs, ms });
    this.#nowMs += ms;
  }

  async #crash(session: StoreSession): Promise<void> {
    if (!this.#target.capabilities.crash) return;
    this.#record({ kind: "crash", atMs: this.#nowMs });
    await this.#underWay.crash(() => session.crash());
    if (this.#points.elsewhere !== null) this.#points.forget();
  }

  /** Past every end nothing is left, and each key can be reserved again by somebody new. */
  async #epilogue(session: StoreSession): Promise<void> {
    await this.#underWay.untilNone();
    this.plannedEvents = this.events.length;
    await this.#size(session);
    const marginMs = this.#target.capabilities.exactClock ? 1 : inexactMarginMs;
    await this.#advance(session, Math.max(this.#plan.pendingMs, this.#plan.retentionMs) + marginMs);
    await this.#size(session);
    const used = new Set(
      this.events.flatMap((event) => (event.kind === "invocation" ? [event.key] : [])),
    );
    let attempt = this.#plan.attempts.length;
    for (const key of used) {
      const token = `probe-${attempt}-of-an-attempt-after-all-others`;
      const call: StoreCall = { call: "reserve", attempt, key, token, fingerprint: "probe" };
      attempt += 1;
      await this.#call(session, call, "none", false);
    }
  }

  async #size(session: StoreSession): Promise<void> {
    const size = await this.#underWay.whole("size", async () => checkedSize(await session.size()));
    this.#record({ kind: "size", atMs: this.#nowMs, size });
  }

  async #close(session: StoreSession | null): Promise<void> {
    try {
      await this.#underWay.close(async () => session?.close());
    } catch (error) {
      if (!(error instanceof TargetFault)) throw error;
      const { operation, problem, detail } = error;
      this.#record({ kind: "target-fault", atMs: this.#nowMs, operation, problem, detail });
    }
  }

  #keyOf(attempt: PlannedAttempt): string {
    return this.#plan.keys[attempt.key] ?? "";
  }

  #learn(attempt: number, news: Partial<AttemptKnowledge>): void {
    const known = this.#knowledge[attempt];
    if (known !== undefined) this.#knowledge[attempt] = { ...known, ...news };
  }

  #record(event: HistoryEvent): void {
    this.events.push(event);
  }

  #choose(): number {
    return this.#plan.schedule[this.#choices++] ?? 0;
  }
}

/** The longest pause between the starts of two overlapping calls, in microtask ticks. */
const longestPauseTicks = 8;

/** How far a run stays away from the ends of blocking where the target's clock is not exact. */
const inexactMarginMs = 100;
