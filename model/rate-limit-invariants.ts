// The invariants of the rate limiter by name, each with the sentence that a history of it can break.

export type RateLimitInvariant = keyof typeof rateLimitInvariants;

/** Judged on the history of one rate-limit plan, in the order in which violations are told. */
export const rateLimitInvariants = {
  "rate-limit":
    "In no window of the length are more requests of a tenant admitted than the limit: not only in those that start where the limiter's own do.",
  "last-place":
    "Of the requests of a tenant that are in flight together no more are admitted than the limit, from whichever isolates they come.",
  "needed-refusal":
    "A request is refused only where the tenant's admissions of the last window have reached the limit, its own and no other's.",
  "retry-after":
    "A refusal says to the millisecond when the tenant's next request can be admitted.",
  "rate-limit-reclaim":
    "Once an alarm has run, no more rows are stored for a tenant than admissions that are still in their window.",
} as const;
