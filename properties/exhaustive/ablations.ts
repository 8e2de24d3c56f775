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
  {
    without: "owner tokens",
    off: { ownerTokens: false },
    broken: { invariant: "ownership", length: 6, setting: "two attempts" },
    note: "Any release deletes whatever is there: a silent attempt that gives its token up frees another's key.",
  },
  {
    without: "repeated reserve",
    off: { repeatedReserve: false },
    broken: { invariant: "truthful-refusal", length: 3, setting: "two attempts" },
    note: "An attempt that asks again is refused because of its own record.",
  },
  {
    without: "release after a silent reserve",
    off: { releaseUnanswered: false },
    broken: null,
    note: "No safety: it frees a key early that would stay taken until its pending time is over.",
  },
  {
    without: "dead tokens",
    off: { deadTokens: false },
    broken: { invariant: "execution", length: 8, setting: "two attempts" },
    note: "The release of the first try arrives after the second try's reservation and frees it while the attempt works.",
  },
  {
    without: "ignoring a late proceed",
    off: { lateProceed: "obey" },
    broken: { invariant: "execution", length: 9, setting: "two attempts" },
    note: "The attempt works after its release freed the key.",
  },
  {
    without: "deadline",
    off: { downstreamDeadline: "none" },
    broken: { invariant: "execution", length: 11, setting: "two attempts" },
    note: "An attempt that stalls past its pending time executes all the same.",
  },
  {
    without: "deciding and acting in one step",
    off: { downstreamDeadline: "check-then-act" },
    broken: { invariant: "execution", length: 12, setting: "two attempts" },
    note: "Downstream checks the deadline in time and acts long after.",
  },
  {
    without: "deadline from acceptance",
    off: { deadlineFrom: "receipt" },
    broken: { invariant: "execution", length: 12, setting: "two attempts" },
    note: "A late answer, or a later try, lets the effect happen D after it instead of D after the acceptance.",
  },
  {
    without: "the last tick of the pending time",
    off: { pendingTime: "one-less" },
    broken: { invariant: "execution", length: 10, setting: "two attempts" },
    note: "D + τ + ε + S is exact: one tick less and the last possible effect is less than τ before the next.",
  },
  {
    without: "a pending time that covers effects",
    off: { pendingTime: "retention" },
    broken: { invariant: "execution", length: 8, setting: "two attempts" },
    note: "An unsettled reservation ends while its effect may still happen.",
  },
  {
    without: "committed time that covers the jump",
    off: { committedTime: "retention" },
    broken: { invariant: "execution", length: 9, setting: "two attempts" },
    note: "The store's clock jumps over the end of the retention.",
  },
  {
    without: "fence",
    off: { downstreamFence: "none" },
    broken: { invariant: "execution", length: 5, setting: "two attempts" },
    note: "A call to downstream is delivered twice, and nothing there knows it again.",
  },
  {
    without: "refusing an equal fence",
    off: { downstreamFence: "refuse-older" },
    broken: { invariant: "execution", length: 5, setting: "two attempts" },
    note: "The second copy of a call carries the fence that was seen, and executes.",
  },
  {
    without: "definite-only release",
    off: { unknownOutcome: "release" },
    broken: { invariant: "truthful-answer", length: 3, setting: "two attempts" },
    note: "A lost reply is taken for a failure; the retry executes again (execution, 7 steps).",
  },
  {
    without: "fence refusals being unknown",
    off: { fenceRefusal: "definite-failure" },
    broken: { invariant: "truthful-answer", length: 5, setting: "two attempts" },
    note: "The second copy is refused by fence, and the attempt says that it failed although the first executed.",
  },
  {
    without: "definite-only failover",
    off: { failover: "any-failure" },
    broken: { invariant: "truthful-answer", length: 4, setting: "failover" },
    note: "After a lost reply the attempt turns to the queue, and the failed enqueue makes it say that nothing happened; the fence keeps it from executing twice.",
  },
  {
    without: "recording a late commit",
    off: { lateCommit: "ignore" },
    broken: null,
    note: "No safety: the pending time already keeps τ between effects. It answers later retries with what happened.",
  },
  {
    without: "retention from the commit",
    off: { retentionFrom: "reserve" },
    broken: { invariant: "acceptance", length: 11, setting: "two attempts" },
    note: "A committed key is free before its retention, counted from the commit, is over.",
  },
  {
    without: "failing closed",
    off: { storeFailure: "permit" },
    broken: { invariant: "fail-closed", length: 3, setting: "two attempts" },
    note: "A silent store lets the attempt execute unreserved.",
  },
  {
    without: "fingerprints",
    off: { fingerprints: false },
    broken: { invariant: "mismatch", length: 4, setting: "payloads" },
    note: "Another payload is refused as a duplicate.",
  },
  {
    without: "refusals by status",
    off: { refusal: "uniform" },
    broken: { invariant: "truthful-refusal", length: 5, setting: "two attempts" },
    note: "A refusal says duplicate of an attempt that failed and whose release is under way.",
  },
  {
    without: "one key for the window",
    off: { fingerprintKey: "minute-bucket" },
    broken: { invariant: "one-request-one-key", length: 3, setting: "window" },
    note: "The minute ends between two retries.",
  },
  {
    without: "refusing a client key that is not valid",
    off: { invalidKey: "replace", fingerprintKey: "minute-bucket" },
    broken: { invariant: "isolation", length: 2, setting: "keys" },
    note: "Two client keys that are not valid turn into one fingerprint.",
  },
  {
    without: "a claim per delivery",
    off: { consumerGuard: "claim-by-token" },
    broken: { invariant: "execution", length: 16, setting: "queue" },
    note: "Two deliveries of one message may execute: the second's definite failure releases what the first executed.",
  },
  {
    without: "claims",
    off: { consumerGuard: "presence-mark" },
    broken: null,
    note: "Not safety by itself: the fence refuses the second delivery's call. Claim and fence cover for each other.",
  },
  {
    without: "claims and fence",
    off: { consumerGuard: "presence-mark", downstreamFence: "none" },
    broken: { invariant: "execution", length: 9, setting: "queue" },
    note: "Two deliveries both pass the check for a mark, and both execute.",
  },
  {
    without: "a claim per delivery and fence",
    off: { consumerGuard: "claim-by-token", downstreamFence: "none" },
    broken: { invariant: "execution", length: 9, setting: "queue" },
    note: "Two deliveries are both granted the claim, and both execute.",
  },
  {
    without: "committing when executed",
    off: { commitWhen: "enqueued" },
    broken: { invariant: "truthful-refusal", length: 9, setting: "queue" },
    note: "The key is committed by the enqueue; the message fails, and retries are refused as duplicates of nothing.",
  },
  {
    without: "the dead-letter queue",
    off: { deadMessage: "drop" },
    broken: { invariant: "nothing-lost", length: 6, setting: "queue" },
    note: "A message past its deadline vanishes, though its client was told 202.",
  },
];
