// What the key lifecycle under a policy answers, as a specification for linearizability.
import {
  deriveLifecycleTable,
  rowIndex,
  type LifecycleTable,
  type RecordChange,
} from "../model/lifecycle-table.ts";
import type { Policy } from "../model/policy.ts";
import type { KeyEvent } from "../model/vocabulary.ts";
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
import { sessionTimes } from "./policy-answers.ts";
import type { SequentialSpec } from "./sequential-spec.ts";

/**
 * The machine itself, exact: each situation has one rule, read from the table that is derived from
 * the machine. A record whose time is over is taken for absent, as no alarm has a say in answers.
 * Deadlines are those of a session at our own targets, so that deadline and doubt are exact too.
 */
export function machineSpec(
  policy: Policy,
  history: Pick<History, "pendingMs" | "retentionMs" | "capabilities">,
): SequentialSpec<KeyState> {
  return createKeySpec({
    times: judgedTimes(history),
    capabilities: { ownerTokens: policy.ownerTokens, replay: policy.replay },
    rules: rulesOf(policy),
    deadlineMs: sessionTimes(history).deadlineMs,
  });
}

/** The machine's one rule in a situation. */
export function machineRule(table: LifecycleTable, situation: KeySituation): KeyRule {
  const row = table.rows[rowIndex({ ...unclaimed, ...situation, event: events[situation.call] })];
  const outcome = row?.reply ?? null;
  if (row === undefined || outcome === null) {
    throw new Error(`the lifecycle table answers nothing: call=${situation.call}`);
  }
  return { change: ruleChange(row.change, table.policy), outcome };
}

const unclaimed = { ended: false, pastDeadline: false, claim: "none" } as const;

const events = {
  reserve: "RESERVE",
  commit: "COMMIT",
  release: "RELEASE",
} as const satisfies Record<KeySituation["call"], KeyEvent["type"]>;

const known = new WeakMap<Policy, KeyRules>();

function rulesOf(policy: Policy): KeyRules {
  let rules = known.get(policy);
  if (rules === undefined) {
    const table = deriveLifecycleTable(policy);
    rules = gatherRules((situation) => [machineRule(table, situation)]);
    known.set(policy, rules);
  }
  return rules;
}

function ruleChange(change: RecordChange, { retentionFrom }: Policy): KeyRule["change"] {
  switch (change) {
    case "commit":
      return retentionFrom === "commit" ? "commit" : "commit-until-same-end";
    case "claim":
      throw new Error("the lifecycle table claims at a call of a store");
    case "keep":
    case "accept":
    case "commit-late":
    case "erase":
      return change;
  }
}
