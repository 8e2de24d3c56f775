// The deployable Worker: it holds the store, and says so; the gateway in front of it comes later.
import type { StoreEnv } from "./store-settings.ts";

export { IdempotencyStore } from "./idempotency-store.ts";

/** Answers `GET /health`, and every other request with a problem that says what is missing. */
export default {
  fetch(request: Request): Response {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ status: "ok" });
    const problem = {
      type: "about:blank",
      title: "Not Found",
      status: 404,
      detail: "This Worker serves the idempotency store over its binding; it has no gateway yet.",
    };
    const headers = { "content-type": "application/problem+json" };
    return new Response(JSON.stringify(problem), { status: 404, headers });
  },
} satisfies ExportedHandler<StoreEnv>;
