// Which ambient types the Workers code compiles against: those of workerd and of its test runner.
/// <reference types="@cloudflare/workers-types" />
/// <reference types="@cloudflare/vitest-pool-workers/types" />

import type { DeadLetterLog } from "./dead-letter-log.ts";
import type { ExchangeConnectionManager } from "./exchange-connection-manager.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import type { RateLimiterStore } from "./rate-limiter-store.ts";

declare global {
  namespace Cloudflare {
    /** The bindings of `wrangler.jsonc`, as tests inside workerd see them. */
    interface Env {
      readonly IDEMPOTENCY_STORE: DurableObjectNamespace<IdempotencyStore>;
      readonly RATE_LIMITER: DurableObjectNamespace<RateLimiterStore>;
      readonly DEAD_LETTER_LOG: DurableObjectNamespace<DeadLetterLog>;
      readonly EXCHANGE_CONNECTIONS: DurableObjectNamespace<ExchangeConnectionManager>;
      readonly LATCHKEY_POLICY: string;
    }
  }
}
