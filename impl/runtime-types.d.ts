// Which ambient types the Workers code compiles against: those of workerd and of its test runner.
/// <reference types="@cloudflare/workers-types" />
/// <reference types="@cloudflare/vitest-pool-workers/types" />

import type { IdempotencyStore } from "./idempotency-store.ts";
import type { RateLimiterStore } from "./rate-limiter-store.ts";

declare global {
  namespace Cloudflare {
    /** The bindings of `wrangler.jsonc`, as tests inside workerd see them. */
    interface Env {
      readonly IDEMPOTENCY_STORE: DurableObjectNamespace<IdempotencyStore>;
      readonly RATE_LIMITER: DurableObjectNamespace<RateLimiterStore>;
      readonly LATCHKEY_POLICY: string;
    }
  }
}
