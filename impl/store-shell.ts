// What carries out the key lifecycle's commands on an object's storage, whichever kind that is.
import type { KeyDecision } from "../model/key-lifecycle.ts";
import type { KeyCommand, KeyEvent, KeyRecord, KeyReply } from "../model/vocabulary.ts";
import type { StoreInspection } from "./store-requests.ts";

/**
 * A shell decides nothing: it reads a record, asks the machine, and writes what the machine
 * commands. Read, decision and writes are one critical section.
 */
export interface StoreShell {
  /** Reads what the runtime remembers; runs before the first event. */
  start(): Promise<void>;
  /** Takes one event of one key through the machine and answers what the machine replies. */
  decide(key: string, eventOf: EventOf): KeyReply | Promise<KeyReply>;
  /** What is kept of a key, ended or not; to be told, never to be decided by. */
  read(key: string): KeyRecord | null | Promise<KeyRecord | null>;
  /** The alarm: erases ended records, and arms the alarm for the earliest end that is left. */
  reclaim(): void | Promise<void>;
  /** How many records are stored, ended ones included. */
  count(): number | Promise<number>;
  inspect(): Promise<Omit<StoreInspection, "policy">>;
}

/** Makes the event inside the critical section, so that its time is the time of the decision. */
export type EventOf = (nextFence: number) => KeyEvent;

export interface ShellContext {
  readonly storage: DurableObjectStorage;
  readonly decide: Decide;
  readonly now: () => number;
}

/** What the key lifecycle says to an event, under the object's policy. */
export type Decide = (record: KeyRecord | null, event: KeyEvent) => KeyDecision;

/** The most records that one inspection returns: with the largest of them it fits an RPC answer. */
export const inspectedRecords = 32;

/** The reply among the commands of one decision. */
export function replyOf(commands: readonly KeyCommand[]): KeyReply {
  for (const command of commands) if (command.type === "reply") return command.reply;
  throw new Error("the key lifecycle gave no reply: only ALARM has none, and alarms do not ask");
}
