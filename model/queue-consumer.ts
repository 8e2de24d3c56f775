// The queue consumer: what one delivery of a queued message does next, at each answer of the world.
import { setup, transition } from "xstate";
import type { DownstreamOutcome } from "./gateway-attempt.ts";
import type { Policy } from "./policy.ts";

export type QueueConsumer = ReturnType<typeof createQueueConsumer>;

export type ConsumerEvent =
  /** A delivery arrives, before or past the deadline that its message carries. */
  | { readonly type: "DELIVERY"; readonly result: "in-time" | "late" }
  /** The answer of the guard: the claim at the store, or the mark in the KV store. */
  | { readonly type: "GUARD"; readonly result: "granted" | "denied" | "unanswered" }
  | { readonly type: "OUTCOME"; readonly result: DownstreamOutcome }
  | {
      readonly type: "SETTLEMENT";
      readonly result: "done" | "stale" | "unavailable" | "unanswered";
    };

export type ConsumerState =
  "delivered" | "guarded" | "executing" | "committing" | "releasing" | "finished";

/** `ack` ends the message, `retry` asks for another delivery, `dead-letter` ends it visibly. */
export type ConsumerCommand =
  | "claim"
  | "check-mark"
  | "dispatch"
  | "mark"
  | "commit"
  | "release"
  | "ack"
  | "retry"
  | "dead-letter";

export interface ConsumerDecision {
  readonly state: ConsumerState;
  readonly commands: readonly ConsumerCommand[];
}

/** A delivery decides one event: where it stands next, and the calls to make, as data. */
export function decideDelivery(
  machine: QueueConsumer,
  state: ConsumerState,
  event: ConsumerEvent,
): ConsumerDecision {
  const snapshot = machine.resolveState({ value: state, context: {} });
  const [next, actions] = transition(machine, snapshot, event);
  return {
    state: next.value,
    commands: actions.map(
      ({ params }) => (params as unknown as { readonly command: ConsumerCommand }).command,
    ),
  };
}

/**
 * The consumer under a policy. As published a delivery executes unless the message is marked, marks
 * it afterwards, and every failure is retried. Hardened, a delivery executes once the store granted
 * it the claim; a definite failure releases and ends visibly; what is unknown stays in doubt, and
 * its later deliveries, which no claim is granted to, end in the dead-letter queue at the deadline.
 */
export function createQueueConsumer(policy: Policy) {
  const claims = policy.consumerGuard !== "presence-mark";
  const dead = command(policy.deadMessage === "dead-letter" ? "dead-letter" : "ack");
  return setup({
    types: { events: {} as ConsumerEvent },
    guards: {
      is: ({ event }, result: ConsumerEvent["result"]) => event.result === result,
      releases: ({ event }) =>
        claims && event.type === "OUTCOME" && isDefinite(policy, event.result),
    },
    actions: { do: (_, _params: { readonly command: ConsumerCommand }) => {} },
  }).createMachine({
    id: "delivery",
    initial: "delivered",
    states: {
      delivered: {
        on: {
          DELIVERY: [
            { guard: is("late"), target: "finished", actions: dead },
            { target: "guarded", actions: command(claims ? "claim" : "check-mark") },
          ],
        },
      },
      guarded: {
        on: {
          GUARD: [
            { guard: is("granted"), target: "executing", actions: command("dispatch") },
            // A mark says that it was done; a claim denied says only that it is not ours to do.
            claims
              ? { target: "finished", actions: command("retry") }
              : { guard: is("denied"), target: "finished", actions: command("ack") },
            { target: "finished", actions: command("retry") },
          ],
        },
      },
      executing: {
        on: {
          OUTCOME: [
            {
              guard: is("success"),
              target: "committing",
              actions: command(claims ? "commit" : "mark"),
            },
            { guard: "releases", target: "releasing", actions: command("release") },
            { target: "finished", actions: command("retry") },
          ],
        },
      },
      committing: { on: { SETTLEMENT: { target: "finished", actions: command("ack") } } },
      releasing: { on: { SETTLEMENT: { target: "finished", actions: dead } } },
      finished: {},
    },
  });
}

function isDefinite(policy: Policy, outcome: DownstreamOutcome): boolean {
  switch (outcome) {
    case "soft-fail":
    case "rejected":
    case "not-connected":
    case "refused-by-deadline":
      return true;
    case "refused-by-fence":
      return policy.fenceRefusal === "definite-failure";
    case "success":
      return false;
    case "unreadable":
    case "failed":
    case "unanswered":
      return policy.unknownOutcome === "release";
  }
}

function is(result: ConsumerEvent["result"]) {
  return { type: "is", params: result } as const;
}

function command(name: ConsumerCommand) {
  return { type: "do", params: { command: name } } as const;
}
