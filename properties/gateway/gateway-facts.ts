// A gateway history made ready for its judges: what each attempt executed, was told, and still has under way.
import type { GatewayInvariant, KnownWay } from "../../model/gateway-invariants.ts";
import type {
  CallName,
  Dispatched,
  GatewayEvent,
  GatewayHistory,
  Records,
  Responded,
  StoreAnswered,
} from "./gateway-history.ts";
import type { Violation } from "../results.ts";
import type { PlannedRequest } from "./gateway-plan.ts";

/** What a judge says of one history. */
export interface Ruling {
  /** Whether the situation occurred without which the invariant is vacuous. */
  readonly exercised: boolean;
  readonly violations: readonly Violation[];
}

/** One event and its place in the history. */
export interface Placed<Event> {
  readonly place: number;
  readonly event: Event;
}

type Moment = { readonly atMs: number };

export type Reply = EventOf<"reply">;

type EventOf<Kind, Event = GatewayEvent> = Event extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Event
    : never
  : never;

export class GatewayFacts {
  readonly history: GatewayHistory;
  /** Effects that happened, in their order. */
  readonly executions: readonly Placed<Dispatched & Moment>[];
  readonly storeAnswers: readonly Placed<StoreAnswered & Moment>[];
  readonly responses: readonly Placed<Responded & Moment>[];

  constructor(history: GatewayHistory) {
    this.history = history;
    this.executions = this.of("dispatched").filter(({ event }) => event.executed);
    this.storeAnswers = this.of("store");
    this.responses = this.of("response");
  }

  /** Every event of one kind. */
  of<Kind extends GatewayEvent["kind"]>(kind: Kind): readonly Placed<EventOf<Kind>>[] {
    return this.history.events.flatMap((event, place) =>
      event.kind === kind ? [{ place, event: event as EventOf<Kind> }] : [],
    );
  }

  request(attempt: number): PlannedRequest {
    const request = this.history.requests[attempt];
    if (request === undefined) throw new Error(`no such request: attempt=${attempt}`);
    return request;
  }

  executionsBy(attempt: number): readonly Placed<Dispatched & Moment>[] {
    return this.executions.filter(({ event }) => event.attempt === attempt);
  }

  responseTo(attempt: number): Placed<Responded & Moment> | null {
    return this.responses.find(({ event }) => event.attempt === attempt) ?? null;
  }

  /** The attempt whose owner token this is; −1 for nobody's. */
  attemptOf(token: string): number {
    return this.storeAnswers.find(({ event }) => event.token === token)?.event.attempt ?? -1;
  }

  /** The key for which the attempt asked the store; null where it never did. */
  keyOf(attempt: number): string | null {
    const reserves = this.of("call").filter(
      ({ event }) => event.attempt === attempt && event.call === "reserve",
    );
    return reserves[0]?.event.key ?? null;
  }

  /** The gateway's clock when the attempt's request arrived. */
  arrivalMs(attempt: number): number {
    const arrival = this.of("arrival").find(({ event }) => event.attempt === attempt);
    if (arrival === undefined) throw new Error(`no such arrival: attempt=${attempt}`);
    return arrival.event.gatewayMs;
  }

  /** What the store held after the event at `place`. */
  recordsAt(place: number): Records {
    const seen = this.history.events.slice(0, place + 1).findLast((event) => "records" in event);
    return seen !== undefined && "records" in seen ? seen.records : {};
  }

  /** Whether a copy of such a call of the attempt was on its way at `place`. */
  hasCopyUnderWay(attempt: number, call: CallName, place: number): boolean {
    return (
      this.#copies("copy-sent", attempt, call, place) >
      this.#copies("copy-arrived", attempt, call, place)
    );
  }

  /** Whether the attempt's effect happened at any time, or could still happen at `place`. */
  livesOn(attempt: number, place: number): boolean {
    if (attempt < 0) return false;
    return (
      this.executionsBy(attempt).length > 0 ||
      this.#isAtWork(attempt, place) ||
      this.hasCopyUnderWay(attempt, "dispatch", place) ||
      this.hasCopyUnderWay(attempt, "enqueue", place) ||
      this.hasMessage(attempt, place)
    );
  }

  /** Whether the attempt had called downstream or the queue by then: before that it cannot execute. */
  hasSent(attempt: number, place: number): boolean {
    return this.of("call").some(
      (each) =>
        each.place < place &&
        each.event.attempt === attempt &&
        (each.event.call === "dispatch" || each.event.call === "enqueue"),
    );
  }

  /** Whether the attempt's effect happened, can still happen when the history ends, or ended in the dead-letter queue. */
  isKept(attempt: number): boolean {
    const end = this.history.events.length;
    return (
      this.executionsBy(attempt).length > 0 ||
      this.hasMessage(attempt, end) ||
      this.of("buried").some(({ event }) => event.attempt === attempt) ||
      this.hasCopyUnderWay(attempt, "enqueue", end) ||
      this.hasCopyUnderWay(attempt, "dispatch", end)
    );
  }

  /**
   * What the caller of the event at `place` did before it: an attempt's from its arrival on, and a
   * delivery's from its own on, since the next one at that place has the same name.
   */
  earlierOf(caller: string, place: number): readonly GatewayEvent[] {
    const start = this.history.events.findLastIndex(
      (event, index) => index < place && event.kind === "delivery" && event.by === caller,
    );
    return this.history.events
      .slice(Math.max(start, 0), place)
      .filter((event) => "by" in event && event.by === caller);
  }

  /** What a caller does once it heard: its next call, or its end; null where the history ends first. */
  nextAfter({ place, event: { by, attempt } }: Placed<Reply>): Placed<GatewayEvent> | null {
    const isNext = (event: GatewayEvent): boolean =>
      event.kind === "call" || event.kind === "stopped"
        ? event.by === by
        : endings.has(event.kind) && "attempt" in event && event.attempt === attempt;
    const next = this.history.events.findIndex((event, index) => index > place && isNext(event));
    const event = this.history.events[next];
    return event === undefined ? null : { place: next, event };
  }

  /** Whether a message of the attempt was in the queue at `place`. */
  hasMessage(attempt: number, place: number): boolean {
    const messages = this.of("enqueued").filter(
      (each) => each.event.attempt === attempt && each.place <= place,
    );
    return messages.some(
      ({ event: { message } }) =>
        !this.of("acknowledged").some((end) => end.event.message === message && end.place <= place),
    );
  }

  #isAtWork(attempt: number, place: number): boolean {
    const isItsEnd = (event: GatewayEvent): boolean =>
      (event.kind === "response" && event.attempt === attempt) ||
      (event.kind === "stopped" && event.attempt === attempt && event.by.startsWith("attempt"));
    return !this.history.events.slice(0, place + 1).some(isItsEnd);
  }

  #copies(
    kind: "copy-sent" | "copy-arrived",
    attempt: number,
    call: CallName,
    place: number,
  ): number {
    return this.of(kind).filter(
      (each) => each.place <= place && each.event.attempt === attempt && each.event.call === call,
    ).length;
  }
}

/** How an attempt or a delivery ends. */
const endings: ReadonlySet<GatewayEvent["kind"]> = new Set([
  "response",
  "acknowledged",
  "retried",
  "buried",
]);

/** One invariant with a further judge: it is exercised where the first one's situation occurred. */
export function alsoJudged(
  first: (facts: GatewayFacts) => Ruling,
  further: (facts: GatewayFacts) => Ruling,
): (facts: GatewayFacts) => Ruling {
  return (facts) => {
    const { exercised, violations } = first(facts);
    return { exercised, violations: [...violations, ...further(facts).violations] };
  };
}

/** `way` says which of the known ways it is, where it is one. */
export function violation(
  invariant: GatewayInvariant,
  explanation: string,
  events: readonly number[],
  way?: KnownWay,
): Violation {
  return { invariant, explanation, events, ...(way === undefined ? {} : { way }) };
}
