// Planted defects of the gateway and its consumer: what ships, with something in front of its calls.
import type { Calls } from "../../impl/calls.ts";
import { jsonResponse } from "../../impl/attempt-calls.ts";
import type { QueuedTrade } from "../../impl/queued-trade.ts";
import { writeStoredResponse } from "../../impl/stored-response.ts";
import type { PlanGateway } from "./plan-gateway.ts";

export type GatewayMutantName = keyof typeof gatewayMutants;

/** One caller's calls, changed; for an attempt there is no message. */
type Mutant = (calls: Calls, message: QueuedTrade | null) => Partial<Calls>;

export const gatewayMutants = {
  "attempt commits before it dispatches": (calls, message) => {
    if (message !== null) return {};
    let asked: Parameters<Calls["reserve"]>[0] | null = null;
    return {
      reserve: (request) => calls.reserve((asked = request)),
      dispatch: async (request, signal) => {
        if (asked !== null) await calls.commit({ ...asked, response });
        return calls.dispatch(request, signal);
      },
    };
  },
  "consumer commits before it executes": (calls, message) =>
    message === null
      ? {}
      : {
          dispatch: async (request, signal) => {
            const { key, token, fingerprint, times } = message;
            await calls.commit({ key, token, fingerprint, times, response });
            return calls.dispatch(request, signal);
          },
        },
  "consumer never commits": (_, message) => (message === null ? {} : { commit: done }),
  "consumer never releases": (_, message) => (message === null ? {} : { release: done }),
  "attempt never commits": (_, message) => (message === null ? { commit: done } : {}),
  "attempt never releases": (_, message) => (message === null ? { release: done } : {}),
  "mismatch is told as unavailable": (calls) => ({
    reserve: async (request) => {
      const answer = await calls.reserve(request);
      return outcomeOf(answer) === "mismatch" ? { outcome: "unavailable" } : answer;
    },
  }),
  "mismatch is told as a replay": (calls) => ({
    reserve: async (request) => {
      const answer = await calls.reserve(request);
      return outcomeOf(answer) === "mismatch" ? { outcome: "duplicate", response } : answer;
    },
  }),
  "in flight is told as a duplicate": (calls) => ({
    reserve: async (request) => {
      const answer = await calls.reserve(request);
      return outcomeOf(answer) === "in-flight" ? { outcome: "duplicate", response: null } : answer;
    },
  }),
  "each token has a client order id": (calls, message) =>
    message === null
      ? {
          dispatch: (request, signal) => {
            const clientOrderId = `${request.clientOrderId} ${calls.randomToken()}`;
            return calls.dispatch({ ...request, clientOrderId }, signal);
          },
        }
      : {},
  "all keys have one client order id": (calls) => ({
    dispatch: (request, signal) => calls.dispatch({ ...request, clientOrderId: "one" }, signal),
  }),
} as const satisfies Readonly<Record<string, Mutant>>;

/** The gateway with the defect in it; itself where there is none. */
export function withMutant(gateway: PlanGateway, name: GatewayMutantName | null): PlanGateway {
  if (name === null) return gateway;
  const mutant: Mutant = gatewayMutants[name];
  const changed = (calls: Calls, message: QueuedTrade | null): Calls => ({
    ...calls,
    ...mutant(calls, message),
  });
  return {
    policy: gateway.policy,
    gatewayWith: (calls, mode) => gateway.gatewayWith(changed(calls, null), mode),
    consumerWith: (calls, message) => gateway.consumerWith(changed(calls, message), message),
  };
}

const response = writeStoredResponse(jsonResponse(200, '{"success":true}'));

/** Says that it was done, and sends nothing. */
const done = async () => ({ outcome: "done" });

function outcomeOf(answer: unknown): unknown {
  return typeof answer === "object" && answer !== null && "outcome" in answer
    ? answer.outcome
    : null;
}
