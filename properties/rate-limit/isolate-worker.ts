// A Worker that asks the rate limiters as a gateway does; several of it are several isolates.
import { WorkerEntrypoint } from "cloudflare:workers";
import type { AdmissionReply, RateLimit } from "../../impl/rate-limit.ts";
import type { RateLimiterStore } from "../../impl/rate-limiter-store.ts";

interface IsolateEnv {
  readonly LIMITER: DurableObjectNamespace<RateLimiterStore>;
}

export type IsolateReply = AdmissionReply | { readonly outcome: "invalid" };

export default class Isolate extends WorkerEntrypoint<IsolateEnv> {
  /** Sends a request to each of the limiters named before any of them answers. */
  ask(names: readonly string[], limit: RateLimit): Promise<IsolateReply[]> {
    return Promise.all(names.map((name) => this.env.LIMITER.getByName(name).admit(limit)));
  }
}
