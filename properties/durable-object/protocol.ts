// What Node and the harness Worker say to each other over HTTP: JSON bodies, by path.
import type { Policy } from "../../model/policy.ts";
import type { Plan } from "../plan.ts";
import type { JudgedHistory, PlanVerdict } from "../plan-runner.ts";
import type { ReserveAnswer, SessionOptions, SettlementAnswer } from "../target.ts";
import type { MutantName } from "./mutants.ts";

/** Which store the harness builds; its objects are named after it. */
export interface StoreChoice {
  readonly policy: Policy;
  /** A planted defect, or null for what ships. */
  readonly mutant: MutantName | null;
}

/** Request and answer by path; every request is a POST. */
export interface HarnessCalls {
  readonly "/judge": {
    readonly request: { readonly store: StoreChoice; readonly plans: readonly Plan[] };
    readonly answer: readonly PlanVerdict[];
  };
  readonly "/run": {
    readonly request: { readonly store: StoreChoice; readonly plan: Plan };
    readonly answer: JudgedHistory;
  };
  readonly "/open": {
    readonly request: { readonly store: StoreChoice; readonly options: SessionOptions };
    readonly answer: { readonly session: number };
  };
  readonly "/session": {
    readonly request: { readonly session: number; readonly call: SessionCall };
    readonly answer: SessionAnswer;
  };
  readonly "/rate": {
    readonly request: { readonly store: StoreChoice; readonly call: RateCall; readonly calls: number };
    readonly answer: { readonly callsPerSecond: number };
  };
}

export type RateCall = "no-op" | "reserve";

/** One operation of a `StoreSession`, as data. */
export type SessionCall =
  | {
      readonly call: "reserve";
      readonly key: string;
      readonly token: string;
      readonly fingerprint: string;
    }
  | {
      readonly call: "commit";
      readonly key: string;
      readonly token: string;
      readonly fingerprint: string;
      readonly response: string;
    }
  | { readonly call: "release"; readonly key: string; readonly token: string }
  | { readonly call: "advance"; readonly ms: number }
  | { readonly call: "crash" | "size" | "close" };

/** `rejected` carries the error's name, so that a `RangeError` stays one. */
export type SessionAnswer =
  | { readonly answered: ReserveAnswer | SettlementAnswer | number | null }
  | { readonly rejected: { readonly name: string; readonly message: string } };
