// One attempt or delivery whose every call waits at a gate until the plan lets it through.
import type { Calls, DispatchRequest } from "../../impl/calls.ts";
import { operatorConfigAnswer } from "./gateway-requests.ts";
import type { CallName } from "./gateway-history.ts";
import type { PlanWorld } from "./plan-world.ts";
import type { QueuedTrade } from "../../impl/queued-trade.ts";
import type {
  ClaimRequest,
  CommitRequest,
  ReleaseRequest,
  ReserveRequest,
} from "../../impl/store-requests.ts";

/** A call as data: it can be sent once, twice, later, or never. */
export type WaitingCall =
  | { readonly call: "reserve"; readonly request: ReserveRequest }
  | { readonly call: "claim"; readonly request: ClaimRequest }
  | { readonly call: "commit"; readonly request: CommitRequest }
  | { readonly call: "release"; readonly request: ReleaseRequest }
  | { readonly call: "dispatch"; readonly request: DispatchRequest }
  | { readonly call: "enqueue"; readonly request: QueuedTrade }
  | { readonly call: "hasMark" | "mark"; readonly request: { readonly token: string } }
  | { readonly call: "deadLetter"; readonly request: null };

/** What the caller hears of its call; silence is a call that throws. */
export type Heard =
  | { readonly heard: "silence" }
  | { readonly heard: "answer"; readonly answer: unknown; readonly word: string };

export interface CallerFacts {
  /** `attempt A`, `delivery 1`. */
  readonly name: string;
  /** The attempt itself, or the one whose message is delivered. */
  readonly attempt: number;
  /** The message that is delivered; null for an attempt. */
  readonly message: { readonly number: number; readonly body: QueuedTrade } | null;
  /** Its owner token, or the name of its delivery. */
  readonly token: string;
}

export class GatedCaller {
  readonly facts: CallerFacts;
  readonly #world: PlanWorld;
  #waiting: { readonly call: WaitingCall; readonly hear: (heard: Heard) => void } | null = null;
  #hasEnded = false;
  #rest = deferred();

  constructor(world: PlanWorld, facts: CallerFacts) {
    this.#world = world;
    this.facts = facts;
  }

  /** Starts what this caller does; `end` takes its result unless the caller died meanwhile. */
  async start<Result>(
    run: (calls: Calls) => Promise<Result>,
    end: (result: Result) => void,
  ): Promise<void> {
    void this.#live(run, end);
    await this.#rest.promise;
  }

  async #live<Result>(
    run: (calls: Calls) => Promise<Result>,
    end: (result: Result) => void,
  ): Promise<void> {
    const result = await run(this.#calls());
    if (!this.#hasEnded) end(result);
    this.#hasEnded = true;
    this.#rest.resolve();
  }

  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  /** The call at the gate; null where there is none. */
  get waiting(): WaitingCall | null {
    return this.#hasEnded ? null : (this.#waiting?.call ?? null);
  }

  /** Lets the caller hear of its call, and waits until it stands at its next gate or has ended. */
  async hear(heard: Heard): Promise<void> {
    const waiting = this.#waiting;
    if (waiting === null) throw new Error(`nobody waits at the gate: caller=${this.facts.name}`);
    const { attempt, name } = this.facts;
    this.#world.note({
      kind: "reply",
      attempt,
      by: name,
      call: waiting.call.call,
      heard: heard.heard === "silence" ? "silence" : heard.word,
    });
    this.#waiting = null;
    this.#rest = deferred();
    waiting.hear(heard);
    await this.#rest.promise;
  }

  /** Dies where it stands. */
  stop(): void {
    this.#hasEnded = true;
  }

  #wait(call: WaitingCall): Promise<unknown> {
    this.#note(call.call, call.request !== null && "key" in call.request ? call.request.key : null);
    return new Promise((resolve, reject) => {
      const hear = (heard: Heard): void => {
        if (heard.heard === "answer") resolve(heard.answer);
        else reject(new Error("the call got no answer"));
      };
      this.#waiting = { call, hear };
      this.#rest.resolve();
    });
  }

  #note(call: CallName | "admit", key: string | null): void {
    const { attempt, name } = this.facts;
    this.#world.note({ kind: "call", attempt, by: name, call, key });
  }

  #calls(): Calls {
    return {
      readConfig: async () => operatorConfigAnswer,
      admit: async () => {
        this.#note("admit", null);
        return { outcome: "admitted" };
      },
      reserve: (request) => this.#wait({ call: "reserve", request }),
      claim: (request) => this.#wait({ call: "claim", request }),
      commit: (request) => this.#wait({ call: "commit", request }),
      release: (request) => this.#wait({ call: "release", request }),
      // At once, and no event: what it tells decides whether a message is kept, never an execution.
      standing: async (request) => this.#world.standing(request),
      dispatch: (request) => this.#wait({ call: "dispatch", request }),
      enqueue: (request) => this.#wait({ call: "enqueue", request }),
      hasMark: (token) => this.#wait({ call: "hasMark", request: { token } }),
      mark: (token) => this.#wait({ call: "mark", request: { token } }),
      deadLetter: () => this.#wait({ call: "deadLetter", request: null }),
      now: () => this.#world.gatewayMs,
      randomToken: () => this.facts.token,
      // A caller gives up when its call got lost; until then the plan decides how long it waits.
      timer: () => ({ ended: new Promise(() => {}), cancel() {} }),
    };
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
