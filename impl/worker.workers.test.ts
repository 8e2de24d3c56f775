// Judges the deployed Worker: it is healthy, and closed until it is configured.
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

test("trades nothing before the operator has switched it on", async () => {
  const response = await SELF.fetch("https://latchkey.test/trades", { method: "POST" });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "KILL_SWITCH" });
});

test("shows its dead letters to nobody before the operator has a key", async () => {
  const response = await SELF.fetch("https://latchkey.test/dead-letters", {
    headers: { authorization: "Bearer " },
  });
  expect(response.status).toBe(403);
});
