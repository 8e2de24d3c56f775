// The calls that a run has started and the target has not answered: waiting, opening, crashing.
import { invoke, isRefusalOfLimits, oneLine, TargetFault } from "./checked-answers.ts";
import type { StoreAnswer, StoreCall } from "./history.ts";
import { realTimers, type SchedulePoints } from "./schedule-points.ts";
import type { StoreSession } from "./target.ts";

export interface Started {
  answered: boolean;
}

/**
 * Waiting is driven by events (an answer came, a timer was parked), never by a clock: where
 * every call that is under way stands at a schedule point, the plan's next choice opens one.
 */
export class OperationsUnderWay {
  readonly #points: SchedulePoints;
  readonly #answerBoundMs: number;
  readonly #choose: () => number;
  readonly #underWay = new Map<number, string>();
  #begun = 0;
  #crashes = 0;
  #fault: TargetFault | null = null;
  #wake: () => void = () => {};
  #giveUp: () => void = () => {};
  #watchdog: ReturnType<typeof realTimers.setTimeout> | undefined;
  #news = 0;

  constructor(points: SchedulePoints, answerBoundMs: number, choose: () => number) {
    this.#points = points;
    this.#answerBoundMs = answerBoundMs;
    this.#choose = choose;
    points.onParked = () => {
      this.#news += 1;
      if (points.elsewhere === null) this.#wake();
    };
  }

  /** Starts a call; `answered` hears the answer as soon as the target gives it. */
  start(session: StoreSession, call: StoreCall, answered: (answer: StoreAnswer) => void): Started {
    const started: Started = { answered: false };
    const crashesBefore = this.#crashes;
    this.#begin(
      call.call,
      () => invoke(session, call),
      (answer) => {
        started.answered = true;
        answered(answer);
      },
      (error) => {
        if (this.#crashes > crashesBefore) {
          started.answered = true;
          answered({ outcome: "indeterminate" });
          return null;
        }
        if (isRefusalOfLimits(error, call)) {
          started.answered = true;
          answered({ outcome: "unavailable" });
          return null;
        }
        return new TargetFault(call.call, "rejected", oneLine(error));
      },
    );
    return started;
  }

  /** Runs an operation of the session that nothing else overlaps, such as `advance`. */
  async whole<Value>(operation: string, run: () => Promise<Value>): Promise<Value> {
    const box: { value?: Value; done: boolean } = { done: false };
    this.#begin(
      operation,
      run,
      (value) => {
        box.value = value;
        box.done = true;
      },
      (error) => new TargetFault(operation, "rejected", oneLine(error)),
    );
    await this.#waitFor(() => box.done);
    return box.value as Value;
  }

  /** Calls under way while `run` resets the store may reject; then their outcome is unknown. */
  async crash(run: () => Promise<void>): Promise<void> {
    this.#crashes += 1;
    await this.whole("crash", run);
  }

  async until(started: Started): Promise<void> {
    await this.#waitFor(() => started.answered);
  }

  async untilNone(): Promise<void> {
    await this.#waitFor(() => this.#underWay.size === 0);
  }

  /** Closes whatever state the target is in; only a first fault is worth telling. */
  async close(run: () => Promise<void>): Promise<void> {
    try {
      if (this.#fault === null) return await this.whole("close", run);
      const closing = startSafely(run).catch(() => {});
      await Promise.race([closing, new Promise((done) => realTimers.setTimeout(done, quietMs))]);
    } finally {
      realTimers.clearTimeout(this.#watchdog);
    }
  }

  /** Whoever awaits it goes on in exactly the microtask `ticks` from now, at least one. */
  async tick(ticks: number): Promise<void> {
    for (let tick = 1; tick < ticks; tick += 1) await Promise.resolve();
    this.#throwFault();
  }

  #begin<Value>(
    operation: string,
    run: () => Promise<Value>,
    resolved: (value: Value) => void,
    rejected: (error: unknown) => TargetFault | null,
  ): void {
    const number = this.#begun++;
    this.#underWay.set(number, operation);
    const end = (act: () => TargetFault | null): void => {
      this.#underWay.delete(number);
      try {
        this.#fault ??= act();
      } catch (error) {
        if (!(error instanceof TargetFault)) throw error;
        this.#fault ??= new TargetFault(operation, error.problem, error.detail);
      }
      this.#tell();
    };
    startSafely(run).then(
      (value) =>
        end(() => {
          resolved(value);
          return null;
        }),
      (error: unknown) => end(() => (error instanceof TargetFault ? error : rejected(error))),
    );
  }

  async #waitFor(isDone: () => boolean): Promise<void> {
    for (;;) {
      this.#throwFault();
      if (isDone()) return;
      if (await this.#someNews()) continue;
      this.#points.open(this.#choose() % this.#points.parked());
    }
  }

  /** True when an answer came or a timer was parked; false when a parked timer has to be opened. */
  async #someNews(): Promise<boolean> {
    const before = this.#news;
    // From another I/O context news come through the event loop alone.
    const ticks = this.#points.elsewhere === null ? quietTicks : 0;
    for (let tick = 0; tick < ticks; tick += 1) {
      await Promise.resolve();
      if (this.#news !== before) return true;
    }
    const parked = this.#points.parked();
    if (parked > 0) {
      return parked < this.#underWay.size && (await this.#newsWithin(quietMs, before));
    }
    if (await this.#newsOrSilence(before)) return true;
    const [operation] = this.#underWay.values();
    this.#fault = new TargetFault(
      operation ?? "open",
      "no-answer",
      `no answer for at least answerBoundMs=${this.#answerBoundMs}`,
    );
    return true;
  }

  async #newsWithin(ms: number, before: number): Promise<boolean> {
    if (this.#news !== before) return true;
    let timer: ReturnType<typeof realTimers.setTimeout> | undefined;
    const heard = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      timer = realTimers.setTimeout(() => resolve(false), ms);
    });
    this.#wake = () => {};
    realTimers.clearTimeout(timer);
    return heard || this.#news !== before;
  }

  /** False when the watchdog has looked twice, the answer bound apart, and heard nothing between. */
  #newsOrSilence(before: number): Promise<boolean> {
    if (this.#news !== before) return Promise.resolve(true);
    this.#watch();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = this.#giveUp = () => {};
        resolve(true);
      };
      this.#giveUp = () => {
        this.#wake = this.#giveUp = () => {};
        resolve(false);
      };
    });
  }

  /** One timer for the whole run: one for each wait would cost more than many a call. */
  #watch(): void {
    if (this.#watchdog !== undefined) return;
    const { elsewhere } = this.#points;
    let seen = this.#news;
    let silentMs = 0;
    const lookLater = (): void => {
      const ms = elsewhere?.lookEveryMs ?? this.#answerBoundMs;
      this.#watchdog = realTimers.setTimeout(() => look(ms), ms);
    };
    const look = (ms: number): void => {
      silentMs = this.#news === seen ? silentMs + ms : 0;
      seen = this.#news;
      if (silentMs >= this.#answerBoundMs) this.#giveUp();
      else if (this.#points.parked() > 0) this.#wake();
      lookLater();
    };
    lookLater();
  }

  #tell(): void {
    this.#news += 1;
    this.#wake();
  }

  #throwFault(): void {
    if (this.#fault !== null) throw this.#fault;
  }
}

/** Microtask ticks after which a target that has not answered is taken to wait for something. */
const quietTicks = 24;

/** Real time for calls behind a parked one to get on, before the parked one is opened. */
const quietMs = 3;

async function startSafely<Value>(run: () => Promise<Value>): Promise<Value> {
  return run();
}
