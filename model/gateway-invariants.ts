// The invariants of the whole gateway by name, each with the sentence that a gateway history can break.

export type GatewayInvariant = keyof typeof gatewayInvariants;

/** Judged on the history of one gateway plan, in the order in which violations are told. */
export const gatewayInvariants = {
  execution:
    "No two executions of one logical request less than τ apart (W where the client sent no key); what reaches downstream has one client order id for each key.",
  "execution/unknown-outcome":
    "What was executed while its caller heard no success is not executed again within τ, by a retry or by the queue.",
  "execution/minute-boundary":
    "Two requests without a key that ask for one trade execute once within W, on either side of a minute's end.",
  "execution/redelivery": "Two deliveries of one message execute once between them.",
  acceptance:
    "When a key is accepted a second time, the first acceptance was released by its own holder, or was committed and its retention has passed, or was neither and its pending time has passed.",
  "queue-executes-once":
    "The message of an attempt executes at most once, however often it is delivered.",
  "no-late-execution": "A queued message does not execute after the deadline that it carries.",
  "fail-closed":
    "No execution without a preceding acceptance by the same attempt, of the key that it is for and not released before it was sent; a store that is missing, unavailable or silent at reserve means 503 IDEMPOTENCY_UNAVAILABLE and no execution by that attempt, ever, and only such a store means that.",
  "forged-never-executes":
    "A request that is not authenticated reaches neither store nor downstream, and is answered 403.",
  "truthful-refusal":
    "A 409 is sent only because of a record of another attempt with the same fingerprint, and its text is true of that record; a duplicate is one of an effect that happened or still may.",
  "truthful-answer":
    "An attempt that was answered refused or failed did not execute and never will.",
  "nothing-lost":
    "An attempt that was answered 2xx executed, will execute, or ends visibly in the dead-letter queue; of a replay that is asked of the attempt that holds the record. Where a commit waits for the execution, who hears of success commits, and nobody else.",
  "one-request-one-key":
    "Retries of one logical request get the same key, for W where the client sent none.",
  isolation: "Different logical requests of one tenant and mode never share a key.",
  "mode-isolation": "A live and a test request never share a key.",
  "tenant-isolation": "Requests of two tenants never share a key.",
  mismatch:
    "While a record blocks, a reserve with another fingerprint is answered mismatch; a client is told 422 where its attempt hears that, and only there.",
  "release-on-soft-fail":
    "Once a release by the holder is answered done, the next reserve of the key is answered proceed, unless a commit came in between.",
  "soft-fail-releases":
    "An attempt that hears success:false with HTTP 2xx releases its key before it answers; so does whoever hears of another sure failure, a delivery that holds the claim too, unless it turns to the queue.",
  "later-trades-pass":
    "A request without a key that comes in a later minute than all before it (hardened: after the blocking time of all before it) is accepted.",
  replay:
    "Every replay equals the response given in the commit that made the record: status, stored headers, body; and the record is of the same payload.",
  contract: "Every response has a status and a code that the contract knows.",
  "failed-may-retry":
    "Once an attempt was told that it failed and its release is no longer under way, no record of it blocks.",
} as const;

/** The known ways to break the layer, by the names of the seed's witnesses; each with its story. */
export const knownWays = {
  "unknown outcome":
    "The effect happens and its reply is lost; the gateway takes that for a failure, and it happens again.",
  "minute boundary": "The minute ends between two requests for one trade, and gives them two keys.",
  redelivery: "Two deliveries of one message both pass the consumer's check.",
  "silent downgrade":
    "A client's key that is not valid is silently replaced by the minute's fingerprint.",
  "lost release":
    "The attempt failed, its release is lost, and retries are refused until the pending time is over.",
  "no release": "The attempt failed and nothing releases its key.",
  "doubled call": "One call arrives at downstream twice, and nothing there knows it again.",
  "late effect":
    "An effect comes late in the blocking time, which counts from the reserve, and the next one soon after it.",
  "shared tenants": "The key does not tell whose request it is.",
} as const;

export type KnownWay = keyof typeof knownWays;
