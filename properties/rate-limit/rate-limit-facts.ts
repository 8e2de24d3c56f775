// What the judges of a rate-limit history ask of it: each tenant's requests and admissions, with their places.
import { attemptName } from "../invariants/ruling.ts";
import type { AskEvent, RateLimitEvent, RateLimitHistory } from "./rate-limit-history.ts";
import { tenantCount } from "./rate-limit-plan.ts";

export interface PlacedAsk extends AskEvent {
  /** Index of the event. */
  readonly place: number;
  /** `A` for the first request of the history. */
  readonly name: string;
}

export interface PlacedAdvance extends Extract<RateLimitEvent, { readonly kind: "advance" }> {
  readonly place: number;
  readonly endMs: number;
}

/** One tenant's part of a history; requests of two tenants have nothing to do with each other. */
export class TenantFacts {
  readonly tenant: number;
  readonly limit: number;
  readonly windowMs: number;
  readonly asks: readonly PlacedAsk[];
  /** Those of `asks` that were admitted. */
  readonly admitted: readonly PlacedAsk[];
  readonly advances: readonly PlacedAdvance[];

  constructor({ limit, windowMs, events }: RateLimitHistory, tenant: number) {
    this.tenant = tenant;
    this.limit = limit;
    this.windowMs = windowMs;
    let requests = 0;
    this.asks = events
      .flatMap((event, place) =>
        event.kind === "ask" ? [{ ...event, place, name: attemptName(requests++) }] : [],
      )
      .filter((ask) => ask.tenant === tenant);
    this.admitted = this.asks.filter(({ reply }) => reply.outcome === "admitted");
    this.advances = events.flatMap((event, place) =>
      event.kind === "advance" ? [{ ...event, place, endMs: event.atMs + event.ms }] : [],
    );
  }

  /** The admissions that a request may have been decided after: those in flight with it are among them. */
  admittedUntil({ wave }: AskEvent): readonly PlacedAsk[] {
    return this.admitted.filter((ask) => ask.wave <= wave);
  }

  /** The requests that were in flight together, wave by wave. */
  waves(): readonly (readonly PlacedAsk[])[] {
    const numbers = new Set(this.asks.map(({ wave }) => wave));
    return [...numbers].map((number) => this.asks.filter(({ wave }) => wave === number));
  }
}

export function factsByTenant(history: RateLimitHistory): readonly TenantFacts[] {
  return Array.from({ length: tenantCount }, (_, tenant) => new TenantFacts(history, tenant));
}
