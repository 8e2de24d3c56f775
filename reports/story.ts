// Decides how a history is told: numbered steps of who did what, what each got, what the store holds.
import type {
  CompletionEvent,
  EffectEvent,
  History,
  HistoryEvent,
  InvocationEvent,
  StoreAnswer,
  StoreCall,
} from "../properties/history.ts";
import type { Plan } from "../properties/plan.ts";
import type { CounterexampleStep } from "../properties/results.ts";
import { KnownRecords } from "./known-records.ts";
import { showText } from "./show-text.ts";

export interface Story {
  readonly steps: readonly CounterexampleStep[];
  /** For each event of the history, the number of the step that tells it. */
  readonly stepOfEvent: readonly number[];
}

/** Tells the history of a plan, which names keys and attempts by their places. */
export function tellStory(
  history: History,
  plan: Pick<Plan, "keys" | "attempts" | "beside">,
): Story {
  const teller = new Teller(history, plan);
  if (plan.beside === true) teller.tellBeside();
  for (const [index, event] of history.events.entries()) teller.tell(event, index);
  return { steps: teller.steps, stepOfEvent: teller.stepOfEvent };
}

/** `A` for attempt 0, `Z` for 25, `AA` for 26. */
export function attemptName(attempt: number): string {
  const letter = String.fromCodePoint(65 + (attempt % 26));
  return attempt < 26 ? letter : attemptName(Math.floor(attempt / 26) - 1) + letter;
}

/** `key 1` for the first key of the plan; an unknown one by its text. */
function keyName(key: string, keys: readonly string[]): string {
  const index = keys.indexOf(key);
  return index === -1 ? showText(key) : `key ${index + 1}`;
}

class Teller {
  readonly steps: CounterexampleStep[] = [];
  readonly stepOfEvent: number[] = [];
  readonly #history: History;
  readonly #keys: readonly string[];
  readonly #planned: number;
  readonly #known: KnownRecords;
  readonly #calls = new Map<number, InvocationEvent>();
  readonly #told = new Set<string>();
  readonly #payloads = new Map<string, string>();
  readonly #responses = new Map<number, string>();
  readonly #seenKeys = new Set<string>();

  constructor(history: History, plan: Pick<Plan, "keys" | "attempts">) {
    this.#history = history;
    this.#keys = plan.keys;
    this.#planned = plan.attempts.length;
    this.#known = new KnownRecords(history);
  }

  tellBeside(): void {
    const detail = "a store of its own, which shares nothing with this one";
    const step = { step: 1, at: 0, actor: "another session", detail, state: this.#stateAt(0) };
    this.steps.push({ ...step, action: "is open beside and reserves every key" });
  }

  tell(event: HistoryEvent, index: number): void {
    switch (event.kind) {
      case "invocation":
        return this.#tellInvocation(event, index);
      case "completion":
        return this.#tellCompletion(event, index);
      case "lost-call":
        return this.#add(index, event.atMs, this.#nameOf(event), this.#actionOf(event), lostCall);
      case "effect":
        return this.#tellEffect(event, index);
      case "advance":
        return this.#tellAdvance(event.atMs, event.ms, index);
      case "crash":
        return this.#add(index, event.atMs, "store", "crashes and starts again", crashed);
      case "size":
        return this.#add(index, event.atMs, "store", "counts its records", String(event.size));
      case "target-fault": {
        const { operation, problem, detail } = event;
        const what = `${faults[problem]}: ${showText(detail)}`;
        return this.#add(index, event.atMs, "store", `is asked: ${showText(operation)}`, what);
      }
    }
  }

  #tellInvocation(event: InvocationEvent, index: number): void {
    this.#calls.set(event.operation, event);
    const next = this.#history.events[index + 1];
    const answeredAtOnce = next?.kind === "completion" && next.operation === event.operation;
    if (answeredAtOnce) {
      this.stepOfEvent[index] = this.steps.length + 1;
      return;
    }
    this.#add(
      index,
      event.atMs,
      this.#nameOf(event),
      this.#actionOf(event),
      "the answer is awaited",
    );
  }

  #tellCompletion(event: CompletionEvent, index: number): void {
    const call = this.#calls.get(event.operation);
    if (call === undefined) return;
    const before = this.#history.events[index - 1];
    const atOnce = before?.kind === "invocation" && before.operation === event.operation;
    const action = atOnce ? this.#actionOf(call) : `is answered: ${this.#nounOf(call)}`;
    const although = this.#otherHolder(call, event);
    this.#known.learn(call, event.answer, event.atMs);
    const told = answerText(event.answer, event.delivered);
    this.#add(index, event.atMs, this.#nameOf(call), action, `${told}${although}`);
  }

  /** Who held the key when it was given to, or freed by, somebody else. */
  #otherHolder(call: StoreCall, { answer, atMs }: CompletionEvent): string {
    const { status, attempt, certain } = this.#known.at(call.key, atMs);
    const changes = answer.outcome === "proceed" || answer.outcome === "done";
    if (!changes || !certain || status === "free" || attempt === call.attempt) return "";
    const held = status === "pending" ? "holds it" : "has committed it";
    return `, although ${this.#holderName(attempt)} ${held}`;
  }

  #tellEffect(event: EffectEvent, index: number): void {
    const name = `attempt ${attemptName(event.attempt)}`;
    const action = event.executed ? `executes the effect of ${name}` : `is asked by ${name}`;
    const outcome = event.executed ? executedText[event.outcome] : unexecutedText[event.outcome];
    this.#add(index, event.atMs, "downstream", action, outcome);
  }

  #tellAdvance(atMs: number, ms: number, index: number): void {
    const ended = [...this.#seenKeys].flatMap((key) => {
      const record = this.#known.at(key, atMs);
      const ends = record.status !== "free" && record.untilMs <= atMs + ms;
      const what = record.status === "pending" ? "the reservation" : "the committed record";
      const owner = this.#holderName(record.attempt);
      return ends ? [`${what} of ${owner} on ${keyName(key, this.#keys)} ends`] : [];
    });
    this.#add(index, atMs + ms, "clock", `moves on by ${ms} ms`, ended.join("; "));
  }

  #add(index: number, at: number, actor: string, action: string, detail: string): void {
    const step = this.steps.length + 1;
    this.stepOfEvent[index] = step;
    this.steps.push({ step, at, actor, action, detail, state: this.#stateAt(at) });
  }

  #actionOf(call: StoreCall): string {
    this.#seenKeys.add(call.key);
    const again = this.#told.has(`${call.attempt} ${call.call}`) ? " again" : "";
    this.#told.add(`${call.attempt} ${call.call}`);
    const otherwise = `${this.#otherPayload(call)}${this.#otherResponse(call)}`;
    return `${call.call}s ${keyName(call.key, this.#keys)}${again}${otherwise}`;
  }

  /** A commit that says something else than the attempt's commit before. */
  #otherResponse(call: StoreCall): string {
    if (call.call !== "commit") return "";
    const first = this.#responses.get(call.attempt) ?? call.response;
    this.#responses.set(call.attempt, first);
    return first === call.response ? "" : ` with response ${showText(call.response)}`;
  }

  #otherPayload(call: StoreCall): string {
    if (call.call !== "reserve") return "";
    const first = this.#payloads.get(call.key) ?? call.fingerprint;
    this.#payloads.set(call.key, first);
    return first === call.fingerprint ? "" : ` with payload ${showText(call.fingerprint)}`;
  }

  /** At the end of a run the suite itself asks for each key: attempts that no plan has. */
  #nameOf({ attempt }: StoreCall): string {
    return attempt < this.#planned ? `attempt ${attemptName(attempt)}` : "probe";
  }

  #holderName(attempt: number): string {
    return attempt < this.#planned ? attemptName(attempt) : "the probe";
  }

  #nounOf(call: StoreCall): string {
    return `${call.call} of ${keyName(call.key, this.#keys)}`;
  }

  #stateAt(nowMs: number): string {
    const parts = [...this.#seenKeys].map((key) => {
      const { status, attempt, untilMs, certain } = this.#known.at(key, nowMs);
      const held = `${status} by ${this.#holderName(attempt)} until ${untilMs}`;
      const text = status === "free" ? "free" : held;
      return `${keyName(key, this.#keys)}: ${certain ? "" : "perhaps "}${text}`;
    });
    return parts.length === 0 ? "nothing" : parts.join("; ");
  }
}

const lostCall = "the call is lost before it reaches the store";
const crashed = "what it answered must survive";
const faults = {
  rejected: "it throws",
  "no-answer": "it does not answer",
  "unknown-answer": "it answers what the contract does not know",
} as const;
const executedText = {
  success: "success",
  "soft-fail": "says success:false after the effect",
  "definite-failure": "says that nothing happened, wrongly",
  unknown: "the outcome is unknown to the attempt; in truth it executed",
} as const;
const unexecutedText = {
  success: "says success without an effect",
  "soft-fail": "soft-fail: success:false, nothing executed",
  "definite-failure": "definite failure: nothing executed",
  unknown: "the outcome is unknown to the attempt; in truth nothing executed",
} as const;

function answerText(answer: StoreAnswer, delivered: boolean): string {
  const told = outcomeText(answer);
  return delivered ? told : `the store answers ${told}, but the reply is lost`;
}

function outcomeText(answer: StoreAnswer): string {
  switch (answer.outcome) {
    case "proceed": {
      const fence = answer.fence === undefined ? "" : `, fence ${answer.fence}`;
      const deadline = answer.deadline === undefined ? "" : `, deadline ${answer.deadline}`;
      return `proceed${fence}${deadline}`;
    }
    case "in-flight":
      return answer.inDoubt === true ? "refused: in doubt" : "refused: in flight";
    case "duplicate":
      return answer.response === undefined
        ? "refused: duplicate"
        : `refused: duplicate, response ${showText(answer.response)}`;
    case "mismatch":
      return "refused: mismatch, another payload";
    case "unavailable":
      return "unavailable: nothing changed";
    case "done":
      return "done";
    case "stale":
      return "stale: nothing changed";
    case "indeterminate":
      return "no answer: the store crashed during the call";
  }
}
