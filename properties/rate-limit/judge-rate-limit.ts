// Judges one rate-limit history: which invariants it breaks, which it exercises, which situations occurred.
import { rateLimitInvariants, type RateLimitInvariant } from "../../model/rate-limit-invariants.ts";
import type { Judgement } from "../judge.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import type { Violation } from "../results.ts";
import { factsByTenant, type PlacedAsk, type TenantFacts } from "./rate-limit-facts.ts";
import type { RateLimitHistory } from "./rate-limit-history.ts";
import { situationsOf } from "./rate-limit-situations.ts";

/** What one judge says of one tenant. */
interface TenantRuling {
  /** Whether the situation that the invariant speaks of occurred. */
  readonly exercised: boolean;
  /** The first contradiction; null: none. */
  readonly broken: { readonly explanation: string; readonly places: readonly number[] } | null;
}

const judges: Readonly<Record<RateLimitInvariant, (facts: TenantFacts) => TenantRuling>> = {
  "rate-limit": judgeWindows,
  "last-place": judgeWaves,
  "needed-refusal": judgeRefusals,
  "retry-after": judgeRetryAfter,
  "rate-limit-reclaim": judgeReclaim,
};

export function judgeRateLimit(history: RateLimitHistory): Judgement {
  const tenants = factsByTenant(history);
  const violations: Violation[] = [];
  const exercised: string[] = [];
  for (const invariant of Object.keys(rateLimitInvariants) as RateLimitInvariant[]) {
    const rulings = tenants.map(judges[invariant]);
    if (rulings.some((ruling) => ruling.exercised)) exercised.push(invariant);
    for (const { broken } of rulings) {
      if (broken === null) continue;
      violations.push({ invariant, explanation: broken.explanation, events: broken.places });
    }
  }
  return { violations, exercised, situations: situationsOf(history, tenants), decided: true };
}

export function rateLimitVerdictOf({
  history,
  judgement,
}: JudgedHistory<RateLimitHistory>): PlanVerdict {
  return {
    violations: judgement.violations.map(({ invariant }) => ({ invariant })),
    exercised: judgement.exercised,
    situations: judgement.situations,
    operations: history.events.filter(({ kind }) => kind === "ask").length,
    decided: judgement.decided,
  };
}

/** A half-open window that holds too many holds no fewer when it is moved on to its first admission. */
function judgeWindows({ asks, admitted, limit, windowMs }: TenantFacts): TenantRuling {
  const tooFew = asks.length <= limit;
  const exercised = asks.some((first, index) => {
    const next = asks[index + limit];
    return next !== undefined && next.atMs < first.atMs + windowMs;
  });
  if (tooFew) return { exercised, broken: null };
  for (const [index, first] of admitted.entries()) {
    const within = admitted.slice(index).filter(({ atMs }) => atMs < first.atMs + windowMs);
    if (within.length <= limit) continue;
    const explanation = `${within.length} requests were admitted from ${first.atMs} ms to before ${first.atMs + windowMs} ms (${namesOf(within)}), and the limit of any ${windowMs} ms is ${limit}.`;
    return { exercised, broken: { explanation, places: placesOf(within) } };
  }
  return { exercised, broken: null };
}

function judgeWaves(facts: TenantFacts): TenantRuling {
  const { limit } = facts;
  const crowded = facts.waves().filter((wave) => wave.length > limit && isolatesOf(wave) > 1);
  for (const wave of facts.waves()) {
    const admitted = wave.filter(({ reply }) => reply.outcome === "admitted");
    if (admitted.length <= limit) continue;
    const explanation = `${namesOf(admitted)} were in flight together and all admitted, and the limit is ${limit}.`;
    return { exercised: true, broken: { explanation, places: placesOf(admitted) } };
  }
  return { exercised: crowded.length > 0, broken: null };
}

function judgeRefusals(facts: TenantFacts): TenantRuling {
  const { limit, windowMs } = facts;
  const refused = facts.asks.filter(({ reply }) => reply.outcome === "limited");
  for (const ask of refused) {
    const counted = facts.admittedUntil(ask).filter(({ atMs }) => atMs > ask.atMs - windowMs);
    if (counted.length >= limit) continue;
    const explanation = `${ask.name} was refused at ${ask.atMs} ms, although only ${counted.length} of its tenant's requests were admitted in the ${windowMs} ms before, and the limit is ${limit}.`;
    return { exercised: true, broken: { explanation, places: placesOf([...counted, ask]) } };
  }
  return { exercised: refused.length > 0, broken: null };
}

/** The next place is free when the admission that is `limit` admissions ago leaves the window. */
function judgeRetryAfter(facts: TenantFacts): TenantRuling {
  const { limit, windowMs } = facts;
  let exercised = false;
  for (const ask of facts.asks) {
    const { reply } = ask;
    const decisive = facts.admittedUntil(ask).at(-limit);
    if (reply.outcome === "admitted" || decisive === undefined) continue;
    exercised = true;
    const rightMs = decisive.atMs + windowMs - ask.atMs;
    if (reply.retryAfterMs === rightMs) continue;
    const explanation = `${ask.name} was told at ${ask.atMs} ms to come back after ${reply.retryAfterMs} ms, although the admission of ${decisive.name} leaves the window after ${rightMs} ms.`;
    return { exercised, broken: { explanation, places: placesOf([decisive, ask]) } };
  }
  return { exercised, broken: null };
}

function judgeReclaim(facts: TenantFacts): TenantRuling {
  const { windowMs, tenant } = facts;
  let exercised = false;
  for (const { endMs, stored, place } of facts.advances) {
    const before = facts.admitted.filter((ask) => ask.place < place);
    const live = before.filter(({ atMs }) => atMs + windowMs > endMs);
    const rows = stored[tenant] ?? 0;
    exercised ||= live.length < before.length;
    if (rows <= live.length) continue;
    const explanation = `At ${endMs} ms, after the alarm, ${rows} rows were stored for a tenant with ${live.length} admissions in their window.`;
    return { exercised: true, broken: { explanation, places: [...placesOf(before), place] } };
  }
  return { exercised, broken: null };
}

function namesOf(asks: readonly PlacedAsk[]): string {
  return asks.map(({ name }) => name).join(", ");
}

function placesOf(asks: readonly PlacedAsk[]): readonly number[] {
  return asks.map(({ place }) => place);
}

function isolatesOf(asks: readonly PlacedAsk[]): number {
  return new Set(asks.map(({ isolate }) => isolate)).size;
}
