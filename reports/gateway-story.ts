// Decides how a gateway history is told: numbered steps of who sent what, what became of it, what each was told.
import type {
  CallName,
  GatewayEvent,
  GatewayHistory,
  Records,
} from "../properties/gateway/gateway-history.ts";
import type { GatewayPlan, PlannedRequest } from "../properties/gateway/gateway-plan.ts";
import type { CounterexampleStep } from "../properties/results.ts";
import {
  answerTexts,
  callNouns,
  messageName,
  queueTexts,
  requestText,
  saidTexts,
  storeVerbs,
  waitingTexts,
} from "./gateway-words.ts";
import { showText } from "./show-text.ts";
import { attemptName, type Story } from "./story.ts";

/** Times are milliseconds of true time since the start. */
export function tellGatewayStory(history: GatewayHistory, plan: GatewayPlan): Story {
  const teller = new Teller(history, plan);
  for (const index of history.events.keys()) teller.tell(index);
  return { steps: teller.steps, stepOfEvent: teller.stepOfEvent };
}

type Copy = Extract<GatewayEvent, { readonly kind: "copy-sent" | "copy-arrived" }>;
type Placed<Kind extends GatewayEvent["kind"]> = GatewayEvent & { readonly kind: Kind };

class Teller {
  readonly steps: CounterexampleStep[] = [];
  readonly stepOfEvent: number[] = [];
  readonly #events: readonly GatewayEvent[];
  readonly #requests: readonly PlannedRequest[];
  readonly #startMs: number;
  /** Keys of the store, by the order in which they show. */
  readonly #keys: string[] = [];
  #records: Records = {};

  constructor({ events, requests }: GatewayHistory, { gatewayAheadMs }: GatewayPlan) {
    this.#events = events;
    this.#requests = requests;
    const [arrival] = events.filter((event) => event.kind === "arrival");
    this.#startMs = arrival === undefined ? 0 : arrival.gatewayMs - arrival.atMs - gatewayAheadMs;
  }

  tell(index: number): void {
    const event = this.#events[index];
    if (event === undefined) return;
    if ("records" in event) this.#records = event.records;
    switch (event.kind) {
      case "arrival":
        return this.#tellArrival(event, index);
      case "call":
        return this.#merge(index);
      case "store":
        return this.#tellStore(event, index);
      case "dispatched":
        return this.#tellDispatched(event, index);
      case "enqueued": {
        const action = `takes ${messageName(event.message)}, of ${nameOf(event.attempt)}`;
        return this.#add(index, "queue", this.#late(index) + action, this.#heardAfter(index, ""));
      }
      case "copy-sent":
        return this.#tellCopySent(event, index);
      case "copy-arrived":
        return this.#merge(index);
      case "reply":
        return this.#tellReply(event, index);
      case "delivery": {
        const late = event.late ? "its deadline has passed" : "";
        const action = `gives ${messageName(event.message)} to ${event.by}`;
        return this.#add(index, "queue", action, late);
      }
      case "acknowledged":
      case "retried":
      case "buried":
        return this.#add(index, "queue", queueTexts[event.kind](event.message), "");
      case "response":
        return this.#tellResponse(event, index);
      case "stopped":
        return this.#add(index, event.by, "dies where it is", "");
      case "crash":
        return this.#tellCrash(index);
      case "advance":
        return this.#add(index, "clock", `moves on by ${event.ms} ms`, "");
      case "late-alarm": {
        const late = "the store's alarm is late";
        return this.#add(index, "clock", `moves on by ${event.ms} ms`, late);
      }
      case "ring":
        return this.#add(index, "store", "has its alarm ring out of turn", "");
      case "jump":
        return this.#add(index, "store", `has its clock jump ahead by ${event.ms} ms`, "");
    }
  }

  #tellArrival({ attempt }: Placed<"arrival">, index: number): void {
    const request = this.#requests[attempt];
    const reserve = this.#events.find(
      (event) => event.kind === "call" && event.attempt === attempt && event.call === "reserve",
    );
    const key = reserve !== undefined && "key" in reserve ? reserve.key : null;
    const given = key === null ? "" : `${this.#keyName(key)}, ${showText(key)}`;
    const detail = given === "" ? "" : `the gateway gives it ${given}`;
    const sent = request === undefined ? "a request" : requestText(request);
    this.#add(index, nameOf(attempt), `sends: ${sent}`, detail);
  }

  #tellStore(event: Placed<"store">, index: number): void {
    const action = `${this.#late(index)}${storeVerbs[event.call]} ${this.#keyName(event.key)}`;
    const answer = answerTexts[event.answer] ?? event.answer;
    const holder = event.before === null ? null : this.#holderOf(event.before.token);
    const changes = event.answer === "done" && event.call !== "claim";
    const although =
      changes && holder !== null && holder !== event.attempt
        ? `, although ${nameOf(holder)} has it`
        : "";
    const told = this.#heardAfter(index, `${answer}${although}`);
    this.#add(index, event.by, action, told);
  }

  #tellDispatched(event: Placed<"dispatched">, index: number): void {
    const whose = event.viaQueue ? `${event.by}, of ${nameOf(event.attempt)}` : event.by;
    const action = event.executed
      ? `${this.#late(index)}executes the trade of ${whose}`
      : `${this.#late(index)}is asked by ${whose}`;
    const said = saidTexts[event.said] ?? event.said;
    const nothing = event.executed ? "" : "; nothing is executed";
    this.#add(index, "downstream", action, this.#heardAfter(index, `${said}${nothing}`));
  }

  #tellCopySent({ attempt, call }: Copy, index: number): void {
    const detail = "it arrives later, or never";
    this.#add(index, nameOf(attempt), `has a copy of its ${callNouns[call]} under way`, detail);
  }

  #tellReply({ by, call, heard }: Placed<"reply">, index: number): void {
    const before = this.#events[index - 1];
    if (before !== undefined && effectOf(before) === call) return this.#merge(index);
    const silence = before === undefined ? "no answer" : silenceAfter(before);
    const what = heard === "silence" ? silence : (answerTexts[heard] ?? heard);
    this.#add(index, by, waitingTexts[call] ?? `waits for its ${callNouns[call]}`, what);
  }

  #tellResponse(event: Placed<"response">, index: number): void {
    const code = event.code === "" ? "" : ` ${event.code}`;
    const replayed = event.replayed ? ", a replay" : "";
    const detail = `${event.status}${code}${replayed}`;
    this.#add(index, nameOf(event.attempt), "is answered", detail);
  }

  /** A reset under a call is told with the call. */
  #tellCrash(index: number): void {
    const before = this.#events[index - 1];
    const isUnderCall = before?.kind === "store" && before.answer === "unknown";
    this.#add(
      index,
      "store",
      isUnderCall ? "was reset while the call was under way" : "is reset",
      "what it answered must survive",
    );
  }

  /** What the caller hears of an effect right after it: the answer itself, or nothing. */
  #heardAfter(index: number, answer: string): string {
    const event = this.#events[index];
    const next = this.#events[index + 1];
    if (event === undefined || next?.kind !== "reply" || effectOf(event) !== next.call) {
      return answer;
    }
    if (next.heard !== "silence") return answer === "" ? next.heard : answer;
    const lost = "the reply is lost";
    return answer === "" ? lost : `${answer}, but ${lost}`;
  }

  #late(index: number): string {
    return this.#events[index + 1]?.kind === "copy-arrived" ? "(a late copy) " : "";
  }

  #merge(index: number): void {
    this.stepOfEvent[index] = Math.max(1, this.steps.length);
  }

  #add(index: number, actor: string, action: string, detail: string): void {
    const step = this.steps.length + 1;
    this.stepOfEvent[index] = step;
    const at = this.#events[index]?.atMs ?? 0;
    this.steps.push({ step, at, actor, action, detail, state: this.#state() });
  }

  #state(): string {
    const held = Object.entries(this.#records).map(([key, { status, token, expiresAtMs }]) => {
      const holder = this.#holderOf(token);
      const whose = holder === null ? "nobody known" : attemptName(holder);
      return `${this.#keyName(key)}: ${status} by ${whose} until ${expiresAtMs - this.#startMs}`;
    });
    return held.length === 0 ? "nothing" : held.join("; ");
  }

  #holderOf(token: string): number | null {
    const seen = this.#events.find((event) => event.kind === "store" && event.token === token);
    return seen !== undefined && "attempt" in seen ? seen.attempt : null;
  }

  #keyName(key: string): string {
    if (!this.#keys.includes(key)) this.#keys.push(key);
    return `key ${this.#keys.indexOf(key) + 1}`;
  }
}

/** Why a call got no answer, by what was noted right before. */
function silenceAfter({ kind }: GatewayEvent): string {
  if (kind === "copy-sent") return "no answer: it gives up";
  return kind === "crash" ? "no answer" : "no answer: the call is lost before it arrives";
}

/** The call whose effect an event is; null where it is none. */
function effectOf(event: GatewayEvent): CallName | null {
  switch (event.kind) {
    case "store":
      return event.call;
    case "dispatched":
      return "dispatch";
    case "enqueued":
      return "enqueue";
    case "buried":
      return "deadLetter";
    case "arrival":
    case "call":
    case "copy-sent":
    case "copy-arrived":
    case "reply":
    case "delivery":
    case "acknowledged":
    case "retried":
    case "response":
    case "stopped":
    case "crash":
    case "advance":
    case "late-alarm":
    case "ring":
    case "jump":
      return null;
  }
}

function nameOf(attempt: number): string {
  return `attempt ${attemptName(attempt)}`;
}
