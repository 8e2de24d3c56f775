// Generates histories for tests by driving the machine through random overlaps, crashes and silence.
import fc from "fast-check";
import {
  decideByTable,
  deriveLifecycleTable,
  type LifecycleTable,
} from "../model/lifecycle-table.ts";
import type { Policy } from "../model/policy.ts";
import type { BlockingTimes, KeyEvent, KeyRecord, KeyReply } from "../model/vocabulary.ts";
import type { History, HistoryEvent, StoreAnswer, StoreCall } from "./history.ts";
import { answerOf, capabilitiesOf, sessionTimes, settlementOf } from "./policy-answers.ts";

export interface RandomHistoryOptions {
  /** The store decides each call by one of these, drawn anew each time. */
  readonly policies: readonly [Policy, ...Policy[]];
  readonly keys: number;
  readonly attempts: number;
  readonly maxChoices: number;
  /** Whether some calls never complete, and may take effect at any later moment. */
  readonly silence: boolean;
}

export function randomHistories(options: RandomHistoryOptions): fc.Arbitrary<History> {
  const tables = options.policies.map(deriveLifecycleTable);
  return fc
    .record({
      times: fc.constantFrom([4, 4] as const, [6, 3] as const, [3, 6] as const),
      choices: fc.array(fc.nat({ max: 2 ** 20 - 1 }), {
        maxLength: options.maxChoices,
        size: "max",
      }),
    })
    .map(({ times: [pendingMs, retentionMs], choices }) => {
      const run = new RandomRun(options, tables, pendingMs, retentionMs, choices);
      run.whole();
      const capabilities = capabilitiesOf(options.policies[0]);
      return { pendingMs, retentionMs, capabilities, events: run.events };
    });
}

interface UnderWay {
  readonly operation: number;
  readonly call: StoreCall;
  answer: StoreAnswer | null;
}

interface Attempt {
  readonly key: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly settlement: "commit" | "release";
  accepted: boolean;
  released: boolean;
  isBusy: boolean;
}

class RandomRun {
  readonly events: HistoryEvent[] = [];
  readonly #options: RandomHistoryOptions;
  readonly #tables: readonly LifecycleTable[];
  readonly #times: BlockingTimes;
  readonly #choices: readonly number[];
  readonly #attempts: Attempt[];
  readonly #records = new Map<string, KeyRecord>();
  #underWay: UnderWay[] = [];
  readonly #silent: UnderWay[] = [];
  #chosen = 0;
  #operations = 0;
  #fence = 0;
  #nowMs = 0;

  constructor(
    options: RandomHistoryOptions,
    tables: readonly LifecycleTable[],
    pendingMs: number,
    retentionMs: number,
    choices: readonly number[],
  ) {
    this.#options = options;
    this.#tables = tables;
    this.#times = sessionTimes({ pendingMs, retentionMs });
    this.#choices = choices;
    this.#attempts = Array.from({ length: options.attempts }, (_, index) => ({
      key: `key ${this.#choose(options.keys)}`,
      token: `token ${index}`,
      fingerprint: this.#choose(4) === 0 ? "other payload" : "payload",
      settlement: this.#choose(2) === 0 ? "commit" : "release",
      accepted: false,
      released: false,
      isBusy: false,
    }));
  }

  whole(): void {
    while (this.#chosen < this.#choices.length) this.#step();
    this.#completeAll();
    this.#size();
  }

  #step(): void {
    switch (this.#choose(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return this.#invoke();
      case 4:
      case 5:
        return this.#takeEffect(this.#underWay[this.#choose(this.#underWay.length)]);
      case 6:
        return this.#complete(this.#underWay[this.#choose(this.#underWay.length)]);
      case 7:
        return this.#advance();
      case 8:
        return this.#choose(3) === 0 ? this.#crash() : this.#size();
      case 9:
        if (this.#silent.length > 0) {
          return this.#takeEffect(this.#silent[this.#choose(this.#silent.length)]);
        }
        return this.#options.silence ? this.#fallSilent() : this.#completeAll();
    }
  }

  #invoke(): void {
    const place = this.#choose(this.#attempts.length);
    const attempt = this.#attempts[place];
    if (attempt === undefined) return;
    const { key, token, fingerprint, accepted } = attempt;
    const settles = accepted && this.#choose(3) > 0;
    if (!settles && attempt.released) return;
    const common = { attempt: place, key, token };
    const call: StoreCall = !settles
      ? { call: "reserve", ...common, fingerprint }
      : attempt.settlement === "release"
        ? { call: "release", ...common }
        : { call: "commit", ...common, fingerprint, response: `response ${this.#choose(2)}` };
    if (call.call === "release") attempt.released = true;
    const operation = this.#operations++;
    this.events.push({ kind: "invocation", atMs: this.#nowMs, operation, ...call });
    const underWay = { operation, call, answer: null };
    this.#underWay.push(underWay);
    if (this.#choose(2) === 0) this.#complete(underWay);
  }

  #takeEffect(underWay: UnderWay | undefined): void {
    if (underWay === undefined || underWay.answer !== null) return;
    const { call } = underWay;
    const reply = this.#decide(call.key, this.#eventOf(call));
    const [policy] = this.#options.policies;
    underWay.answer =
      call.call === "reserve" ? answerOf(policy, reply) : { outcome: settlementOf(reply) };
  }

  #eventOf(call: StoreCall): KeyEvent {
    const now = this.#nowMs;
    const times = this.#times;
    const { token } = call;
    switch (call.call) {
      case "reserve": {
        const { fingerprint } = call;
        return { type: "RESERVE", token, fingerprint, nextFence: this.#fence + 1, times, now };
      }
      case "commit": {
        const { fingerprint, response } = call;
        return { type: "COMMIT", token, fingerprint, response, times, now };
      }
      case "release":
        return { type: "RELEASE", token, now };
    }
  }

  #decide(key: string, event: KeyEvent): KeyReply | null {
    const table = this.#tables[this.#choose(this.#tables.length)];
    if (table === undefined) return null;
    const { record, commands } = decideByTable(table, this.#records.get(key) ?? null, event);
    if (record === null) this.#records.delete(key);
    else this.#records.set(key, record);
    this.#fence = Math.max(this.#fence, record?.fence ?? 0);
    const reply = commands.find((command) => command.type === "reply");
    return reply?.reply ?? null;
  }

  #complete(underWay: UnderWay | undefined, isDelivered = true): void {
    if (underWay === undefined) return;
    this.#takeEffect(underWay);
    const { operation, call, answer } = underWay;
    if (answer === null) return;
    this.#underWay = this.#underWay.filter((each) => each !== underWay);
    const delivered = isDelivered && this.#choose(5) > 0;
    this.events.push({ kind: "completion", atMs: this.#nowMs, operation, answer, delivered });
    const attempt = this.#attempts[call.attempt];
    if (attempt !== undefined && delivered && answer.outcome === "proceed") attempt.accepted = true;
  }

  #completeAll(): void {
    for (const underWay of this.#underWay) this.#complete(underWay);
  }

  #advance(): void {
    this.#completeAll();
    const ms = [1, 1, 2, 3, 4, 6, 7][this.#choose(7)] ?? 1;
    this.events.push({ kind: "advance", atMs: this.#nowMs, ms });
    this.#nowMs += ms;
    for (const [key, { expiresAtMs }] of this.#records) {
      if (this.#nowMs >= expiresAtMs) this.#records.delete(key);
    }
  }

  #crash(): void {
    this.events.push({ kind: "crash", atMs: this.#nowMs });
    for (const underWay of this.#underWay) {
      if (this.#choose(2) === 0) continue;
      if (this.#choose(2) === 0) this.#takeEffect(underWay);
      underWay.answer = { outcome: "indeterminate" };
      this.#complete(underWay, false);
    }
  }

  /** The call never completes, and may take effect later. */
  #fallSilent(): void {
    const underWay = this.#underWay[this.#choose(this.#underWay.length)];
    if (underWay === undefined) return;
    this.#underWay = this.#underWay.filter((each) => each !== underWay);
    if (underWay.answer === null) this.#silent.push(underWay);
  }

  #size(): void {
    this.events.push({ kind: "size", atMs: this.#nowMs, size: this.#records.size });
  }

  /** Below the count; 0 once the choices are used up. */
  #choose(count: number): number {
    const choice = this.#choices[this.#chosen++] ?? 0;
    return count > 0 ? choice % count : 0;
  }
}
