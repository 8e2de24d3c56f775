// Whether what is settled at the store is what became of the effect: commit after success, release after failure.
import type { Policy } from "../../model/policy.ts";
import { attemptName, type GatewayEvent } from "./gateway-history.ts";
import {
  type GatewayFacts,
  type Placed,
  type Reply,
  type Ruling,
  violation,
} from "./gateway-facts.ts";
import { policyOf } from "./judge-acceptance.ts";

/**
 * What is committed is an effect that its caller heard of, and such an effect is committed at once:
 * a commit tells every retry that it happened. Only where the policy commits when executed, and as
 * far as the caller lives.
 */
export function judgeCommits(facts: GatewayFacts): Ruling {
  const { phases, commitWhen } = policyOf(facts);
  if (phases === "one" || commitWhen !== "executed") return { exercised: false, violations: [] };
  const commits = facts.of("call").filter(({ event }) => event.call === "commit");
  const early = commits.flatMap(({ place, event: { by, attempt } }) => {
    if (facts.earlierOf(by, place).some(isSuccess)) return [];
    const explanation = `${nameOf({ by, attempt })} commits, and has not heard that anything was executed.`;
    return [violation("nothing-lost", explanation, [place])];
  });
  const successes = facts.of("reply").filter(({ event }) => isSuccess(event));
  const dropped = successes.flatMap((reply) => {
    const explanation = `${nameOf(reply.event)} hears that its trade was executed, and does not commit.`;
    return doesNext(facts, reply, ["commit"])
      ? []
      : [violation("nothing-lost", explanation, placesOf(facts, reply))];
  });
  return { exercised: successes.length > 0, violations: [...early, ...dropped] };
}

/**
 * What surely failed is released: that is the very next call of whoever heard it, before the client
 * is answered or the message ends. An attempt may turn to the queue instead, but not after a
 * soft-fail, which is an answer (seed 000, section 1).
 */
export function judgeSoftFail(facts: GatewayFacts): Ruling {
  const failures = facts.of("reply").filter(({ event }) => isFailure(policyOf(facts), event));
  const violations = failures.flatMap((reply) => {
    const { by, call, heard } = reply.event;
    const said = heard === "soft-fail" ? "success:false" : heard;
    const turns = facts.history.mode === "queue-failover" && by.startsWith("attempt");
    const mayTurn = turns && call === "dispatch" && heard !== "soft-fail";
    if (doesNext(facts, reply, mayTurn ? ["release", "enqueue"] : ["release"])) return [];
    const explanation = `${nameOf(reply.event)} hears ${said} and does not release.`;
    return [violation("soft-fail-releases", explanation, placesOf(facts, reply))];
  });
  const exercised = failures.some((reply) => {
    const next = facts.nextAfter(reply)?.event;
    return reply.event.heard === "soft-fail" && next !== undefined && next.kind !== "stopped";
  });
  return { exercised, violations };
}

/** What is heard where the effect surely did not happen. */
const definiteFailures: ReadonlySet<string> = new Set([
  "soft-fail",
  "rejected",
  "not-connected",
  "refused-by-deadline",
]);

/** The published consumer holds no claim that it could release: it asks for another delivery. */
function isFailure({ consumerGuard }: Policy, { call, by, heard }: Reply): boolean {
  if (by.startsWith("delivery") && consumerGuard === "presence-mark") return false;
  return call === "enqueue"
    ? heard === "failed"
    : call === "dispatch" && definiteFailures.has(heard);
}

function isSuccess(event: GatewayEvent | Reply): boolean {
  return event.kind === "reply" && event.call === "dispatch" && event.heard === "success";
}

function nameOf({ by, attempt }: Pick<Reply, "by" | "attempt">): string {
  return by === attemptName(attempt) ? by : `${by} of ${attemptName(attempt)}`;
}

/** Whether the caller's next call is one of these; true also of a caller that goes no further. */
function doesNext(facts: GatewayFacts, reply: Placed<Reply>, wanted: readonly string[]): boolean {
  const next = facts.nextAfter(reply)?.event;
  if (next === undefined || next.kind === "stopped") return true;
  return next.kind === "call" && wanted.includes(next.call);
}

function placesOf(facts: GatewayFacts, reply: Placed<Reply>): readonly number[] {
  const next = facts.nextAfter(reply);
  return next === null ? [reply.place] : [reply.place, next.place];
}
