import { expect, it } from "vitest";
import { hardened } from "../model/policy.ts";
import { openSession } from "./open-session.ts";
import type { Plan } from "./plan.ts";
import type { StoreTarget } from "./target.ts";
import { memoryTarget } from "./targets/memory-target.ts";

const plan: Plan = {
  pendingMs: 100,
  retentionMs: 100,
  keys: ["k", "l"],
  attempts: [],
  steps: [],
  schedule: [],
};

/** The memory store, with what happens at its sessions. */
function watched(refuses = ""): { readonly target: StoreTarget; readonly seen: string[] } {
  const seen: string[] = [];
  const target = memoryTarget(hardened);
  let opened = 0;
  const open: StoreTarget["open"] = async (options) => {
    const session = await target.open(options);
    const name = `session ${(opened += 1)}`;
    return {
      reserve: async (key, attempt) => {
        seen.push(`${name} reserves ${key}`);
        if (key === refuses) throw new RangeError("too long");
        return session.reserve(key, attempt);
      },
      commit: (key, attempt) => session.commit(key, attempt),
      release: (key, attempt) => session.release(key, attempt),
      advance: (ms) => session.advance(ms),
      crash: () => session.crash(),
      size: () => session.size(),
      close: async () => void seen.push(`${name} closes`),
    };
  };
  return { target: { ...target, open }, seen };
}

it("opens one session, and closes it twice", async () => {
  const { target, seen } = watched();
  await (await openSession(target, plan)).close();
  expect(seen).toEqual(["session 1 closes", "session 1 closes"]);
});

it("opens another beside it that holds every key, but for those past the target's limits", async () => {
  const { target, seen } = watched("l");
  const session = await openSession(target, { ...plan, beside: true });
  expect(await session.size()).toBe(0);
  await session.close();
  expect(seen).toEqual([
    "session 1 reserves k",
    "session 1 reserves l",
    "session 2 closes",
    "session 2 closes",
    "session 1 closes",
    "session 1 closes",
  ]);
});
