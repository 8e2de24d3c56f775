// A Worker that asks the rate limiters as a gateway does; several of it are several isolates.
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import type { AdmissionReply, RateLimit } from "../../impl/rate-limit.ts";
import type { RateLimiterStore } from "../../impl/rate-limiter-store.ts";

type Limiters = DurableObjectNamespace<RateLimiterStore>;

export type IsolateReply = AdmissionReply | { readonly outcome: "invalid" };

export default class Isolate extends WorkerEntrypoint<{ readonly LIMITER: Limiters }> {
  /** A session keeps its stubs, which is twice as fast as a stub for each request. */
  open(): IsolateSession {
    return new IsolateSession(this.env.LIMITER);
  }
}

export class IsolateSession extends RpcTarget {
  readonly #limiters: Limiters;
  readonly #stubs = new Map<string, DurableObjectStub<RateLimiterStore>>();

  constructor(limiters: Limiters) {
    super();
    this.#limiters = limiters;
  }

  /** Sends a request to each of the limiters named before any of them answers. */
  ask(names: readonly string[], limit: RateLimit): Promise<IsolateReply[]> {
    return Promise.all(names.map((name) => this.#stubOf(name).admit(limit)));
  }

  /** A stub dies with its object: after a reset new ones are needed. */
  forget(): void {
    this.#stubs.clear();
  }

  #stubOf(name: string): DurableObjectStub<RateLimiterStore> {
    const stub = this.#stubs.get(name) ?? this.#limiters.getByName(name);
    this.#stubs.set(name, stub);
    return stub;
  }
}
