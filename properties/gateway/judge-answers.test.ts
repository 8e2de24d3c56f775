// Each judge of answers fires on the smallest history that breaks its sentence, and is silent on the mended one.
import { describe, expect, it } from "vitest";
import { writeStoredResponse } from "../../impl/stored-response.ts";
import { answers } from "../../model/gateway-answers.ts";
import type { KeyRecord } from "../../model/vocabulary.ts";
import {
  calls,
  copy,
  executes,
  message,
  recordOf,
  rulingOf,
  store,
  told,
} from "./gateway-events.ts";
import type { GatewayEvent } from "./gateway-history.ts";
import {
  judgeContract,
  judgeLosses,
  judgeRefusals,
  judgeReplays,
  judgeRetries,
  judgeTruth,
} from "./judge-answers.ts";

const silent = { exercised: true, violations: [] };
const accepted = store(0, "reserve", "proceed", { after: recordOf(0) });

describe("truthful refusal", () => {
  /** Attempt B asks while the store holds `before`, and is told `answer`. */
  const refused = (
    answer: "in-flight" | "in-doubt" | "duplicate",
    before: KeyRecord | null,
    storeMs = 0,
  ): readonly GatewayEvent[] => [
    accepted,
    store(1, "reserve", answer, { before, storeMs }),
    told(1, answers[answer]),
  ];
  const committed = recordOf(0, { status: "committed" });

  it.each<[string, readonly GatewayEvent[]]>([
    ["the store held nothing", refused("in-flight", null)],
    ["the record was its own", refused("in-flight", recordOf(1))],
    ["the record was of another payload", refused("in-flight", recordOf(0, { fingerprint: "g" }))],
    ["the record was committed", refused("in-flight", committed)],
    ["the deadline had passed", refused("in-flight", recordOf(0), 30_000)],
    ["the deadline had not passed", refused("in-doubt", recordOf(0), 29_999)],
    ["the store was never asked", [told(1, answers["in-flight"])]],
    ["a duplicate is one of a pending record", refused("duplicate", recordOf(0))],
  ])("is broken where %s", (_, history) => {
    expect(rulingOf(judgeRefusals, history).violations).toMatchObject([
      { invariant: "truthful-refusal" },
    ]);
  });

  it("is kept where the text is true of another's record", () => {
    expect(rulingOf(judgeRefusals, refused("in-flight", recordOf(0), 29_999))).toEqual(silent);
    expect(rulingOf(judgeRefusals, refused("in-doubt", recordOf(0), 30_000))).toEqual(silent);
  });

  it("calls a pending record a duplicate only where the policy says so of both", () => {
    const pending = refused("duplicate", recordOf(0));
    expect(rulingOf(judgeRefusals, pending, undefined, "published")).toEqual(silent);
  });

  it("calls a duplicate only what executed, or still may", () => {
    const dead = [accepted, told(0, answers.failed), ...refused("duplicate", committed).slice(1)];
    expect(rulingOf(judgeRefusals, dead).violations).toMatchObject([{ events: [2, 3] }]);
    expect(rulingOf(judgeRefusals, [executes(0), ...dead])).toEqual(silent);
    expect(rulingOf(judgeRefusals, [message(0, "enqueued"), ...dead])).toEqual(silent);
    expect(rulingOf(judgeRefusals, refused("duplicate", committed))).toEqual(silent);
  });
});

describe("truthful answer", () => {
  it("is broken by an attempt that is told it failed and executes, before or after", () => {
    const failed = told(0, answers.failed);
    expect(rulingOf(judgeTruth, [executes(0), failed]).violations).toMatchObject([
      { invariant: "truthful-answer", events: [0, 1] },
    ]);
    expect(rulingOf(judgeTruth, [failed, executes(0)]).violations).toHaveLength(1);
    expect(rulingOf(judgeTruth, [failed, executes(1)]).violations).toEqual([]);
  });

  it("is exercised by an attempt that had called downstream or the queue", () => {
    for (const call of ["dispatch", "enqueue"] as const) {
      const sent = [calls(0, call), told(0, answers.failed)];
      expect(rulingOf(judgeTruth, sent)).toEqual(silent);
    }
    const refused = [calls(0, "reserve"), told(0, answers["in-flight"])];
    expect(rulingOf(judgeTruth, refused).exercised).toBe(false);
  });

  it("is kept where what is unknown is said to be unknown", () => {
    const history = [executes(0), told(0, answers.unknown)];
    expect(rulingOf(judgeTruth, history)).toEqual({ exercised: false, violations: [] });
  });
});

describe("nothing lost", () => {
  const success = told(0, answers.queued);

  it("is broken by a 2xx of which nothing executed, waits, or is dead-lettered", () => {
    expect(rulingOf(judgeLosses, [success]).violations).toMatchObject([
      { invariant: "nothing-lost", events: [0] },
    ]);
    const dropped = [message(0, "enqueued"), success, message(0, "acknowledged")];
    expect(rulingOf(judgeLosses, dropped).violations).toHaveLength(1);
    // That another attempt with its key executed is no excuse: this one was promised its own.
    expect(rulingOf(judgeLosses, [executes(1), ...dropped]).violations).toHaveLength(1);
  });

  it.each<[string, readonly GatewayEvent[]]>([
    ["it executed", [executes(0), success]],
    ["it waits in the queue", [message(0, "enqueued"), success]],
    [
      "it is dead-lettered",
      [message(0, "enqueued"), success, message(0, "buried"), message(0, "acknowledged")],
    ],
    ["a copy of its call is under way", [copy(0, "copy-sent", "dispatch"), success]],
    ["a copy of its message is under way", [copy(0, "copy-sent", "enqueue"), success]],
  ])("is kept where %s", (_, history) => {
    expect(rulingOf(judgeLosses, history)).toEqual(silent);
  });

  it("is broken once the copy has arrived and done nothing", () => {
    const history = [copy(0, "copy-sent", "enqueue"), success, copy(0, "copy-arrived", "enqueue")];
    expect(rulingOf(judgeLosses, history).violations).toHaveLength(1);
  });
});

describe("nothing lost, by a replay", () => {
  const committed = recordOf(0, { status: "committed" });
  const first = told(0, answers.failed);
  const replayed = [
    accepted,
    first,
    store(1, "reserve", "duplicate", { before: committed }),
    told(1, answers.executed, { replayed: true }),
  ];

  it("is broken where the attempt that holds the record never executed", () => {
    expect(rulingOf(judgeLosses, replayed).violations).toMatchObject([
      { invariant: "nothing-lost", events: [3] },
    ]);
    // Its own execution is no excuse: it is told of the other's.
    expect(rulingOf(judgeLosses, [executes(1), ...replayed]).violations).toHaveLength(1);
  });

  it("is kept where that one executed, or waits in the queue", () => {
    expect(rulingOf(judgeLosses, [executes(0), ...replayed]).violations).toEqual([]);
    expect(rulingOf(judgeLosses, [message(0, "enqueued"), ...replayed]).violations).toEqual([]);
  });
});

describe("failed may retry", () => {
  const failed = told(0, answers.failed);
  const released = store(0, "release", "done", { before: recordOf(0) });

  it("is broken by a reservation that stays behind, and kept by a release", () => {
    expect(rulingOf(judgeRetries, [accepted, failed]).violations).toMatchObject([
      { invariant: "failed-may-retry", events: [0, 1] },
    ]);
    expect(rulingOf(judgeRetries, [accepted, released, failed])).toEqual(silent);
  });

  it("is broken by its own committed record as well, in no known way", () => {
    const committed = recordOf(0, { status: "committed" });
    const commit = store(0, "commit", "done", { before: recordOf(0), after: committed });
    const stale = store(0, "release", "stale", { before: committed, after: committed });
    const history = [accepted, commit, stale, failed];
    const { violations } = rulingOf(judgeRetries, history);
    expect(violations).toMatchObject([{ invariant: "failed-may-retry", events: [2, 3] }]);
    expect(violations[0]).not.toHaveProperty("way");
  });

  it("is kept while the release is still under way, and where the record is another's", () => {
    const sent = copy(0, "copy-sent", "release");
    expect(rulingOf(judgeRetries, [accepted, sent, failed])).toEqual(silent);
    const others = store(1, "reserve", "proceed", { after: recordOf(1) });
    expect(rulingOf(judgeRetries, [accepted, released, others, failed])).toEqual(silent);
  });
});

describe("replay", () => {
  const stored = {
    status: 201,
    headers: { "content-type": "application/json" },
    body: '{"id":1}',
  };
  const replayed = (body: string, contentType = "application/json", status = 201) => [
    store(0, "commit", "done", { response: writeStoredResponse(stored) }),
    store(1, "reserve", "duplicate", { before: recordOf(0, { status: "committed" }) }),
    told(1, { status, code: "" }, { replayed: true, body, contentType }),
  ];

  it("is broken by another body, header or status than the commit gave", () => {
    for (const history of [
      replayed('{"id":2}'),
      replayed(stored.body, "text/plain"),
      replayed(stored.body, "application/json", 200),
    ]) {
      expect(rulingOf(judgeReplays, history).violations).toMatchObject([
        { invariant: "replay", events: [2] },
      ]);
    }
    expect(rulingOf(judgeReplays, replayed(stored.body))).toEqual(silent);
  });

  it("is broken by a replay to another payload than the record's", () => {
    const [commit, , answer] = replayed(stored.body);
    const before = recordOf(0, { status: "committed" });
    const other = store(1, "reserve", "mismatch", { before, fingerprint: "g" });
    const history = [commit, other, answer].flatMap((event) => event ?? []);
    expect(rulingOf(judgeReplays, history).violations).toMatchObject([{ events: [2] }]);
  });

  it("is broken where no commit made the record", () => {
    expect(rulingOf(judgeReplays, replayed(stored.body).slice(1)).violations).toHaveLength(1);
  });
});

describe("contract", () => {
  it("is broken by a status or a code that it does not name, or not together", () => {
    for (const answer of [
      { status: 500, code: "" },
      { status: 409, code: "CONFLICT" },
      { status: 500, code: answers.duplicate.code },
    ]) {
      expect(rulingOf(judgeContract, [told(0, answer)]).violations).toMatchObject([
        { invariant: "contract", events: [0] },
      ]);
    }
    const known = Object.values(answers).map((answer) => told(0, answer));
    expect(rulingOf(judgeContract, known)).toEqual(silent);
  });
});
