// How a policy's store speaks the StoreTarget contract: its capabilities, times and answers.
import type { Policy } from "../model/policy.ts";
import type { BlockingTimes, KeyReply } from "../model/vocabulary.ts";
import type {
  ReserveAnswer,
  SessionOptions,
  SettlementAnswer,
  TargetCapabilities,
} from "./target.ts";

export function capabilitiesOf(policy: Policy): TargetCapabilities {
  return {
    ownerTokens: policy.ownerTokens,
    fingerprints: policy.fingerprints,
    replay: policy.replay,
    crash: true,
    exactClock: true,
  };
}

/**
 * A session states only how long things block; the deadline of its reservations is half the
 * pending time, so that a reservation is seen before its deadline and in doubt after it.
 */
export function sessionTimes({ pendingMs, retentionMs }: SessionOptions): BlockingTimes {
  return { deadlineMs: Math.ceil(pendingMs / 2), pendingMs, retentionMs };
}

export function answerOf(policy: Policy, reply: KeyReply | null): ReserveAnswer {
  switch (reply?.outcome) {
    case "proceed":
      return policy.ownerTokens
        ? { outcome: "proceed", fence: reply.fence, deadline: reply.deadlineAtMs }
        : { outcome: "proceed" };
    case "in-flight":
      return { outcome: "in-flight", inDoubt: reply.inDoubt };
    case "duplicate":
      return policy.replay && reply.response !== null
        ? { outcome: "duplicate", response: reply.response }
        : { outcome: "duplicate" };
    case "mismatch":
      return { outcome: "mismatch" };
    case "done":
    case "stale":
    case undefined:
      throw new Error(`a reserve was answered outcome=${reply?.outcome ?? "nothing"}`);
  }
}

export function settlementOf(reply: KeyReply | null): SettlementAnswer {
  if (reply?.outcome === "done" || reply?.outcome === "stale") return reply.outcome;
  throw new Error(`a settlement was answered outcome=${reply?.outcome ?? "nothing"}`);
}
