// Where tests run: those named *.workers.test.ts inside workerd, all others in Node.
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { configDefaults, defineConfig } from "vitest/config";

const workersTests = "**/*.workers.test.ts";

export default defineConfig({
  test: {
    // Both of two cores: by itself the runner leaves one of them idle.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "node",
          include: ["**/*.test.ts"],
          exclude: [...configDefaults.exclude, workersTests],
          setupFiles: ["./properties/seed-of-tests.ts"],
          // Our modules hold no state but caches, so that test files can share two processes.
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.jsonc" },
            // The configuration names other Workers, which the pool does not have.
            miniflare: {
              serviceBindings: {
                TRADE_SERVICE: () => new Response("no"),
                EXCHANGE_FEED: () => new Response("no"),
              },
            },
          }),
        ],
        test: {
          name: "workers",
          include: [workersTests],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
