// Which answers of a target the contract knows: each one as it comes is checked here.
import type { StoreAnswer, StoreCall, TargetFaultEvent } from "./history.ts";
import type { StoreSession } from "./target.ts";

/** The target broke the contract itself; the run records it and ends. */
export class TargetFault extends Error {
  readonly operation: string;
  readonly problem: TargetFaultEvent["problem"];
  readonly detail: string;

  constructor(operation: string, problem: TargetFaultEvent["problem"], detail: string) {
    super(`${operation}: ${problem}: ${detail}`);
    this.operation = operation;
    this.problem = problem;
    this.detail = detail;
  }
}

/** Makes the call; rejects with a `TargetFault` where the contract does not know the answer. */
export async function invoke(session: StoreSession, call: StoreCall): Promise<StoreAnswer> {
  switch (call.call) {
    case "reserve": {
      const { token, fingerprint } = call;
      return checkedReserve(await session.reserve(call.key, { token, fingerprint }));
    }
    case "commit": {
      const { token, fingerprint, response } = call;
      return checkedSettlement(
        "commit",
        await session.commit(call.key, { token, fingerprint, response }),
      );
    }
    case "release":
      return checkedSettlement("release", await session.release(call.key, { token: call.token }));
  }
}

function checkedReserve(answer: unknown): StoreAnswer {
  const outcome = (answer as { readonly outcome?: unknown } | null | undefined)?.outcome;
  switch (outcome) {
    case "proceed":
    case "in-flight":
    case "duplicate":
    case "mismatch":
    case "unavailable":
      return answer as StoreAnswer;
    default:
      throw new TargetFault("reserve", "unknown-answer", describe(answer));
  }
}

function checkedSettlement(operation: string, answer: unknown): StoreAnswer {
  if (answer === "done" || answer === "stale" || answer === "unavailable") {
    return { outcome: answer };
  }
  throw new TargetFault(operation, "unknown-answer", describe(answer));
}

/** The count that `size` answered, if it is one. */
export function checkedSize(answer: unknown): number {
  if (typeof answer === "number" && Number.isSafeInteger(answer) && answer >= 0) return answer;
  throw new TargetFault("size", "unknown-answer", describe(answer));
}

/**
 * A `RangeError` is a refusal of the target's stated limits where the call has something that a
 * limit could be about: an odd or long string. On plain short strings it is a fault like any other.
 */
export function isRefusalOfLimits(error: unknown, call: StoreCall): boolean {
  if (!(error instanceof RangeError)) return false;
  const strings = [call.key, call.token];
  if (call.call !== "release") strings.push(call.fingerprint);
  if (call.call === "commit") strings.push(call.response);
  return strings.some((text) => text.length === 0 || text.length > 64 || !/^[ -~]*$/.test(text));
}

function describe(answer: unknown): string {
  const text = asText(answer);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** What was thrown, as one line. */
export function oneLine(error: unknown): string {
  return describe(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

function asText(answer: unknown): string {
  if (typeof answer === "number") return String(answer); // JSON knows no NaN.
  try {
    return JSON.stringify(answer) ?? String(answer);
  } catch {
    return `a value of type ${typeof answer} that JSON cannot write`;
  }
}
