// The gateway attempt: which call is made next, and what the client is told, at each answer of the world.
import { assign, setup, transition } from "xstate";
import type { AnswerKind, GateRefusal } from "./gateway-answers.ts";
import type { Policy } from "./policy.ts";

export type GatewayAttempt = ReturnType<typeof createGatewayAttempt>;

/** Where the effect is sent: to downstream, to the queue, or to the queue where downstream fails. */
export type GatewayMode = "direct" | "queue-everywhere" | "queue-failover";

export type AttemptEvent =
  | { readonly type: "AUTHENTICATION"; readonly result: "passed" | GateRefusal }
  | { readonly type: "ADMISSION"; readonly result: "passed" | GateRefusal }
  | { readonly type: "RESERVE"; readonly result: ReserveResult }
  | { readonly type: "OUTCOME"; readonly result: DownstreamOutcome }
  | { readonly type: "ENQUEUE"; readonly result: EnqueueResult }
  | {
      readonly type: "SETTLEMENT";
      readonly result: "done" | "stale" | "unavailable" | "unanswered";
    };

/** `unavailable` and not bound: nothing changed. `unanswered`: nobody knows. */
export type ReserveResult =
  "proceed" | "in-flight" | "in-doubt" | "duplicate" | "mismatch" | "unavailable" | "unanswered";

/**
 * What the call to downstream came to. Definite failures: `soft-fail`, `rejected` (4xx), `not-connected`,
 * `refused-by-deadline`. Unknown: `unreadable` (2xx), `failed` (5xx), `unanswered`, `refused-by-fence`.
 */
export type DownstreamOutcome =
  | "success"
  | "soft-fail"
  | "rejected"
  | "not-connected"
  | "refused-by-deadline"
  | "refused-by-fence"
  | "unreadable"
  | "failed"
  | "unanswered";

export type EnqueueResult = "accepted" | "failed" | "unanswered";

/** The next call, or the answer to the client; carried out in order, the last before the next event. */
export type AttemptCommand =
  | { readonly type: "reserve" | "dispatch" | "enqueue" | "commit" | "release" }
  | { readonly type: "respond"; readonly answer: AnswerKind };

export interface AttemptSnapshot {
  readonly state: AttemptState;
  /** How many reserves were sent. */
  readonly reserves: number;
  /** What the client will be told once commit or release came back, however they did. */
  readonly answer: AnswerKind | null;
}

export type AttemptState =
  "received" | "authenticated" | "admitted" | "dispatched" | "enqueued" | "settled" | "responded";

export const receivedAttempt: AttemptSnapshot = { state: "received", reserves: 0, answer: null };

export interface AttemptDecision {
  readonly attempt: AttemptSnapshot;
  readonly commands: readonly AttemptCommand[];
}

/** An attempt decides one event: where it stands next, and the calls to make, as data. */
export function decideAttempt(
  machine: GatewayAttempt,
  attempt: AttemptSnapshot,
  event: AttemptEvent,
): AttemptDecision {
  const { reserves, answer } = attempt;
  const snapshot = machine.resolveState({ value: attempt.state, context: { reserves, answer } });
  const [next, actions] = transition(machine, snapshot, event);
  return {
    attempt: { ...next.context, state: next.value as AttemptState },
    commands: actions.map((action) => commandOf(action, next.context.answer)),
  };
}

/**
 * The gateway attempt under a policy and a mode: `received → authenticated → admitted → reserved →
 * dispatched → settled → responded`, refusals on the way. `reserved` is left at once, for downstream
 * (`dispatched`) or the queue (`enqueued`). The order is seed 000's; the unknown outcome that stays
 * in doubt and the token that dies with its release are the hardened rules.
 */
export function createGatewayAttempt(policy: Policy, mode: GatewayMode) {
  const twoPhase = policy.phases === "two";
  const releases = policy.unknownOutcome === "release";
  return setup({
    types: {
      context: {} as { readonly reserves: number; readonly answer: AnswerKind | null },
      events: {} as AttemptEvent,
    },
    guards: {
      is: ({ event }, results: readonly AttemptEvent["result"][]) => results.includes(event.result),
      passed: ({ event }) => event.result === "passed",
      /** A missing store lets the attempt through: the paper's fail-open. */
      permits: ({ event }) => policy.storeFailure === "permit" && isStoreFailure(event),
      asksAgain: ({ context, event }) =>
        event.result === "unanswered" && context.reserves < policy.reserveTries,
      /** Some reserve may be on its way still, or have taken effect unseen. */
      givesUpToken: ({ context, event }) =>
        policy.releaseUnanswered &&
        isStoreFailure(event) &&
        (event.result === "unanswered" || context.reserves > 1),
      obeysLateProceed: ({ context, event }) =>
        policy.lateProceed === "obey" &&
        context.answer === "unavailable" &&
        event.result === "proceed",
      turnsToQueue: ({ event }) => mode === "queue-failover" && turnsToQueue(policy, event),
      isDefinite: ({ event }) => isDefinite(policy, event),
      /** As published: what did not succeed did not happen. */
      isTakenForFailure: () => releases,
      isQueued: () => mode === "queue-everywhere",
      commitsQueued: ({ event }) =>
        twoPhase && event.result === "accepted" && policy.commitWhen === "enqueued",
      isTwoPhase: () => twoPhase,
    },
    actions: {
      reserve: assign(({ context }) => ({ reserves: context.reserves + 1 })),
      answer: assign((_, params: { readonly answer: AnswerKind }) => ({ answer: params.answer })),
      answerAsTold: assign(({ event }) => ({ answer: event.result as AnswerKind })),
      call: (_, _params: { readonly call: Call }) => {},
      respond: () => {},
    },
  }).createMachine({
    id: "attempt",
    context: { reserves: 0, answer: null },
    initial: "received",
    states: {
      received: {
        on: {
          AUTHENTICATION: [
            { guard: "passed", target: "authenticated" },
            { target: "responded", actions: ["answerAsTold", "respond"] },
          ],
        },
      },
      authenticated: {
        on: {
          ADMISSION: [
            { guard: "passed", target: "admitted", actions: ["reserve", call("reserve")] },
            { target: "responded", actions: ["answerAsTold", "respond"] },
          ],
        },
      },
      admitted: {
        on: {
          RESERVE: [
            { guard: is("proceed"), target: "reserved" },
            {
              guard: is("in-flight", "in-doubt", "duplicate", "mismatch"),
              target: "responded",
              actions: ["answerAsTold", "respond"],
            },
            { guard: "permits", target: "reserved" },
            {
              guard: "asksAgain",
              actions: policy.deadTokens
                ? ["reserve", call("reserve")]
                : [call("release"), "reserve", call("reserve")],
            },
            {
              guard: "givesUpToken",
              target: "settled",
              actions: [say("unavailable"), call("release")],
            },
            { target: "responded", actions: [say("unavailable"), "respond"] },
          ],
        },
      },
      reserved: {
        always: [
          { guard: "isQueued", target: "enqueued", actions: call("enqueue") },
          { target: "dispatched", actions: call("dispatch") },
        ],
      },
      dispatched: {
        on: {
          OUTCOME: [
            { guard: is("success"), target: "succeeded" },
            { guard: "turnsToQueue", target: "enqueued", actions: call("enqueue") },
            { guard: "isDefinite", target: "failed" },
            { guard: "isTakenForFailure", target: "failed" },
            { target: "responded", actions: [say("unknown"), "respond"] },
          ],
        },
      },
      enqueued: {
        on: {
          ENQUEUE: [
            {
              guard: "commitsQueued",
              target: "settled",
              actions: [say("queued"), call("commit")],
            },
            { guard: is("accepted"), target: "responded", actions: [say("queued"), "respond"] },
            { guard: is("failed"), target: "failed" },
            { guard: "isTakenForFailure", target: "failed" },
            { target: "responded", actions: [say("unknown"), "respond"] },
          ],
        },
      },
      succeeded: {
        entry: say("executed"),
        always: [
          { guard: "isTwoPhase", target: "settled", actions: call("commit") },
          { target: "responded", actions: "respond" },
        ],
      },
      failed: {
        entry: say("failed"),
        always: [
          { guard: "isTwoPhase", target: "settled", actions: call("release") },
          { target: "responded", actions: "respond" },
        ],
      },
      settled: {
        on: {
          RESERVE: { guard: "obeysLateProceed", target: "reserved" },
          // However commit or release came back: the effect is what the client asks about.
          SETTLEMENT: { target: "responded", actions: "respond" },
        },
      },
      responded: {
        on: { RESERVE: { guard: "obeysLateProceed", target: "reserved" } },
      },
    },
  });
}

type Call = "reserve" | "dispatch" | "enqueue" | "commit" | "release";

/** Whether the effect surely did not happen. */
function isDefinite(policy: Policy, event: AttemptEvent): boolean {
  switch ((event as Extract<AttemptEvent, { readonly type: "OUTCOME" }>).result) {
    case "soft-fail":
    case "rejected":
    case "not-connected":
    case "refused-by-deadline":
      return true;
    case "refused-by-fence":
      return policy.fenceRefusal === "definite-failure";
    case "success":
    case "unreadable":
    case "failed":
    case "unanswered":
      return false;
  }
}

/** As published, all but an answer with 2xx; hardened, only what never reached downstream. */
function turnsToQueue(policy: Policy, event: AttemptEvent): boolean {
  if (event.result === "not-connected") return true;
  return (
    policy.failover === "any-failure" &&
    (event.result === "rejected" || event.result === "failed" || event.result === "unanswered")
  );
}

function isStoreFailure(event: AttemptEvent): boolean {
  return event.result === "unavailable" || event.result === "unanswered";
}

function is(...results: readonly AttemptEvent["result"][]) {
  return { type: "is", params: results } as const;
}

function call(name: Call) {
  return { type: "call", params: { call: name } } as const;
}

function say(answer: AnswerKind) {
  return { type: "answer", params: { answer } } as const;
}

function commandOf(
  action: { readonly type: string; readonly params: unknown },
  answer: AnswerKind | null,
): AttemptCommand {
  switch (action.type) {
    case "call":
      return { type: (action.params as { readonly call: Call }).call };
    case "respond":
      if (answer === null) throw new Error("an attempt responds only with an answer: answer=null");
      return { type: "respond", answer };
    default:
      throw new Error(`the gateway attempt emitted an unknown action: type=${action.type}`);
  }
}
