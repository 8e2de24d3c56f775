// A stand-in for the trade service: it counts what it executed, and fails, stalls and loses replies as told.
import { DurableObject } from "cloudflare:workers";
import {
  behaviours,
  decideOrder,
  type Behaviour,
  type IncomingOrder,
  type OrderDecision,
  type SimulatedOrder,
} from "./simulated-order.ts";

export interface Instruction {
  readonly behaviour: Behaviour;
  /** How many of the next orders it is for; at least one. */
  readonly orders: number;
  /** How long such an order waits before it is decided; its deadline is judged after that. */
  readonly stallMs: number;
}

export interface SimulatedExecution extends SimulatedOrder {
  readonly clientOrderId: string;
}

/** Most executions that one page has. */
const executionPage = 1_000;

/** One object is the whole exchange: its memory survives its own restarts, as an exchange's does. */
export class ExchangeSimulator extends DurableObject {
  readonly #storage: DurableObjectStorage;
  readonly #now: () => number;
  #instructions: Instruction[] = [];

  constructor(state: DurableObjectState, env: unknown, now: () => number = Date.now) {
    super(state, env as never);
    this.#storage = state.storage;
    this.#now = now;
    state.storage.sql.exec(`
      CREATE TABLE IF NOT EXISTS orders (
        client_order_id TEXT PRIMARY KEY,
        executions INTEGER NOT NULL,
        highest_fence INTEGER NOT NULL
      );
    `);
  }

  /** Takes an order. Deciding and acting are one transaction, after any stall. */
  async take(incoming: IncomingOrder): Promise<OrderDecision["reply"]> {
    const { behaviour, stallMs } = this.#nextInstruction();
    if (stallMs > 0) await new Promise((resolve) => setTimeout(resolve, stallMs));
    return this.#storage.transactionSync(() => {
      const known = this.#find(incoming.clientOrderId);
      const { order, reply } = decideOrder(known, incoming, behaviour, this.#now());
      this.#storage.sql.exec(
        "INSERT OR REPLACE INTO orders VALUES (?, ?, ?)",
        incoming.clientOrderId,
        order.executions,
        order.highestFence,
      );
      return reply;
    });
  }

  /** Tells the exchange what to do with its next orders; after them it succeeds again. */
  async instruct(instruction: Instruction): Promise<void> {
    this.#instructions.push(instruction);
  }

  async executionsOf(clientOrderId: string): Promise<number> {
    return this.#find(clientOrderId)?.executions ?? 0;
  }

  /** Every execution there was, and how many orders had more than one. */
  async totals(): Promise<{ readonly executions: number; readonly repeated: number }> {
    return this.#storage.sql
      .exec<{ executions: number; repeated: number }>(
        `SELECT coalesce(sum(executions), 0) AS executions,
                count(CASE WHEN executions > 1 THEN 1 END) AS repeated FROM orders`,
      )
      .one();
  }

  async list(): Promise<readonly SimulatedExecution[]> {
    return this.#storage.sql
      .exec<{ clientOrderId: string; executions: number; highestFence: number }>(
        `SELECT client_order_id AS clientOrderId, executions, highest_fence AS highestFence
         FROM orders ORDER BY client_order_id LIMIT ?`,
        executionPage,
      )
      .toArray();
  }

  #nextInstruction(): Instruction {
    const [next, ...rest] = this.#instructions;
    if (next === undefined) return { behaviour: "succeed", orders: 1, stallMs: 0 };
    this.#instructions = next.orders > 1 ? [{ ...next, orders: next.orders - 1 }, ...rest] : rest;
    return next;
  }

  #find(clientOrderId: string): SimulatedOrder | null {
    return (
      this.#storage.sql
        .exec<{ executions: number; highestFence: number }>(
          `SELECT executions, highest_fence AS highestFence FROM orders
           WHERE client_order_id = ?`,
          clientOrderId,
        )
        .toArray()[0] ?? null
    );
  }
}

/** Reads an instruction from JSON; null where it is none. */
export function readInstruction(value: unknown): Instruction | null {
  if (typeof value !== "object" || value === null) return null;
  const { behaviour, orders = 1, stallMs = 0 } = value as Readonly<Record<string, unknown>>;
  const known = behaviours.find((each) => each === behaviour);
  if (known === undefined || !isCount(orders, 1, 1_000) || !isCount(stallMs, 0, 600_000))
    return null;
  return { behaviour: known, orders, stallMs };
}

function isCount(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}
