// The store as a Durable Object: it takes calls, refuses bad input, and lets the machine decide.
import { DurableObject } from "cloudflare:workers";
import type { ReserveReply, SettlementReply } from "../model/vocabulary.ts";
import { standingOf } from "./message-standing.ts";
import {
  refuseClaim,
  refuseCommit,
  refuseRelease,
  refuseReserve,
  storeLimits,
} from "./store-limits.ts";
import type { StoreLimits } from "./store-limits.ts";
import type {
  ClaimRequest,
  CommitRequest,
  Refusal,
  ReleaseRequest,
  ReserveRequest,
  StandingReply,
  StandingRequest,
  StoreInspection,
} from "./store-requests.ts";
import { decisionsOf, settingsOf } from "./store-settings.ts";
import type { StoreEnv, StoreSettings } from "./store-settings.ts";
import type { StoreShell } from "./store-shell.ts";

/**
 * The idempotency store of seed 000, section 2: one object serves many keys. Each call is one
 * event of the key lifecycle, decided by the machine under the object's policy and carried out by
 * the shell in one critical section. A request beyond the limits is answered with a `Refusal`
 * before that section begins, and nothing of it is stored.
 */
export class IdempotencyStore extends DurableObject<StoreEnv> {
  // Fields of an instance are out of reach for RPC; prototype members would not be.
  protected readonly shell: StoreShell;
  readonly #settings: StoreSettings;
  readonly #limits: StoreLimits;

  constructor(state: DurableObjectState, env: StoreEnv, settings: StoreSettings = settingsOf(env)) {
    super(state, env);
    const { policy, now, shellOf } = settings;
    this.#settings = settings;
    this.#limits = storeLimits[policy.criticalSection];
    this.shell = shellOf({ storage: state.storage, decide: decisionsOf(policy), now }, state);
    void state.blockConcurrencyWhile(() => this.shell.start());
  }

  /** Asks for a key before work starts. */
  async reserve(request: ReserveRequest): Promise<ReserveReply | Refusal> {
    const refusal = refuseReserve(request, this.#limits);
    if (refusal !== null) return refusal;
    const { key, token, fingerprint, times } = request;
    const reply = await this.shell.decide(key, (nextFence) => {
      const now = this.#settings.now();
      return { type: "RESERVE", token, fingerprint, nextFence, times, now };
    });
    return reply as ReserveReply; // The machine answers RESERVE with nothing else.
  }

  /** Asks, for one delivery of a queued message, whether it may execute. */
  async claim(request: ClaimRequest): Promise<SettlementReply | Refusal> {
    const refusal = refuseClaim(request, this.#limits);
    if (refusal !== null) return refusal;
    const { key, token, delivery } = request;
    const reply = await this.shell.decide(key, () => {
      return { type: "CLAIM", token, delivery, now: this.#settings.now() };
    });
    return reply as SettlementReply;
  }

  /** Says that the work of `token` truly succeeded, and with which response. */
  async commit(request: CommitRequest): Promise<SettlementReply | Refusal> {
    const refusal = refuseCommit(request, this.#limits);
    if (refusal !== null) return refusal;
    const { key, token, fingerprint, response, times } = request;
    const reply = await this.shell.decide(key, () => {
      const now = this.#settings.now();
      return { type: "COMMIT", token, fingerprint, response, times, now };
    });
    return reply as SettlementReply;
  }

  /** Says that the work of `token` definitely failed: its key is free again. */
  async release(request: ReleaseRequest): Promise<SettlementReply | Refusal> {
    const refusal = refuseRelease(request, this.#limits);
    if (refusal !== null) return refusal;
    const { key, token } = request;
    const reply = await this.shell.decide(key, () => {
      return { type: "RELEASE", token, now: this.#settings.now() };
    });
    return reply as SettlementReply;
  }

  /** Tells how a queued message stands, for whoever has to say what became of it. */
  async standing(request: StandingRequest): Promise<StandingReply | Refusal> {
    const refusal = refuseRelease(request, this.#limits);
    if (refusal !== null) return refusal;
    const record = await this.shell.read(request.key);
    const standing = standingOf(record, request.token, this.#settings.now());
    return { outcome: "stands", standing };
  }

  /** Tells what the object holds; bounded, for tests and the curious. */
  async inspect(): Promise<StoreInspection> {
    return { policy: this.#settings.policy.name, ...(await this.shell.inspect()) };
  }

  override async alarm(): Promise<void> {
    await this.shell.reclaim();
  }
}
