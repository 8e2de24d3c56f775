import { expect, it } from "vitest";
import type { History, HistoryEvent } from "../properties/history.ts";
import { zombieFinding } from "./fixtures/zombie-finding.ts";
import { attemptName, tellStory } from "./story.ts";
import { storyText } from "./story-text.ts";

const { history: zombie, plan } = zombieFinding;

function storyOf(events: readonly HistoryEvent[], capabilities = zombie.capabilities) {
  const history: History = { ...zombie, capabilities, events };
  return tellStory(history, plan).steps;
}

const call = { key: "order-1", token: "a", fingerprint: "f", attempt: 0 } as const;
const reserve = { ...call, kind: "invocation", call: "reserve", atMs: 0, operation: 0 } as const;
const answered = { kind: "completion", atMs: 0, operation: 0, delivered: true } as const;

it("tells the zombie release in six steps, with what the store holds after each", () => {
  const { steps, stepOfEvent } = tellStory(zombie, plan);
  expect(steps.map(({ actor, action, detail, state }) => [actor, action, detail, state])).toEqual([
    ["attempt A", "reserves key 1", "proceed", "key 1: pending by A until 10"],
    ["clock", "moves on by 10 ms", "the reservation of A on key 1 ends", "key 1: free"],
    ["attempt B", "reserves key 1", "proceed", "key 1: pending by B until 20"],
    [
      "downstream",
      "is asked by attempt A",
      "soft-fail: success:false, nothing executed",
      "key 1: pending by B until 20",
    ],
    ["attempt A", "releases key 1", "done, although B holds it", "key 1: free"],
    ["attempt C", "reserves key 1", "proceed", "key 1: pending by C until 20"],
  ]);
  expect(stepOfEvent).toEqual([1, 1, 2, 3, 3, 4, 5, 5, 6, 6]);
});

it("tells a call and its answer apart where something came in between", () => {
  const steps = storyOf([
    reserve,
    { kind: "crash", atMs: 0 },
    { ...answered, answer: { outcome: "indeterminate" } },
  ]);
  expect(steps.map(({ action, detail }) => `${action}: ${detail}`)).toEqual([
    "reserves key 1: the answer is awaited",
    "crashes and starts again: what it answered must survive",
    "is answered: reserve of key 1: no answer: the store crashed during the call",
  ]);
  expect(steps.at(-1)?.state).toBe("key 1: perhaps pending by A until 10");
});

it("tells lost calls, lost replies and faults of the target", () => {
  const steps = storyOf([
    { ...call, kind: "lost-call", call: "reserve", atMs: 0 },
    reserve,
    { ...answered, delivered: false, answer: { outcome: "proceed", fence: 3, deadline: 7 } },
    {
      kind: "target-fault",
      atMs: 0,
      operation: "commit",
      problem: "rejected",
      detail: "no\nconnection",
    },
    { kind: "size", atMs: 0, size: 1 },
  ]);
  expect(steps.map(({ detail }) => detail)).toEqual([
    "the call is lost before it reaches the store",
    "the store answers proceed, fence 3, deadline 7, but the reply is lost",
    String.raw`it throws: "no\u000aconnection"`,
    "1",
  ]);
  expect(steps[1]?.action).toBe("reserves key 1 again");
});

it("holds a late commit for uncertain where tokens own nothing", () => {
  const commit = { ...reserve, call: "commit", response: "ok" } as const;
  const done = { ...answered, answer: { outcome: "done" } } as const;
  expect(storyOf([commit, done])[0]?.state).toBe("key 1: perhaps committed by A until 10");
  const owned = { ...zombie.capabilities, ownerTokens: true };
  expect(storyOf([commit, done], owned)[0]?.state).toBe("key 1: committed by A until 10");
});

it("names attempts that no plan has as the suite's probe", () => {
  const steps = storyOf([
    { ...reserve, attempt: plan.attempts.length },
    { ...answered, answer: { outcome: "proceed" } },
  ]);
  expect(steps[0]).toMatchObject({ actor: "probe", state: "key 1: pending by the probe until 10" });
});

it("names attempts by letters", () => {
  expect([0, 25, 26, 27, 51, 52].map(attemptName)).toEqual(["A", "Z", "AA", "AB", "AZ", "BA"]);
});

it("is told on a terminal with one line a step and the store's state where it changed", () => {
  const lines = storyText(tellStory(zombie, plan).steps).trimEnd().split("\n");
  expect(lines).toHaveLength(11);
  expect(lines[0]).toBe("  1.  0 ms  attempt A reserves key 1 → proceed");
  expect(lines[1]?.trim()).toBe("[key 1: pending by A until 10]");
});

it("tells a commit with another response, and a session beside", () => {
  const commit = { ...call, kind: "invocation", call: "commit", atMs: 0 } as const;
  const done = {
    kind: "completion",
    atMs: 0,
    delivered: true,
    answer: { outcome: "done" },
  } as const;
  const history: History = {
    ...zombie,
    events: [
      { ...commit, operation: 0, response: "200 ok" },
      { ...done, operation: 0 },
      { ...commit, operation: 1, response: "1" },
      { ...done, operation: 1 },
    ],
  };
  const { steps, stepOfEvent } = tellStory(history, { ...plan, beside: true });
  expect(steps.map(({ step, actor, action }) => `${step}. ${actor} ${action}`)).toEqual([
    "1. another session is open beside and reserves every key",
    "2. attempt A commits key 1",
    '3. attempt A commits key 1 again with response "1"',
  ]);
  expect(stepOfEvent).toEqual([2, 2, 3, 3]);
});
