// The invariants by name, each with the sentence that a history can break.

export type StoreInvariant = keyof typeof storeInvariants;

/** Judged on the history of one store, in the order in which a report names them. */
export const storeInvariants = {
  "target-fault":
    "The target keeps to the contract: it answers each operation, with an outcome that the contract knows, and rejects only a call under way at a crash.",
  durability: "What was answered survives a crash: token, fingerprint, response, times and fence.",
  isolation:
    "Different keys never share a record, nor do sessions: what blocks one never refuses another.",
  "fail-closed":
    "No effect happens without a preceding acceptance by the same attempt; a store that is missing, unavailable or silent at reserve means no effect by that attempt, ever.",
  mismatch:
    "While a record blocks, a reserve with another fingerprint is answered mismatch; mismatch is answered at no other time.",
  replay:
    "Every replay of a committed record equals the response given in the commit that created it.",
  "lost-replies-heal":
    "While its reservation is pending, the same token asking again is told proceed, with the same fence and deadline.",
  ownership:
    "A commit or release by an attempt that is not the holder is answered stale while another's record blocks. Fences of a key grow strictly.",
  "release-on-soft-fail":
    "A release by the holder while pending is answered done, and the next reserve that the store serves for that key is answered proceed, unless a late commit was recorded in between.",
  "committed-blocks":
    "After a commit answered done no acceptance of that key until its retention is over.",
  acceptance:
    "When a key is accepted a second time, the first acceptance was released by its own holder, or was committed and its retention has passed, or was neither and its pending time has passed.",
  "collides-within-retention":
    "Within τ of an acceptance no second acceptance of the key (its own token's repeats aside), unless a release of that key came in between.",
  exclusion:
    "An attempt holds from its acceptance until its own commit or release takes effect or its pending time ends; no two such intervals of one key overlap.",
  "truthful-refusal":
    "A refusal is given only while a record of the key blocks, and says what that record is: in flight, in doubt, committed.",
  reclaim:
    "Blocking records are counted; once every record's time is over and the alarms have run nothing is left.",
  "no-stuck-key":
    "From every state the key can be reserved again once the longest blocking time has passed.",
  linearizability:
    "The answers are those of one key lifecycle that takes each operation at one moment between its invocation and its completion.",
} as const;
