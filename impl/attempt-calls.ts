// What one admitted attempt says to store, downstream and queue, and what it keeps of their answers.
import type { DownstreamOutcome, EnqueueResult } from "../model/gateway-attempt.ts";
import type { BlockingTimes } from "../model/vocabulary.ts";
import {
  readEnqueue,
  readReserve,
  readSettlement,
  type ReserveAnswer,
  type SettlementResult,
} from "./answers.ts";
import { ask, type Calls } from "./calls.ts";
import { clientOrderIdOf } from "./digest.ts";
import { readDownstream } from "./downstream-outcome.ts";
import type { Admitted } from "./gates.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { writeStoredResponse, type StoredResponse } from "./stored-response.ts";

/** The calls of one attempt: one key, one owner token, and the reservation that it holds. */
export class AttemptCalls {
  readonly times: BlockingTimes;
  readonly #settings: GatewaySettings;
  readonly #calls: Calls;
  readonly #admitted: Admitted;
  readonly #token: string;
  #fence = 0;
  #deadlineAtMs: number;
  /** What the client is told where the effect happened or will, and what a commit stores. */
  response: StoredResponse | null = null;
  /** Whether something left for downstream or the queue. */
  hasSent = false;

  constructor(settings: GatewaySettings, calls: Calls, admitted: Admitted) {
    const { clientTimes, windowTimes } = settings;
    this.times = admitted.requestKey.kind === "client" ? clientTimes : windowTimes;
    this.#settings = settings;
    this.#calls = calls;
    this.#admitted = admitted;
    this.#token = calls.randomToken();
    // Where the paper fails open no store stamps a deadline.
    this.#deadlineAtMs = calls.now() + this.times.deadlineMs;
  }

  async reserve(): Promise<ReserveAnswer> {
    const { fingerprint } = this.#admitted;
    const request = { key: this.#key, token: this.#token, fingerprint, times: this.times };
    const answer = await ask(
      this.#calls,
      this.#settings.waits.storeMs,
      () => this.#calls.reserve(request),
      readReserve,
      { result: "unanswered" } as const,
    );
    if (answer.result === "proceed") {
      this.#fence = answer.fence;
      this.#deadlineAtMs =
        this.#settings.policy.deadlineFrom === "acceptance"
          ? answer.deadlineAtMs
          : this.#calls.now() + this.times.deadlineMs;
    }
    return answer;
  }

  async dispatch(): Promise<DownstreamOutcome> {
    this.hasSent = true;
    const { policy, waits } = this.#settings;
    const clientOrderId = await clientOrderIdOf(this.#key);
    const request = {
      clientOrderId,
      body: this.#admitted.body,
      deadlineAtMs: policy.downstreamDeadline === "none" ? null : this.#deadlineAtMs,
      fence: policy.downstreamFence === "none" ? null : this.#fence,
    };
    const { outcome, body } = await ask(
      this.#calls,
      waits.downstreamMs,
      (signal) => this.#calls.dispatch(request, signal),
      readDownstream,
      { outcome: "unanswered", body: "" } as const,
    );
    if (outcome === "success") this.response = jsonResponse(200, body);
    return outcome;
  }

  async enqueue(): Promise<EnqueueResult> {
    this.hasSent = true;
    const { fingerprint, body } = this.#admitted;
    const message = {
      schema: "latchkey.trade/1",
      key: this.#key,
      token: this.#token,
      fingerprint,
      fence: this.#fence,
      deadlineAtMs: this.#deadlineAtMs,
      times: this.times,
      body,
    } as const;
    const clientOrderId = await clientOrderIdOf(this.#key);
    this.response = jsonResponse(202, JSON.stringify({ status: "queued", clientOrderId }));
    return ask(
      this.#calls,
      this.#settings.waits.queueMs,
      () => this.#calls.enqueue(message),
      readEnqueue,
      "unanswered",
    );
  }

  commit(): Promise<SettlementResult> {
    if (this.response === null) throw new Error("an attempt commits only what it can answer");
    const request = {
      key: this.#key,
      token: this.#token,
      fingerprint: this.#admitted.fingerprint,
      response: writeStoredResponse(this.response),
      times: this.times,
    };
    return this.#settle(() => this.#calls.commit(request));
  }

  release(): Promise<SettlementResult> {
    const request = { key: this.#key, token: this.#token };
    return this.#settle(() => this.#calls.release(request));
  }

  get #key(): string {
    return this.#admitted.requestKey.key;
  }

  #settle(call: () => Promise<unknown>): Promise<SettlementResult> {
    return ask(this.#calls, this.#settings.waits.storeMs, call, readSettlement, "unanswered");
  }
}

/** The response of an effect that happened or will. */
export function jsonResponse(status: number, body: string): StoredResponse {
  return { status, headers: { "content-type": "application/json" }, body };
}
