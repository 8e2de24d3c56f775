import { describe, expect, it } from "vitest";
import { answerOf } from "./gateway-answers.ts";
import {
  createGatewayAttempt,
  decideAttempt,
  receivedAttempt,
  type AttemptEvent,
  type GatewayMode,
} from "./gateway-attempt.ts";
import { attemptEvents, deriveGatewayTable, lookUpAttempt } from "./gateway-table.ts";
import { hardened, paper, policies, published, type Policy } from "./policy.ts";

const modes: readonly GatewayMode[] = ["direct", "queue-everywhere", "queue-failover"];
const admitted: readonly AttemptEvent[] = [
  { type: "AUTHENTICATION", result: "passed" },
  { type: "ADMISSION", result: "passed" },
];
const accepted: readonly AttemptEvent[] = [...admitted, { type: "RESERVE", result: "proceed" }];

/** The commands of a run, one word each; a response as its answer. */
function run(policy: Policy, mode: GatewayMode, events: readonly AttemptEvent[]): string {
  const machine = createGatewayAttempt(policy, mode);
  let attempt = receivedAttempt;
  const words: string[] = [];
  for (const event of events) {
    const decision = decideAttempt(machine, attempt, event);
    attempt = decision.attempt;
    words.push(...decision.commands.map((each) => ("answer" in each ? each.answer : each.type)));
  }
  return [...words, attempt.state].join(" ");
}

const outcome = (result: Extract<AttemptEvent, { type: "OUTCOME" }>["result"]): AttemptEvent => ({
  type: "OUTCOME",
  result,
});
const reserve = (result: Extract<AttemptEvent, { type: "RESERVE" }>["result"]): AttemptEvent => ({
  type: "RESERVE",
  result,
});
const settled: AttemptEvent = { type: "SETTLEMENT", result: "done" };

describe("the gateway attempt", () => {
  it("reserves, dispatches, commits and answers when the effect happened", () => {
    expect(run(hardened, "direct", [...accepted, outcome("success"), settled])).toBe(
      "reserve dispatch commit executed responded",
    );
  });

  it("reaches neither store nor downstream unless it is authenticated and admitted", () => {
    expect(run(hardened, "direct", [{ type: "AUTHENTICATION", result: "api-key" }])).toBe(
      "api-key responded",
    );
    expect(
      run(hardened, "direct", [admitted[0] as AttemptEvent, { type: "ADMISSION", result: "key" }]),
    ).toBe("key responded");
  });

  it("tells success whatever the commit came to", () => {
    for (const result of ["done", "stale", "unavailable", "unanswered"] as const) {
      const events = [...accepted, outcome("success"), { type: "SETTLEMENT", result } as const];
      expect(run(hardened, "direct", events)).toBe("reserve dispatch commit executed responded");
    }
  });

  it("asks again with its token and gives the token up when the store stays silent", () => {
    const events = [...admitted, reserve("unanswered"), reserve("unanswered"), settled];
    expect(run(hardened, "direct", events)).toBe("reserve reserve release unavailable responded");
  });

  it("ignores a late proceed under hardened and obeys it without that rule", () => {
    const events = [...admitted, reserve("unanswered"), reserve("unanswered"), reserve("proceed")];
    expect(run(hardened, "direct", events)).toBe("reserve reserve release settled");
    expect(run({ ...hardened, lateProceed: "obey" }, "direct", events)).toBe(
      "reserve reserve release dispatch dispatched",
    );
  });

  it("dispatches without a reservation where the policy fails open", () => {
    expect(run(paper, "direct", [...admitted, reserve("unavailable")])).toBe(
      "reserve dispatch dispatched",
    );
    expect(run(published, "direct", [...admitted, reserve("unavailable")])).toBe(
      "reserve unavailable responded",
    );
  });

  it.each(["soft-fail", "rejected", "not-connected", "refused-by-deadline"] as const)(
    "releases after the definite failure %s",
    (result) => {
      expect(run(hardened, "direct", [...accepted, outcome(result), settled])).toBe(
        "reserve dispatch release failed responded",
      );
    },
  );

  it.each(["unreadable", "failed", "unanswered", "refused-by-fence"] as const)(
    "neither releases nor turns to the queue after the unknown outcome %s",
    (result) => {
      for (const mode of ["direct", "queue-failover"] as const) {
        expect(run(hardened, mode, [...accepted, outcome(result)])).toBe(
          "reserve dispatch unknown responded",
        );
      }
    },
  );

  it("as published, enqueues and commits after a timeout", () => {
    const events = [...accepted, outcome("unanswered"), { type: "ENQUEUE", result: "accepted" }];
    expect(run(published, "queue-failover", events as AttemptEvent[])).toBe(
      "reserve dispatch enqueue commit settled",
    );
  });

  it("does not commit what it enqueues under hardened", () => {
    const events = [...accepted, { type: "ENQUEUE", result: "accepted" }];
    expect(run(hardened, "queue-everywhere", events as AttemptEvent[])).toBe(
      "reserve enqueue queued responded",
    );
  });

  it("answers a duplicate with 409, as the paper has it with 500", () => {
    expect(answerOf(published, "duplicate").status).toBe(409);
    expect(answerOf(paper, "duplicate").status).toBe(500);
  });
});

describe("the gateway table", () => {
  const counts = Object.values(policies).flatMap((policy) =>
    modes.map((mode) => [policy.name, mode, deriveGatewayTable(policy, mode).snapshots.length]),
  );

  it("has as many snapshots as the machine can come to", () => {
    expect(counts).toMatchInlineSnapshot(`
      [
        [
          "paper",
          "direct",
          21,
        ],
        [
          "paper",
          "queue-everywhere",
          21,
        ],
        [
          "paper",
          "queue-failover",
          23,
        ],
        [
          "published",
          "direct",
          24,
        ],
        [
          "published",
          "queue-everywhere",
          24,
        ],
        [
          "published",
          "queue-failover",
          27,
        ],
        [
          "hardened",
          "direct",
          38,
        ],
        [
          "hardened",
          "queue-everywhere",
          36,
        ],
        [
          "hardened",
          "queue-failover",
          42,
        ],
      ]
    `);
  });

  it("agrees with the machine in every snapshot at every event", () => {
    for (const policy of Object.values(policies)) {
      for (const mode of modes) {
        const table = deriveGatewayTable(policy, mode);
        const machine = createGatewayAttempt(policy, mode);
        for (const snapshot of table.snapshots) {
          for (const event of attemptEvents) {
            expect(lookUpAttempt(table, snapshot, event)).toEqual(
              decideAttempt(machine, snapshot, event),
            );
          }
        }
      }
    }
  });

  it("gives the same answer whatever came back of a commit or a release", () => {
    for (const policy of Object.values(policies)) {
      for (const mode of modes) {
        const table = deriveGatewayTable(policy, mode);
        table.snapshots.forEach((snapshot, row) => {
          if (snapshot.state !== "settled") return;
          const ends = attemptEvents.flatMap((event, column) =>
            event.type === "SETTLEMENT" ? [table.rows[row]?.[column]] : [],
          );
          expect(new Set(ends.map((end) => JSON.stringify(end))).size).toBe(1);
        });
      }
    }
  });
});
