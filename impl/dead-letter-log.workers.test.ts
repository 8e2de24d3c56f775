// Judges that every dead letter can be read, however many there are.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { deadLettersOfPage } from "./dead-letter-log.ts";

test("shows every dead letter, newest first, page by page, whatever comes meanwhile", async () => {
  const stub = env.DEAD_LETTER_LOG.getByName("pages");
  await runInDurableObject(stub, async (log) => {
    const total = 2 * deadLettersOfPage + 1;
    for (let each = 0; each < total; each++) await log.record(`letter ${each}`, "r", "{}");
    await log.record("letter 0", "another reason", "{}");
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const page = await log.list(before);
      expect(page.deadLetters.length).toBeLessThanOrEqual(deadLettersOfPage);
      seen.push(...page.deadLetters.map(({ id }) => id));
      before = page.next;
      await log.record(`letter ${total + seen.length}`, "r", "{}");
    } while (before !== null);
    expect(seen).toEqual(Array.from({ length: total }, (_, each) => `letter ${total - 1 - each}`));
    const first = (await log.list()).deadLetters.find(({ id }) => id === "letter 0");
    expect(first).toBe(undefined);
    expect((await log.list(2)).deadLetters).toMatchObject([{ id: "letter 0", reason: "r" }]);
  });
});
