// Which interesting situations a rate-limit history contains: every `sometimes` of the random search.
import type { TenantFacts } from "./rate-limit-facts.ts";
import type { RateLimitEvent, RateLimitHistory } from "./rate-limit-history.ts";

type Test = (tenants: readonly TenantFacts[], events: readonly RateLimitEvent[]) => boolean;

const situations: Readonly<Record<string, Test>> = {
  "two isolates ask one limiter at once": (tenants) =>
    tenants.some((facts) =>
      facts.waves().some((wave) => new Set(wave.map(({ isolate }) => isolate)).size > 1),
    ),
  "two isolates ask at once for the last place": (tenants) =>
    tenants.some((facts) =>
      facts
        .waves()
        .some(
          (wave) =>
            new Set(wave.map(({ isolate }) => isolate)).size > 1 &&
            new Set(wave.map(({ reply }) => reply.outcome)).size > 1,
        ),
    ),
  "two tenants ask at once": (tenants) => {
    const [one, other] = tenants.map(({ asks }) => new Set(asks.map(({ wave }) => wave)));
    return one !== undefined && other !== undefined && [...one].some((wave) => other.has(wave));
  },
  "a request is refused a millisecond before there is a place": (tenants) =>
    askedAt(tenants, "limited", ({ windowMs }) => windowMs - 1),
  "a request is admitted just when there is a place": (tenants) =>
    askedAt(tenants, "admitted", ({ windowMs }) => windowMs),
  "a window's end lies between two admissions": (tenants) =>
    tenants.some(({ admitted, windowMs }) =>
      admitted.some((ask) => ask.atMs >= (admitted[0]?.atMs ?? 0) + windowMs),
    ),
  "a limiter is reset while its log blocks": (tenants, events) =>
    events.some(
      (event, place) =>
        event.kind === "crash" &&
        tenants.some(({ admitted, windowMs }) =>
          admitted.some((ask) => ask.place < place && ask.atMs + windowMs > event.atMs),
        ),
    ),
  "an alarm is late": (tenants, events) =>
    events.some(
      (event) =>
        event.kind === "late-alarm" &&
        tenants.some(({ admitted, windowMs }) =>
          admitted.some(
            ({ atMs }) => atMs <= event.atMs && atMs + windowMs <= event.atMs + event.ms,
          ),
        ),
    ),
};

export function situationsOf(
  { events }: RateLimitHistory,
  tenants: readonly TenantFacts[],
): readonly string[] {
  return Object.entries(situations).flatMap(([name, test]) =>
    test(tenants, events) ? [name] : [],
  );
}

/** The names of all situations, in the order in which a report shows them. */
export const rateLimitSituationNames: readonly string[] = Object.keys(situations);

/** Whether a request came so long after the admission that is `limit` admissions before it. */
function askedAt(
  tenants: readonly TenantFacts[],
  outcome: "admitted" | "limited",
  afterMs: (facts: TenantFacts) => number,
): boolean {
  return tenants.some((facts) =>
    facts.asks.some((ask) => {
      if (ask.reply.outcome !== outcome) return false;
      const before = facts.admittedUntil(ask).filter((other) => other !== ask);
      const decisive = before.at(-facts.limit);
      return decisive !== undefined && ask.atMs - decisive.atMs === afterMs(facts);
    }),
  );
}
