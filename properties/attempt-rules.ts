// What an attempt does next at the store, by its policy and by what it has been told.
import type { Policy } from "../model/policy.ts";
import type { EffectOutcome } from "./plan.ts";

export type AttemptRules = Pick<
  Policy,
  "storeFailure" | "releaseUnanswered" | "unknownOutcome" | "repeatedReserve"
>;

/** What an attempt knows of its own reservation. */
export interface AttemptKnowledge {
  /** The latest word of the store: nothing asked yet, asked and waiting, or what came back. */
  readonly reserve: "not-asked" | "waiting" | "proceed" | "refused" | "no-answer";
  /** True once any reserve of this token was answered proceed to the attempt. */
  readonly accepted: boolean;
  /** True once its effect was tried. */
  readonly acted: boolean;
  /** The settlement that it has sent, which it would send again. */
  readonly settlement: "commit" | "release" | null;
  /** How many of its reserves with another payload have made a reservation, or may have. */
  readonly otherPayloads: number;
}

export type NextMove =
  | { readonly kind: "nothing" }
  | { readonly kind: "settle"; readonly call: "commit" | "release"; readonly acts: boolean }
  | { readonly kind: "act-only" };

export const initialKnowledge: AttemptKnowledge = {
  reserve: "not-asked",
  accepted: false,
  acted: false,
  settlement: null,
  otherPayloads: 0,
};

/**
 * An attempt asks again only where the policy knows it by its token; elsewhere a retry is another
 * attempt. A token is not reserved again once its release was sent: a reservation made after that
 * release would have no owner who knows of it.
 */
export function mayReserve(rules: AttemptRules, knowledge: AttemptKnowledge): boolean {
  if (knowledge.reserve === "not-asked") return true;
  return rules.repeatedReserve && knowledge.settlement !== "release";
}

/**
 * The move that an attempt makes when the plan lets it settle. Where its reservation may be one for
 * another payload it does not commit: that would be a commit with a payload that was not reserved.
 */
export function nextMove(
  rules: AttemptRules,
  knowledge: AttemptKnowledge,
  effect: EffectOutcome,
): NextMove {
  const move = moveOf(rules, knowledge, effect);
  const commits = move.kind === "settle" && move.call === "commit";
  return commits && knowledge.otherPayloads > 0 ? { kind: "nothing" } : move;
}

function moveOf(rules: AttemptRules, knowledge: AttemptKnowledge, effect: EffectOutcome): NextMove {
  if (knowledge.settlement !== null) {
    return { kind: "settle", call: knowledge.settlement, acts: false };
  }
  switch (knowledge.reserve) {
    case "not-asked":
    case "waiting":
      return { kind: "nothing" };
    case "refused":
      return { kind: "nothing" };
    case "proceed":
      return knowledge.acted ? { kind: "nothing" } : settleBy(rules, effect);
    case "no-answer":
      if (rules.storeFailure === "permit") {
        return knowledge.acted ? { kind: "nothing" } : { kind: "act-only" };
      }
      return rules.releaseUnanswered
        ? { kind: "settle", call: "release", acts: false }
        : { kind: "nothing" };
  }
}

function settleBy(rules: AttemptRules, effect: EffectOutcome): NextMove {
  switch (effect) {
    case "success":
      return { kind: "settle", call: "commit", acts: true };
    case "soft-fail":
    case "definite-failure":
      return { kind: "settle", call: "release", acts: true };
    case "unknown":
      return rules.unknownOutcome === "release"
        ? { kind: "settle", call: "release", acts: true }
        : { kind: "act-only" };
  }
}
