// What the StoreTarget contract allows, written down from its text and not from the machine.
import type { History } from "./history.ts";
import {
  createKeySpec,
  gatherRules,
  type KeyRule,
  type KeyRules,
  type KeySituation,
  type KeyState,
} from "./key-spec.ts";
import { judgedTimes } from "./operations.ts";
import type { SequentialSpec } from "./sequential-spec.ts";
import type { TargetCapabilities } from "./target.ts";

/** The contract at the capabilities and times of a history's target (design, *Contracts*). */
export function contractSpec(
  history: Pick<History, "pendingMs" | "retentionMs" | "capabilities">,
): SequentialSpec<KeyState> {
  const { capabilities } = history;
  const rules = rulesOf(capabilities);
  return createKeySpec({ times: judgedTimes(history), capabilities, rules, deadlineMs: null });
}

const known = new Map<string, KeyRules>();

function rulesOf(capabilities: TargetCapabilities): KeyRules {
  const name = `${capabilities.ownerTokens} ${capabilities.fingerprints}`;
  const rules =
    known.get(name) ?? gatherRules((situation) => contractRules(situation, capabilities));
  known.set(name, rules);
  return rules;
}

/** All that the contract allows in a situation. */
export function contractRules(
  situation: KeySituation,
  capabilities: TargetCapabilities,
): readonly KeyRule[] {
  switch (situation.call) {
    case "reserve":
      return [reserveRule(situation, capabilities)];
    case "commit":
      return capabilities.ownerTokens ? commitRules(situation) : commitRulesByKey(situation);
    case "release":
      return [capabilities.ownerTokens ? releaseRule(situation) : releaseRuleByKey()];
  }
}

function reserveRule(
  { status, own, sameFingerprint }: KeySituation,
  { fingerprints, ownerTokens }: TargetCapabilities,
): KeyRule {
  if (status === "absent") return { change: "accept", outcome: "proceed" };
  if (fingerprints && !sameFingerprint) return { change: "keep", outcome: "mismatch" };
  if (status === "committed") return { change: "keep", outcome: "duplicate" };
  return { change: "keep", outcome: ownerTokens && own ? "proceed" : "in-flight" };
}

function commitRules({ status, own }: KeySituation): readonly KeyRule[] {
  switch (status) {
    case "absent":
      return [
        { change: "commit-late", outcome: "done" },
        { change: "keep", outcome: "stale" },
      ];
    case "pending":
      return [own ? { change: "commit", outcome: "done" } : { change: "keep", outcome: "stale" }];
    case "committed":
      return [{ change: "keep", outcome: own ? "done" : "stale" }];
  }
}

/** By key alone and always done: whether a free key keeps a late commit is left open. */
function commitRulesByKey({ status }: KeySituation): readonly KeyRule[] {
  switch (status) {
    case "absent":
      return [
        { change: "commit-late", outcome: "done" },
        { change: "keep", outcome: "done" },
      ];
    case "pending":
      return [{ change: "commit", outcome: "done" }];
    case "committed":
      return [{ change: "keep", outcome: "done" }];
  }
}

function releaseRule({ status, own }: KeySituation): KeyRule {
  return status === "pending" && own
    ? { change: "erase", outcome: "done" }
    : { change: "keep", outcome: "stale" };
}

function releaseRuleByKey(): KeyRule {
  return { change: "erase", outcome: "done" };
}
