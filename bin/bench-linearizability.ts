// Measures linearizability on long histories of one key: is the cost near-linear, legal or not?
import Table from "cli-table3";
import { deriveLifecycleTable, decideByTable } from "../model/lifecycle-table.ts";
import { hardened } from "../model/policy.ts";
import type { KeyRecord } from "../model/vocabulary.ts";
import { checkLinearizable } from "../properties/linearizability.ts";
import { machineSpec } from "../properties/machine-spec.ts";
import type { Operation } from "../properties/operations.ts";
import type { StoreAnswer } from "../properties/history.ts";

const times = { deadlineMs: 50, pendingMs: 100, retentionMs: 100 };
const clients = 4;
/** A fifth of the outcomes are unknown, and such a call may take effect at any later time, or never. */
const unknownShare = 0.2;

/** Prints a row a size; the ratio is the cost an operation, in units of that at the smallest size. */
export function benchLinearizability(print: (text: string) => void): void {
  const history = {
    pendingMs: times.pendingMs,
    retentionMs: times.retentionMs,
    capabilities: {
      ownerTokens: true,
      fingerprints: true,
      replay: true,
      crash: true,
      exactClock: true,
    },
  };
  const spec = machineSpec(hardened, history);
  checkLinearizable(operations(1000, 1), spec, {});
  const table = new Table({
    head: ["operations of one key", "unknown", "", "verdict", "ms", "µs an operation", "ratio"],
    style: { head: [], border: [] },
  });
  for (const legal of [true, false]) {
    let base = 0;
    for (const count of [1_000, 10_000, 100_000]) {
      const recorded = operations(count, 3);
      const judged = legal ? recorded : withWrongAnswer(recorded);
      const startedAtMs = performance.now();
      const { kind } = checkLinearizable(judged, spec, {});
      const elapsedMs = performance.now() - startedAtMs;
      const each = (elapsedMs * 1000) / count;
      if (base === 0) base = each;
      const unknown = judged.filter(({ answer }) => answer.outcome === "indeterminate").length;
      table.push([
        count.toLocaleString("en-US"),
        unknown.toLocaleString("en-US"),
        legal ? "as answered" : "one answer wrong near the end",
        kind,
        Math.round(elapsedMs),
        each.toFixed(1),
        (each / base).toFixed(2),
      ]);
    }
  }
  print(`${table.toString()}\n`);
}

interface Client {
  running: { operation: MutableOperation; effect: (() => StoreAnswer) | null } | null;
  holds: { token: string; fingerprint: string; attempt: number } | null;
}

type MutableOperation = { -readonly [Field in keyof Operation]: Operation[Field] };

/** What four clients saw of one key under the lifecycle's table, in the order of their calls. */
function operations(count: number, seed: number): readonly Operation[] {
  const random = randomFrom(seed);
  const store = new TableStore();
  const all: MutableOperation[] = [];
  const busy: Client[] = Array.from({ length: clients }, () => ({ running: null, holds: null }));
  let index = 0;
  while (all.length < count) {
    const client = busy[Math.floor(random() * clients)];
    if (client === undefined) continue;
    if (client.running === null) {
      if (busy.every(({ running }) => running === null) && random() < 0.25) {
        store.now += [1, 10, 50, 100][Math.floor(random() * 4)] ?? 0;
      }
      const operation = nextCall(client, all.length, index++, store.now, random);
      all.push(operation);
      client.running = { operation, effect: () => store.apply(operation) };
      if (random() < 0.3) takeEffect(client);
    } else {
      takeEffect(client);
      if (random() < 0.5) answer(client, index++, store.now, random);
    }
  }
  return all;
}

function takeEffect({ running }: Client): void {
  if (running === null || running.effect === null) return;
  running.operation.answer = running.effect();
  running.effect = null;
}

function answer(client: Client, index: number, now: number, random: () => number): void {
  const operation = client.running?.operation;
  client.running = null;
  client.holds = null;
  if (operation === undefined) return;
  if (random() < unknownShare) {
    operation.answer = { outcome: "indeterminate" };
    return;
  }
  operation.completedIndex = index;
  operation.latestMs = now;
  if (operation.call !== "reserve" || operation.answer.outcome !== "proceed") return;
  const { token, fingerprint, attempt } = operation;
  client.holds = { token, fingerprint, attempt };
}

function nextCall(
  { holds }: Client,
  attempt: number,
  invokedIndex: number,
  atMs: number,
  random: () => number,
): MutableOperation {
  const settles = random() < 0.6 ? "commit" : "release";
  const call = holds === null ? "reserve" : settles;
  const fresh = { token: `t${attempt}`, fingerprint: random() < 0.9 ? "f" : "g", attempt };
  const who = holds ?? fresh;
  return {
    ...who,
    call,
    key: "k",
    fingerprint: call === "release" ? "" : who.fingerprint,
    response: call === "commit" ? `response of ${who.token}` : "",
    invokedIndex,
    completedIndex: Infinity,
    atMs,
    latestMs: Infinity,
    answer: { outcome: "indeterminate" },
    delivered: true,
  };
}

class TableStore {
  now = 0;
  readonly #table = deriveLifecycleTable(hardened);
  #record: KeyRecord | null = null;
  #fence = 0;

  apply({ call, token, fingerprint, response }: Operation): StoreAnswer {
    const { now } = this;
    const nextFence = this.#fence + 1;
    const { record, commands } = decideByTable(
      this.#table,
      this.#record,
      call === "reserve"
        ? { type: "RESERVE", token, fingerprint, nextFence, times, now }
        : call === "commit"
          ? { type: "COMMIT", token, fingerprint, response, times, now }
          : { type: "RELEASE", token, now },
    );
    this.#record = record;
    this.#fence = Math.max(this.#fence, record?.fence ?? 0);
    const reply = commands.find((command) => command.type === "reply")?.reply;
    switch (reply?.outcome) {
      case "proceed":
        return { outcome: "proceed", fence: reply.fence, deadline: reply.deadlineAtMs };
      case "duplicate":
        return { outcome: "duplicate", response: reply.response ?? "" };
      case "in-flight":
      case "mismatch":
      case "done":
      case "stale":
        return reply;
      case undefined:
        throw new Error(`the lifecycle table gave no reply: call=${call}`);
    }
  }
}

/** The last refusal says that somebody committed what nobody committed. */
function withWrongAnswer(recorded: readonly Operation[]): readonly Operation[] {
  const last = recorded.findLastIndex(({ answer: { outcome } }) => outcome === "in-flight");
  return recorded.map((operation, index) =>
    index === last
      ? { ...operation, answer: { outcome: "duplicate", response: "nobody's" } }
      : operation,
  );
}

/** Mulberry32: the bench needs the same history each time, not good randomness. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
