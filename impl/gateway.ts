// How one request is carried through the gateway attempt: the machine decides, this makes the calls.
import {
  createGatewayAttempt,
  decideAttempt,
  receivedAttempt,
  type AttemptCommand,
  type AttemptEvent,
  type GatewayAttempt,
} from "../model/gateway-attempt.ts";
import type { ReserveAnswer } from "./answers.ts";
import { AttemptCalls } from "./attempt-calls.ts";
import type { Calls } from "./calls.ts";
import { admit, authenticate, type Authenticated, type GateRefused } from "./gates.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { answerAttempt } from "./gateway-response.ts";
import { tellOperator, traceOf } from "./operator-log.ts";
import { problemOf, problemResponse } from "./problem.ts";

export interface Gateway {
  readonly settings: GatewaySettings;
  readonly calls: Calls;
  readonly machine: GatewayAttempt;
}

export function createGateway(settings: GatewaySettings, calls: Calls): Gateway {
  return { settings, calls, machine: createGatewayAttempt(settings.policy, settings.mode) };
}

/**
 * Answers one request. The order of the calls is the machine's (seed 000, section 2): what came
 * back is an event, and the commands that it returns are the next calls. The promise does not
 * depend on the client: whoever started it keeps it going to the end (`waitUntil`), or a client
 * that goes away would leave a reservation that nobody settles.
 */
export async function answerTrade(gateway: Gateway, request: Request): Promise<Response> {
  const run = new AttemptRun(gateway, request);
  try {
    return await run.toTheEnd();
  } catch (error) {
    tellOperator(`an attempt broke off: ${traceOf(error)}`);
    // A programmer's error. Once something was sent nobody knows its effect; before, nothing was.
    const kind = run.hasSent ? "unknown" : "unavailable";
    return problemResponse(problemOf(gateway.settings.policy, kind));
  }
}

/** More rounds than any path through the machine has. */
const mostRounds = 16;

class AttemptRun {
  readonly #gateway: Gateway;
  readonly #request: Request;
  #snapshot = receivedAttempt;
  #authenticated: Authenticated | null = null;
  #refusal: GateRefused | null = null;
  #calls: AttemptCalls | null = null;
  /** The store's last answer to a reserve. */
  #reserved: ReserveAnswer | null = null;

  constructor(gateway: Gateway, request: Request) {
    this.#gateway = gateway;
    this.#request = request;
  }

  get hasSent(): boolean {
    return this.#calls?.hasSent ?? false;
  }

  async toTheEnd(): Promise<Response> {
    let event: AttemptEvent = await this.#authenticate();
    for (let round = 0; round < mostRounds; round++) {
      const decision = decideAttempt(this.#gateway.machine, this.#snapshot, event);
      this.#snapshot = decision.attempt;
      const result = await this.#carryOut(decision.commands);
      if (result instanceof Response) return result;
      event = result;
    }
    throw new Error(`the gateway attempt does not end: state=${this.#snapshot.state}`);
  }

  /** In order; the answer of the last is the next event. An attempt without calls goes on to admission. */
  async #carryOut(commands: readonly AttemptCommand[]): Promise<AttemptEvent | Response> {
    let result: AttemptEvent | Response | null = null;
    for (const command of commands) {
      result =
        command.type === "respond" ? this.#respond(command.answer) : await this.#call(command);
    }
    return result ?? this.#admit();
  }

  async #authenticate(): Promise<AttemptEvent> {
    const { settings, calls } = this.#gateway;
    const gate = await authenticate(settings, calls, this.#request);
    if (gate.result === "passed") this.#authenticated = gate;
    else this.#refusal = gate;
    return { type: "AUTHENTICATION", result: gate.result };
  }

  async #admit(): Promise<AttemptEvent> {
    const { settings, calls } = this.#gateway;
    if (this.#authenticated === null) throw new Error("only an authenticated attempt is admitted");
    const gate = await admit(settings, calls, this.#request, this.#authenticated);
    if (gate.result === "passed") this.#calls = new AttemptCalls(settings, calls, gate);
    else this.#refusal = gate;
    return { type: "ADMISSION", result: gate.result };
  }

  async #call(
    command: Exclude<AttemptCommand, { readonly type: "respond" }>,
  ): Promise<AttemptEvent> {
    const calls = this.#calls;
    if (calls === null) throw new Error(`only an admitted attempt calls: command=${command.type}`);
    switch (command.type) {
      case "reserve":
        this.#reserved = await calls.reserve();
        return { type: "RESERVE", result: this.#reserved.result };
      case "dispatch":
        return { type: "OUTCOME", result: await calls.dispatch() };
      case "enqueue":
        return { type: "ENQUEUE", result: await calls.enqueue() };
      case "commit":
        return { type: "SETTLEMENT", result: await calls.commit() };
      case "release":
        return { type: "SETTLEMENT", result: await calls.release() };
    }
  }

  #respond(answer: Extract<AttemptCommand, { readonly type: "respond" }>["answer"]): Response {
    return answerAttempt(this.#gateway.settings, answer, {
      refusal: this.#refusal,
      response: this.#calls?.response ?? null,
      stored: this.#reserved?.result === "duplicate" ? this.#reserved.response : null,
      times: this.#calls?.times ?? null,
    });
  }
}
