// A StoreSession inside workerd: contract calls become direct calls of a lane's standing object.
import type { Refusal } from "../../impl/store-requests.ts";
import type { BlockingTimes, KeyReply } from "../../model/vocabulary.ts";
import { answerOf, capabilitiesOf, sessionTimes, settlementOf } from "../policy-answers.ts";
import type {
  ReserveAnswer,
  SessionOptions,
  SettlementAnswer,
  StoreSession,
  StoreTarget,
} from "../target.ts";
import type { HarnessStore } from "./harness-store.ts";
import { epochMs, giveLaneBack, takeLane } from "./lanes.ts";
import type { Lane } from "./lanes.ts";
import type { StoreChoice } from "./protocol.ts";

export type Namespace = DurableObjectNamespace<HarnessStore>;

/** The durable-object target as it is seen from inside workerd; one run at a time. */
export class LaneTarget implements StoreTarget {
  readonly name = "durable-object";
  readonly capabilities: StoreTarget["capabilities"];
  readonly #namespace: Namespace;
  readonly #store: StoreChoice;
  #session: LaneSession | null = null;

  constructor(namespace: Namespace, store: StoreChoice) {
    this.#namespace = namespace;
    this.#store = store;
    this.capabilities = capabilitiesOf(store.policy);
  }

  async open(options: SessionOptions): Promise<StoreSession> {
    this.#session = await LaneSession.open(this.#namespace, this.#store, options);
    return this.#session;
  }

  /** Has a timer of the latest session's object fired by that object. */
  fireThere(fire: () => void): void {
    this.#session?.fireThere(fire);
  }
}

export class LaneSession implements StoreSession {
  readonly #lane: Lane;
  readonly #times: BlockingTimes;
  #stub: DurableObjectStub<HarnessStore>;
  #namespace: Namespace;
  #underWay = 0;
  /** What the object counted at the end of the last advance, while nothing was asked since. */
  #counted: number | null = null;
  #isOpen = true;

  static async open(
    namespace: Namespace,
    store: StoreChoice,
    options: SessionOptions,
  ): Promise<LaneSession> {
    const session = new LaneSession(namespace, takeLane(store), options);
    await session.#stub.reset();
    return session;
  }

  private constructor(namespace: Namespace, lane: Lane, options: SessionOptions) {
    this.#namespace = namespace;
    this.#lane = lane;
    this.#times = sessionTimes(options);
    this.#stub = namespace.getByName(lane.name);
  }

  /** A stub serves only the HTTP request that made it, and dies with a crash of its object. */
  connect(namespace: Namespace): void {
    this.#namespace = namespace;
    this.#stub = namespace.getByName(this.#lane.name);
  }

  async reserve(
    key: string,
    { token, fingerprint }: { readonly token: string; readonly fingerprint: string },
  ): Promise<ReserveAnswer> {
    const times = this.#times;
    const reply = await this.#call(() => this.#stub.reserve({ key, token, fingerprint, times }));
    return this.#relative(answerOf(this.#lane.store.policy, reply));
  }

  async commit(
    key: string,
    attempt: { readonly token: string; readonly fingerprint: string; readonly response: string },
  ): Promise<SettlementAnswer> {
    const { token, fingerprint, response } = attempt;
    const times = this.#times;
    return settlementOf(
      await this.#call(() => this.#stub.commit({ key, token, fingerprint, response, times })),
    );
  }

  async release(key: string, { token }: { readonly token: string }): Promise<SettlementAnswer> {
    return settlementOf(await this.#call(() => this.#stub.release({ key, token })));
  }

  async advance(ms: number): Promise<void> {
    this.#counted = await this.#stub.pass(ms);
  }

  async crash(): Promise<void> {
    this.#counted = null;
    try {
      await this.#stub.crash();
    } catch (error) {
      if (!String(error).includes("crash")) throw error;
    }
    this.connect(this.#namespace);
  }

  fireThere(fire: () => void): void {
    this.#lane.opened.push(fire);
    // A crash rejects it, and takes the timer with it.
    this.#stub.fireOpened().catch(() => {});
  }

  async size(): Promise<number> {
    return this.#counted ?? this.#stub.size();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A call that still hangs could touch the next session: then the lane is not used again.
    if (this.#underWay === 0) giveLaneBack(this.#lane);
  }

  async #call<Reply extends KeyReply>(send: () => Promise<Reply | Refusal>): Promise<Reply> {
    this.#underWay += 1;
    this.#counted = null;
    try {
      const reply = await send();
      if (reply.outcome !== "invalid") return reply;
      const { field, limit, found } = reply;
      throw new RangeError(`the store refuses field=${field}: limit=${limit} found=${found}`);
    } finally {
      this.#underWay -= 1;
    }
  }

  /** A session's time begins at 0, as every target's does. */
  #relative(answer: ReserveAnswer): ReserveAnswer {
    if (answer.outcome !== "proceed" || answer.deadline === undefined) return answer;
    return { ...answer, deadline: answer.deadline - epochMs };
  }
}
