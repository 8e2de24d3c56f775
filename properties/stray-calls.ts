// Which calls an attempt makes beyond its own course, to which a store has to answer as ever.
import { type AttemptKnowledge, type AttemptRules, mayReserve, nextMove } from "./attempt-rules.ts";
import type { StoreCall } from "./history.ts";
import type { CallStep, PlannedAttempt, ReserveStep, SettleStep } from "./plan.ts";

/** A reserve with another payload, a commit with another response, or a release of the own commit. */
export type StrayStep = ReserveStep | SettleStep | CallStep<"release">;

/**
 * The call, or null where there is nothing to stray from: only who has asked asks otherwise, and
 * only who has committed commits otherwise or takes the commit back. As with asking again, the
 * policy has to know the attempt by its token.
 */
export function strayCall(
  rules: AttemptRules,
  knowledge: AttemptKnowledge,
  { kind, attempt }: StrayStep,
  { token, fingerprint, response, effect }: PlannedAttempt,
  key: string,
): StoreCall | null {
  const common = { attempt, key, token };
  const committed = rules.repeatedReserve && knowledge.settlement === "commit";
  switch (kind) {
    case "reserve":
      return knowledge.reserve !== "not-asked" && mayReserve(rules, knowledge)
        ? { call: "reserve", ...common, fingerprint: fingerprint === "g" ? "f" : "g" }
        : null;
    case "settle":
      return committed && nextMove(rules, knowledge, effect).kind === "settle"
        ? { call: "commit", ...common, fingerprint, response: response === "1" ? "2" : "1" }
        : null;
    case "release":
      return committed ? { call: "release", ...common } : null;
  }
}

/** What is known once the call is sent: another payload may have made a reservation from now on. */
export function knowledgeAfter(
  { otherPayloads }: AttemptKnowledge,
  { kind, fault }: StrayStep,
): Partial<AttemptKnowledge> {
  switch (kind) {
    case "reserve":
      return fault === "lost-before" ? {} : { otherPayloads: otherPayloads + 1 };
    case "settle":
      return {};
    case "release":
      return { settlement: "release" };
  }
}

/** What is known once a reserve with another payload is answered: a refusal has reserved nothing. */
export function knowledgeOnceAnswered(
  { otherPayloads }: AttemptKnowledge,
  outcome: string,
): Partial<AttemptKnowledge> {
  const mayHaveReserved = outcome === "proceed" || outcome === "indeterminate";
  return mayHaveReserved ? {} : { otherPayloads: otherPayloads - 1 };
}
