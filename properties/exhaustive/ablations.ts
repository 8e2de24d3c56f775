// The ablation study: hardened with one mechanism off, what breaks then within the bounds, and how short the witness is.
import { hardened, type Policy } from "../../model/policy.ts";
import type { WatchedInvariant } from "./latchkey-options.ts";

export interface Ablation {
  /** The mechanism that is off. */
  readonly without: string;
  readonly off: Partial<Policy>;
  /** The shortest witness over all settings, or null where nothing breaks within their bounds. */
  readonly broken: {
    readonly invariant: WatchedInvariant;
    readonly length: number;
    readonly setting: SettingName;
  } | null;
  /** What the mechanism is for; where nothing breaks, what carries the safety instead. */
  readonly note: string;
}

/** Where an ablation is judged; see `scenarios.ts`. */
export type SettingName =
  | "two attempts"
  | "payloads"
  | "memory"
  | "window"
  | "keys"
  | "queue"
  | "failover"
  | "three attempts";

export function ablatedPolicy({ without, off }: Ablation): Policy {
  return { ...hardened, ...off, name: `hardened without ${without}` };
}

export const ablations: readonly Ablation[] = [
  { without: "owner tokens", off: { ownerTokens: false }, broken: null, note: "" },
  { without: "repeated reserve", off: { repeatedReserve: false }, broken: null, note: "" },
  {
    without: "release after a silent reserve",
    off: { releaseUnanswered: false },
    broken: null,
    note: "",
  },
  { without: "dead tokens", off: { deadTokens: false }, broken: null, note: "" },
  { without: "ignoring a late proceed", off: { lateProceed: "obey" }, broken: null, note: "" },
  { without: "deadline", off: { downstreamDeadline: "none" }, broken: null, note: "" },
  {
    without: "deciding and acting in one step",
    off: { downstreamDeadline: "check-then-act" },
    broken: null,
    note: "",
  },
  { without: "deadline from acceptance", off: { deadlineFrom: "receipt" }, broken: null, note: "" },
  {
    without: "the last tick of the pending time",
    off: { pendingTime: "one-less" },
    broken: null,
    note: "",
  },
  {
    without: "a pending time that covers effects",
    off: { pendingTime: "retention" },
    broken: null,
    note: "",
  },
  {
    without: "committed time that covers the jump",
    off: { committedTime: "retention" },
    broken: null,
    note: "",
  },
  { without: "fence", off: { downstreamFence: "none" }, broken: null, note: "" },
  {
    without: "refusing an equal fence",
    off: { downstreamFence: "refuse-older" },
    broken: null,
    note: "",
  },
  { without: "definite-only release", off: { unknownOutcome: "release" }, broken: null, note: "" },
  {
    without: "fence refusals being unknown",
    off: { fenceRefusal: "definite-failure" },
    broken: null,
    note: "",
  },
  { without: "definite-only failover", off: { failover: "any-failure" }, broken: null, note: "" },
  { without: "recording a late commit", off: { lateCommit: "ignore" }, broken: null, note: "" },
  {
    without: "retention from the commit",
    off: { retentionFrom: "reserve" },
    broken: null,
    note: "",
  },
  { without: "failing closed", off: { storeFailure: "permit" }, broken: null, note: "" },
  { without: "fingerprints", off: { fingerprints: false }, broken: null, note: "" },
  { without: "refusals by status", off: { refusal: "uniform" }, broken: null, note: "" },
  {
    without: "one key for the window",
    off: { fingerprintKey: "minute-bucket" },
    broken: null,
    note: "",
  },
  {
    without: "refusing a client key that is not valid",
    off: { invalidKey: "replace", fingerprintKey: "minute-bucket" },
    broken: null,
    note: "",
  },
  {
    without: "a claim per delivery",
    off: { consumerGuard: "claim-by-token" },
    broken: null,
    note: "",
  },
  { without: "claims", off: { consumerGuard: "presence-mark" }, broken: null, note: "" },
  {
    without: "claims and fence",
    off: { consumerGuard: "presence-mark", downstreamFence: "none" },
    broken: null,
    note: "",
  },
  {
    without: "a claim per delivery and fence",
    off: { consumerGuard: "claim-by-token", downstreamFence: "none" },
    broken: null,
    note: "",
  },
  { without: "committing when executed", off: { commitWhen: "enqueued" }, broken: null, note: "" },
  { without: "the dead-letter queue", off: { deadMessage: "drop" }, broken: null, note: "" },
];
