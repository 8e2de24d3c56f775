// On the real runtime, a queued request executes once, or ends visibly in the dead-letter queue.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localKeys, startLocalRuntime, type LocalRuntime } from "./local-runtime.ts";

let runtime: LocalRuntime;

beforeAll(async () => {
  runtime = await startLocalRuntime({
    vars: { LATCHKEY_MODE: "queue-everywhere", RATE_LIMIT: "100000" },
  });
}, 120_000);

afterAll(() => runtime.close());

function post(key: string): Promise<Response> {
  return fetch(new URL("/trades", runtime.url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${localKeys.test}`,
      "content-type": "application/json",
      "idempotency-key": `"${key}"`,
    },
    body: '{"exchange":"sim","symbol":"X","action":"buy","quantity":1}',
  });
}

async function read<Body>(path: string): Promise<Body> {
  const headers = { authorization: `Bearer ${localKeys.operator}` };
  return (await (await fetch(new URL(path, runtime.url), { headers })).json()) as Body;
}

/** Asks until the answer is the wanted one; the test's own time-out is the bound. */
async function until<Answer>(
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("a queued request", () => {
  it("is executed by the consumer, once, and then replayed", async () => {
    const answers = await Promise.all([post("a"), post("a"), post("a")]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409]);
    const replayed = await until(
      () => post("a"),
      ({ status }) => status === 200,
    );
    expect(replayed.headers.get("idempotency-replayed")).toBe("true");
    expect(await replayed.json()).toMatchObject({ success: true, executions: 1 });
  }, 60_000);

  it("that the exchange rejects leaves a record without its owner token, and a free key", async () => {
    const instruction = { method: "POST", body: '{"behaviour":"reject"}' };
    await fetch(new URL("/simulator/next", runtime.url), instruction);
    expect((await post("b")).status).toBe(202);
    const { deadLetters } = await until(
      () => read<{ total: number; deadLetters: readonly { message: string }[] }>("/dead-letters"),
      ({ total }) => total === 1,
    );
    expect(deadLetters).toMatchObject([{ reason: "the trade service answered: outcome=rejected" }]);
    expect(deadLetters[0]?.message).toContain('"key":');
    expect(deadLetters[0]?.message).not.toContain('"token":');
    expect((await post("b")).status).toBe(202);
  }, 60_000);

  it("shows its dead letters to the operator alone", async () => {
    const path = new URL("/dead-letters", runtime.url);
    for (const key of ["", localKeys.test, localKeys.live]) {
      const response = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
      expect(response.status).toBe(403);
    }
  });
});
