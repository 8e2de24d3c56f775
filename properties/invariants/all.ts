// All invariants that are judged on one store's history, in the order of the report.
import { acceptance } from "./acceptance.ts";
import { collidesWithinRetention } from "./collides-within-retention.ts";
import { committedBlocks } from "./committed-blocks.ts";
import { durability } from "./durability.ts";
import { exclusion } from "./exclusion.ts";
import { failClosed } from "./fail-closed.ts";
import { isolation } from "./isolation.ts";
import { lostRepliesHeal } from "./lost-replies-heal.ts";
import { mismatch } from "./mismatch.ts";
import { noStuckKey } from "./no-stuck-key.ts";
import { ownership } from "./ownership.ts";
import { reclaim } from "./reclaim.ts";
import { releaseOnSoftFail } from "./release-on-soft-fail.ts";
import { replay } from "./replay.ts";
import type { InvariantJudge } from "./ruling.ts";
import { targetFault } from "./target-fault.ts";
import { truthfulRefusal } from "./truthful-refusal.ts";

/** Linearizability is judged beside these, as it needs a specification. */
export const invariantJudges: readonly InvariantJudge[] = [
  targetFault,
  durability,
  isolation,
  failClosed,
  mismatch,
  replay,
  lostRepliesHeal,
  ownership,
  releaseOnSoftFail,
  committedBlocks,
  exclusion,
  acceptance,
  collidesWithinRetention,
  truthfulRefusal,
  reclaim,
  noStuckKey,
];
