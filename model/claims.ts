// The claim register: each sentence that is judged, where it comes from, and what is expected.
import { gatewayClaims } from "./gateway-claims.ts";
import type { GatewayInvariant } from "./gateway-invariants.ts";
import type { StoreInvariant } from "./invariants.ts";
import { eventualClaims } from "./eventual-claims.ts";
import type { PolicyName } from "./policy.ts";
import { rateLimitClaims } from "./rate-limit-claims.ts";
import type { RateLimitInvariant } from "./rate-limit-invariants.ts";
import { storeClaims } from "./store-claims.ts";
import { systemClaims } from "./system-claims.ts";
import { unbuiltClaims } from "./unbuilt-claims.ts";

export type ExpectedVerdict = "holds" | "refuted" | "inconclusive";

export type Claim =
  StoreClaim | EventualStoreClaim | GatewayClaim | RateLimitClaim | SystemClaim | UnbuiltClaim;

interface ClaimText {
  readonly id: string;
  /** One sentence. */
  readonly statement: string;
  /** Seed file and section, or `design` for a claim of this project. */
  readonly source: string;
}

/** Judged on the histories of one store. */
export interface StoreClaim extends ClaimText {
  readonly level: "store";
  readonly invariants: readonly StoreInvariant[];
  readonly expected: Readonly<Record<PolicyName, ExpectedVerdict>>;
  /** The invariant of the whole system by which the model is searched as well; null: by none. */
  readonly exhaustive: SystemInvariant | null;
}

/** Judged on the histories of a store without a serial point, by plans that only reserve. */
export interface EventualStoreClaim extends ClaimText {
  readonly level: "eventual-store";
  readonly invariants: readonly StoreInvariant[];
  readonly expected: Readonly<Record<PolicyName, ExpectedVerdict>>;
  /** The model's store has a serial point: no search says anything here. */
  readonly exhaustive: null;
}

/** Judged on the whole system of attempts, key, downstream, queue, clocks and faults. */
export interface SystemClaim extends ClaimText {
  readonly level: "system";
  readonly exhaustive: SystemInvariant;
  readonly expected: Readonly<Record<PolicyName, ExpectedVerdict>>;
}

/** Judged on the histories of the whole gateway, with the real store, on the real runtime. */
export interface GatewayClaim extends ClaimText {
  readonly level: "gateway";
  readonly invariants: readonly GatewayInvariant[];
  readonly expected: Readonly<Record<PolicyName, ExpectedVerdict>>;
  /** The invariant of the whole system by which the model is searched as well; null: by none. */
  readonly exhaustive: SystemInvariant | null;
  /** Where the search of the model decides less, or more, than random plans do. */
  readonly expectedOnModel?: Readonly<Partial<Record<PolicyName, ExpectedVerdict>>>;
}

/** Judged on the histories of a rate limiter that several isolates ask. */
export interface RateLimitClaim extends ClaimText {
  readonly level: "rate-limit";
  readonly invariants: readonly RateLimitInvariant[];
  readonly expected: Readonly<Record<PolicyName, ExpectedVerdict>>;
  /** The limiter is no part of the system that is searched. */
  readonly exhaustive: null;
}

/** Names of the invariants that the exhaustive search watches. */
export type SystemInvariant =
  | "acceptance"
  | "execution"
  | "exclusion"
  | "committed-blocks"
  | "release-on-soft-fail"
  | "fail-closed"
  | "ownership"
  | "truthful-refusal"
  | "truthful-answer"
  | "nothing-lost"
  | "mismatch"
  | "lost-replies-heal"
  | "one-request-one-key"
  | "isolation"
  | "collides-within-retention"
  | "record-blocks"
  | "forged-never-executes"
  | "no-stuck-key";

/** In the register so that the table tells what is missing; judged by nothing yet. */
export interface UnbuiltClaim extends ClaimText {
  readonly level: "unbuilt";
  /** The target on which it will be judged. */
  readonly target: "redis" | "postgres";
}

/** In the order of the table. */
export const claims: readonly Claim[] = [
  ...storeClaims,
  ...eventualClaims,
  ...gatewayClaims,
  ...rateLimitClaims,
  ...systemClaims,
  ...unbuiltClaims,
];
