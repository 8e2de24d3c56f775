// What the store knows of a queued message, and what is said of one that will not execute any more.
import type { Policy } from "../model/policy.ts";
import type { KeyRecord } from "../model/vocabulary.ts";

/**
 * `executed`: committed. `claimed`: a delivery may have executed it. `unclaimed`: past its deadline
 * without a claim, so that it surely was not executed and never will be. `open`: not claimed, but a
 * delivery still may. `gone`: the store has no record of it, or none any more.
 */
export type MessageStanding = (typeof messageStandings)[number];

export const messageStandings = ["executed", "claimed", "unclaimed", "open", "gone"] as const;

/** How the message of `token` stands, at `now` on the store's clock. */
export function standingOf(record: KeyRecord | null, token: string, now: number): MessageStanding {
  if (record === null || record.token !== token) return "gone";
  if (record.status === "committed") return "executed";
  if (record.claimedBy !== null) return "claimed";
  return now >= record.deadlineAtMs ? "unclaimed" : "open";
}

/**
 * Whether the store's record says anything of an execution: only where a delivery claims before it
 * executes, and its success is what commits.
 */
export function showsExecutions(policy: Policy): boolean {
  return policy.consumerGuard !== "presence-mark" && policy.commitWhen === "executed";
}

/** Why a message died, as the dead-letter log tells it; null where the store did not say how it stands. */
export function deadReason(standing: Exclude<MessageStanding, "executed"> | null): string {
  const look = "look at the exchange before you act";
  switch (standing) {
    case "unclaimed":
      return "its deadline passed before a delivery claimed it: nobody executed it";
    case "claimed":
      return `a delivery claimed it and did not settle it, it may have executed: ${look}`;
    case "open":
      return `no delivery has claimed it, but until its deadline one may, it may yet execute: ${look}`;
    case "gone":
      return `the store has no record of it any more, it may have executed: ${look}`;
    case null:
      return `nobody knows what became of it, it may have executed: ${look}`;
  }
}
