// What an answer of the trade service says about the effect: it happened, it surely did not, or nobody knows.
import * as v from "valibot";
import type { DownstreamOutcome } from "../model/gateway-attempt.ts";

export interface DownstreamAnswer {
  readonly outcome: DownstreamOutcome;
  /** The body of a success, to the byte; empty otherwise. */
  readonly body: string;
}

/** The refusals of a trade service that knows deadlines and fences, in the field `refused`. */
const downstreamRefusals = { deadline: "deadline", fence: "fence" } as const;

/**
 * Classifies by the trade service's contract. `refused` comes first: a repeated dispatch that the
 * fence refuses may have executed the first time. Then `success: false` is a soft-fail whatever the
 * status (seed 000, section 1). Of 4xx only those are definite that say the request was not taken
 * up: 408, 409, 425 and the like may follow an effect, so they are unknown, as 5xx is.
 */
export function readDownstream(answer: unknown): DownstreamAnswer {
  if (v.is(notConnectedSchema, answer)) return { outcome: "not-connected", body: "" };
  const reading = v.safeParse(replySchema, answer);
  if (!reading.success) return { outcome: "unanswered", body: "" };
  const { status, body } = reading.output;
  const outcome = outcomeOf(status, parse(body));
  return { outcome, body: outcome === "success" ? (body ?? "") : "" };
}

const notConnectedSchema = v.object({ connected: v.literal(false) });
/** What `Calls.dispatch` answers where the trade service answered; no body where it was cut off, too long or no UTF-8. */
const replySchema = v.object({
  status: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)),
  body: v.nullable(v.string()),
});
const refusedSchema = v.object({ refused: v.enum(downstreamRefusals) });
const successSchema = v.object({ success: v.boolean() });

const definiteStatuses: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 429, 431,
]);

function outcomeOf(status: number, body: unknown): DownstreamOutcome {
  if (v.is(refusedSchema, body)) {
    return body.refused === "deadline" ? "refused-by-deadline" : "refused-by-fence";
  }
  const said = v.is(successSchema, body) ? body.success : null;
  if (said === false) return "soft-fail";
  if (status >= 200 && status < 300) return said === true ? "success" : "unreadable";
  return definiteStatuses.has(status) ? "rejected" : "failed";
}

function parse(body: string | null): unknown {
  try {
    return body === null ? null : JSON.parse(body);
  } catch {
    return null;
  }
}
