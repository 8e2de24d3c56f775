// What the simulated exchange does with one order: honour deadline and fence, then act as it was told.

/** What the exchange remembers of a client order id. */
export interface SimulatedOrder {
  readonly executions: number;
  /** Highest fence that was seen; 0 before the first. */
  readonly highestFence: number;
}

export interface IncomingOrder {
  readonly clientOrderId: string;
  /** Null where the sender has none: then none is honoured. */
  readonly deadlineAtMs: number | null;
  readonly fence: number | null;
}

/**
 * What the exchange can be told to do. `fail-after`, `garble` and `lose-reply` execute first, and
 * `lie` executes and then says `success: false`, which no claim covers.
 */
export const behaviours = [
  "succeed",
  "soft-fail",
  "reject",
  "fail-before",
  "fail-after",
  "garble",
  "lose-request",
  "lose-reply",
  "lie",
] as const;

export type Behaviour = (typeof behaviours)[number];

export interface OrderDecision {
  readonly order: SimulatedOrder;
  /** Null where the reply is lost. */
  readonly reply: { readonly status: number; readonly body: string } | null;
}

/** Decides an order and its effect in one step, at `now` on the exchange's clock. */
export function decideOrder(
  known: SimulatedOrder | null,
  incoming: IncomingOrder,
  behaviour: Behaviour,
  now: number,
): OrderDecision {
  const before = known ?? { executions: 0, highestFence: 0 };
  if (behaviour === "lose-request") return { order: before, reply: null };
  const { clientOrderId, deadlineAtMs, fence } = incoming;
  if (fence !== null && fence <= before.highestFence) return refused(before, 409, "fence");
  const seen = { ...before, highestFence: fence ?? before.highestFence };
  if (deadlineAtMs !== null && now >= deadlineAtMs) return refused(seen, 410, "deadline");
  const executed = { ...seen, executions: seen.executions + 1 };
  const done = reply(200, { success: true, clientOrderId, executions: executed.executions });
  switch (behaviour) {
    case "succeed":
      return { order: executed, reply: done };
    case "soft-fail":
      return { order: seen, reply: reply(200, { success: false, error: "not enough margin" }) };
    case "reject":
      return { order: seen, reply: reply(422, { error: "no such market" }) };
    case "fail-before":
      return { order: seen, reply: reply(500, { error: "internal" }) };
    case "fail-after":
      return { order: executed, reply: reply(500, { error: "internal" }) };
    case "garble":
      return { order: executed, reply: { status: 200, body: '{"success":tr' } };
    case "lose-reply":
      return { order: executed, reply: null };
    case "lie":
      return { order: executed, reply: reply(200, { success: false, error: "a lie" }) };
  }
}

function refused(order: SimulatedOrder, status: number, by: "fence" | "deadline"): OrderDecision {
  return { order, reply: reply(status, { refused: by }) };
}

function reply(status: number, body: Readonly<Record<string, unknown>>) {
  return { status, body: JSON.stringify(body) };
}
