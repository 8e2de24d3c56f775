import { describe, expect, it } from "vitest";
import { GatewayHistoryBuilder, plannedRequest } from "./gateway-history-builder.ts";
import {
  judgeContract,
  judgeLosses,
  judgeRefusals,
  judgeReplays,
  judgeRetries,
  judgeTruth,
} from "./judge-answers.ts";

const two = () => new GatewayHistoryBuilder("hardened", [plannedRequest(), plannedRequest()]);
const duplicate = { status: 409, code: "IDEMPOTENCY_DUPLICATE" };
const failed = { status: 500, code: "EFFECT_FAILED" };

describe("a refusal", () => {
  it("is true of another attempt's record whose effect happened", () => {
    const one = two();
    const record = one.record(0, 1);
    one.store(0, "reserve", "proceed", null, record).executes(0);
    one.store(1, "reserve", "duplicate", record, record).responds(1, duplicate);
    expect(judgeRefusals(one.facts)).toEqual({ exercised: true, violations: [] });
  });

  it("is untrue of a record of its own, and of an effect that cannot happen any more", () => {
    const own = two();
    const record = own.record(0, 1);
    own.store(0, "reserve", "duplicate", record, record).responds(0, duplicate);
    expect(judgeRefusals(own.facts).violations).toHaveLength(1);

    const dead = two();
    dead.store(0, "reserve", "proceed", null, record).responds(0, failed);
    dead.store(1, "reserve", "duplicate", record, record).responds(1, duplicate);
    expect(judgeRefusals(dead.facts).violations).toHaveLength(1);
  });
});

it("calls nothing failed that executes", () => {
  expect(judgeTruth(two().responds(0, failed).facts)).toEqual({ exercised: true, violations: [] });
  expect(judgeTruth(two().responds(0, failed).executes(0).facts).violations).toHaveLength(1);
  const unknown = { status: 504, code: "OUTCOME_UNKNOWN" };
  expect(judgeTruth(two().responds(0, unknown).executes(0).facts).exercised).toBe(false);
});

describe("an attempt that was told 2xx", () => {
  it("is lost where it neither executed nor waits nor was buried", () => {
    expect(judgeLosses(two().responds(0).facts).violations).toHaveLength(1);
    expect(judgeLosses(two().executes(0).responds(0).facts).violations).toEqual([]);
    const enqueued = { kind: "enqueued", attempt: 0, message: 0 } as const;
    expect(judgeLosses(two().also(enqueued).responds(0).facts).violations).toEqual([]);
    const buried = { kind: "buried", attempt: 0, message: 0 } as const;
    expect(judgeLosses(two().also(buried).responds(0).facts).violations).toEqual([]);
  });

  it("is not lost where a mark says that its key was executed, and it was", () => {
    const marked = { kind: "reply", by: "delivery 0", call: "hasMark", heard: "marked" } as const;
    const ended = (one: GatewayHistoryBuilder) =>
      judgeLosses(
        one
          .arrives(1)
          .responds(1)
          .also({ ...marked, attempt: 1 }).facts,
      ).violations;
    expect(ended(two().arrives(0).executes(0))).toEqual([]);
    expect(ended(two().arrives(0))).toHaveLength(1);
    expect(ended(two().arrives(0, "key 2").executes(0))).toHaveLength(1);
  });
});

it("lets the next attempt through once it said that it failed, unless the release is lost", () => {
  const one = two();
  const record = one.record(0, 1);
  one.store(0, "reserve", "proceed", null, record);
  const call = {
    kind: "call",
    attempt: 0,
    by: "attempt A",
    call: "release",
    key: "key 1",
  } as const;
  one.also(call).reply(0, "release", "silence").responds(0, failed);
  expect(judgeRetries(one.facts).violations).toMatchObject([
    { events: [0, 3], way: "lost release" },
  ]);
  const released = two().store(0, "release", "done", record, null).responds(0, failed);
  expect(judgeRetries(released.facts)).toEqual({ exercised: true, violations: [] });
});

it("replays what a commit gave, and nothing else", () => {
  const { facts } = two().responds(0, { replayed: true });
  expect(judgeReplays(facts).violations).toHaveLength(1);
  expect(judgeReplays(two().responds(0).facts).exercised).toBe(false);
});

it("answers by the contract", () => {
  expect(judgeContract(two().responds(0).responds(1, duplicate).facts).violations).toEqual([]);
  expect(judgeContract(two().responds(0, { status: 500 }).facts).violations).toHaveLength(1);
});
