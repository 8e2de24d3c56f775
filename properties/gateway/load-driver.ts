// A Worker that sends the gateway many requests at once from inside its process, and counts the answers.

interface DriverEnv {
  readonly GATEWAY: Fetcher;
  readonly EXCHANGE: Fetcher;
}

/** What the driver is asked for, as JSON. */
export interface Load {
  readonly apiKey: string;
  /** One list of keys a round; the requests of a round are under way at the same time. */
  readonly rounds: readonly (readonly string[])[];
}

export interface LoadResult {
  /** How often each answer was given, named by status, `replayed` where it was, and code. */
  readonly answers: Readonly<Record<string, number>>;
  /** How many executions the exchange counts in all, and how many orders had more than one. */
  readonly executions: number;
  readonly repeated: number;
}

/** A loop of in-process calls starves the event loop of workerd: it pauses this often. */
const callsBetweenPauses = 50;

export default {
  async fetch(request: Request, env: DriverEnv): Promise<Response> {
    const { apiKey, rounds } = await request.json<Load>();
    const answers: Record<string, number> = {};
    let calls = 0;
    for (const keys of rounds) {
      const given = await Promise.all(keys.map((key) => send(env.GATEWAY, apiKey, key)));
      for (const answer of given) answers[answer] = (answers[answer] ?? 0) + 1;
      calls += keys.length;
      if (calls >= callsBetweenPauses) {
        calls = 0;
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
    const totals = await env.EXCHANGE.fetch("https://exchange/simulator/executions");
    const { executions, repeated } = await totals.json<LoadResult>();
    return Response.json({ answers, executions, repeated });
  },
};

async function send(gateway: Fetcher, apiKey: string, key: string): Promise<string> {
  const response = await gateway.fetch("https://gateway/trades", {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": `"${key}"`,
    },
    body: '{"exchange":"sim","symbol":"BTC/USDT","action":"buy","quantity":"0.1"}',
  });
  const { code = "" } = await response.json<{ readonly code?: string }>();
  const isReplayed = response.headers.get("idempotency-replayed") === "true";
  return [response.status, isReplayed ? "replayed" : "", code].filter(Boolean).join(" ");
}
