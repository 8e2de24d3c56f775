// Judges the deployed Worker: it is healthy, and it does not pretend to have a gateway.
import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";

test("says that it is healthy", async () => {
  const response = await SELF.fetch("https://latchkey.test/health");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: "ok" });
});

test("answers every other request with a problem", async () => {
  const response = await SELF.fetch("https://latchkey.test/trade", { method: "POST" });
  expect(response.status).toBe(404);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(await response.json()).toMatchObject({ title: "Not Found", status: 404 });
});
