// Decides how a rate-limit history is told: numbered steps of who asked when, and what each was told.
import type {
  RateLimitEvent,
  RateLimitHistory,
} from "../properties/rate-limit/rate-limit-history.ts";
import type { CounterexampleStep } from "../properties/results.ts";
import { attemptName, type Story } from "./story.ts";

/** One step an event; times are milliseconds since the start. */
export function tellRateLimitStory({ events, windowMs }: RateLimitHistory): Story {
  const steps: CounterexampleStep[] = [];
  const admitted: Admission[] = [];
  const names = namesOf(events);
  for (const [index, event] of events.entries()) {
    const name = names[index] ?? "";
    if (event.kind === "ask" && event.reply.outcome === "admitted") {
      admitted.push({ name, tenant: event.tenant, endsAtMs: event.atMs + windowMs });
    }
    const endMs = "ms" in event ? event.atMs + event.ms : event.atMs;
    const together = events.flatMap((other, place) =>
      event.kind === "ask" && other.kind === "ask" && other.wave === event.wave && other !== event
        ? [names[place] ?? ""]
        : [],
    );
    steps.push({
      step: index + 1,
      at: endMs,
      ...wordsOf(event, name, together),
      state: stateText(admitted, endMs),
    });
  }
  return { steps, stepOfEvent: steps.map(({ step }) => step) };
}

interface Admission {
  readonly name: string;
  readonly tenant: number;
  readonly endsAtMs: number;
}

/** For each event the letter of its request; empty where it is none. */
function namesOf(events: readonly RateLimitEvent[]): readonly string[] {
  let requests = 0;
  return events.map(({ kind }) => (kind === "ask" ? attemptName(requests++) : ""));
}

function wordsOf(
  event: RateLimitEvent,
  name: string,
  together: readonly string[],
): Pick<CounterexampleStep, "actor" | "action" | "detail"> {
  switch (event.kind) {
    case "ask": {
      const { tenant, isolate, reply } = event;
      const beside = together.length === 0 ? "" : `, in flight with ${together.join(", ")}`;
      return {
        actor: `request ${name}`,
        action: `of tenant ${tenant + 1} asks from isolate ${isolate + 1}${beside}`,
        detail:
          reply.outcome === "admitted"
            ? "admitted"
            : `refused: come back after ${reply.retryAfterMs} ms`,
      };
    }
    case "advance": {
      const rows = event.stored.map((count, tenant) => `${count} of tenant ${tenant + 1}`);
      return {
        actor: event.isProbe ? "probe" : "clock",
        action: event.isProbe ? `waits ${event.ms} ms more` : `moves on by ${event.ms} ms`,
        detail: `rows stored then: ${rows.join(", ")}`,
      };
    }
    case "late-alarm":
      return {
        actor: "clock",
        action: `moves on by ${event.ms} ms`,
        detail: "the limiters' alarms are late",
      };
    case "crash":
      return {
        actor: "store",
        action: "of each limiter is reset",
        detail: "what it answered must survive",
      };
  }
}

/** The admissions that are still in their window, by tenant. */
function stateText(admitted: readonly Admission[], atMs: number): string {
  const live = admitted.filter(({ endsAtMs }) => endsAtMs > atMs);
  const tenants = [...new Set(live.map(({ tenant }) => tenant))].toSorted(
    (one, other) => one - other,
  );
  const texts = tenants.map((tenant) => {
    const names = live.filter((each) => each.tenant === tenant).map(({ name }) => name);
    return `tenant ${tenant + 1}: ${names.join(", ")}`;
  });
  return texts.length === 0 ? "nothing" : texts.join("; ");
}
