// Planted defects of the Durable Object that the suite must refute, each as a shell of its own.
import { BlockingShell } from "../../impl/blocking-shell.ts";
import type { ShellContext, StoreShell } from "../../impl/store-shell.ts";

export type MutantName = "gap";

/**
 * `gap`: a timer passes between a read and the write that depends on it, and nothing blocks the
 * object meanwhile. 1. A reads that the key is free. 2. B reads the same. 3. Both write and proceed.
 */
export const mutants: Readonly<Record<MutantName, (context: ShellContext) => StoreShell>> = {
  gap: (context) =>
    new BlockingShell({ ...context, storage: withSlowReads(context.storage) }, (body) => body()),
};

/** The same storage, but a record that was read arrives a timer later. */
function withSlowReads(storage: DurableObjectStorage): DurableObjectStorage {
  const get = async (name: string): Promise<unknown> => {
    const value = await storage.get(name);
    // Looked up now, not at start: a run replaces the timer by a schedule point.
    await new Promise<void>((resolve) => globalThis.setTimeout(resolve, 1));
    return value;
  };
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === "get") return get;
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
