import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { loadTarget } from "./load-target.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

it.each([
  ["../examples/targets/correct.ts", "correct"],
  ["fixtures/with space.mts", "correct"],
  ["fixtures/plain.mjs", "correct"],
  ["./fixtures/../fixtures/hangs.ts", "hangs"],
])("loads %s", async (file, name) => {
  const loaded = await loadTarget(file, here);
  expect(loaded).toMatchObject({ kind: "loaded", target: { name } });
});

it.each([
  ["fixtures/nope.ts", "the target does not exist"],
  ["fixtures", "the target is not a file"],
  ["", "the target is not a file"],
  ["fixtures/syntax-error.mjs", "the target does not load"],
  ["fixtures/throws-at-import.ts", "REDIS_URL is not set: export it first"],
  ["fixtures/no-default-export.ts", "the target has no default export"],
  ["fixtures/no-open.ts", "open=missing"],
])("refuses %j in one line: %s", async (file, says) => {
  const loaded = await loadTarget(file, here);
  expect(loaded).toMatchObject({
    kind: "refused",
    message: expect.stringContaining(says) as string,
  });
  expect("message" in loaded ? loaded.message : "\n").not.toMatch(/[\n\r]/u);
});
