// A Worker that asks the rate limiter many times at once; several of it are several isolates.
import { RateLimiterStore } from "../../impl/rate-limiter-store.ts";
import type { AdmissionReply, RateLimit } from "../../impl/rate-limit.ts";

export { RateLimiterStore };

/** What one isolate is asked to do. */
export interface IsolateJob {
  readonly session: string;
  readonly limit: RateLimit;
  /** Made at once. */
  readonly calls: number;
}

export interface IsolateAnswer {
  readonly outcomes: readonly (AdmissionReply["outcome"] | "invalid")[];
  /** How many requests this isolate has served: a count that isolates do not share. */
  readonly served: number;
}

let served = 0;

export default {
  async fetch(
    request: Request,
    env: { readonly LIMITER: DurableObjectNamespace<RateLimiterStore> },
  ): Promise<Response> {
    const { session, limit, calls } = await request.json<IsolateJob>();
    served += 1;
    const limiter = env.LIMITER.getByName(session);
    const asked = Array.from({ length: calls }, () => limiter.admit(limit));
    const outcomes = (await Promise.all(asked)).map(({ outcome }) => outcome);
    return Response.json({ outcomes, served } satisfies IsolateAnswer);
  },
};
