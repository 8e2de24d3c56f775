// Which ambient types the Workers code compiles against: those of workerd and of its test runner.
/// <reference types="@cloudflare/workers-types" />
/// <reference types="@cloudflare/vitest-pool-workers/types" />

declare namespace Cloudflare {
  /** The bindings of `wrangler.jsonc`, as tests inside workerd see them. */
  interface Env {
    readonly IDEMPOTENCY_STORE: DurableObjectNamespace<
      import("./idempotency-store.ts").IdempotencyStore
    >;
    readonly RATE_LIMITER: DurableObjectNamespace<
      import("./rate-limiter-store.ts").RateLimiterStore
    >;
    readonly LATCHKEY_POLICY: string;
  }
}
